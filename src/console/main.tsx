import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { applyTheme } from "./app/theme.ts";
import { queryClient } from "./lib/api.ts";
import { forgetOverList } from "./lib/over-list.ts";
import { prefetchWhenIdle } from "./lib/prefetch.ts";

applyTheme();
forgetOverList();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
  prefetchWhenIdle();
}
