import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { applyTheme } from "./app/theme.ts";
import { queryClient } from "./lib/api.ts";
import { forgetOverList } from "./lib/over-list.ts";
import { prefetchWhenIdle } from "./lib/prefetch.ts";
import { hadSession } from "./lib/session.ts";
import { parseListParams } from "./users/list-params.ts";
import { listQuery } from "./users/queries.ts";
import { viewPaths } from "./view-paths.ts";

applyTheme();
forgetOverList();
// The table does not wait for the session.
if (location.pathname === viewPaths.users && hadSession())
  void queryClient.prefetchQuery(listQuery(parseListParams(location.search)));
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
