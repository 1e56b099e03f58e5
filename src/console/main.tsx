import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { applyTheme } from "./app/theme.ts";
import { queryClient } from "./lib/api.ts";
import { forgetOverList } from "./lib/over-list.ts";
import { prefetchWhenIdle } from "./lib/prefetch.ts";
import { hadSession, sessionQuery } from "./lib/session.ts";
import { fieldsQuery } from "./users/field-info.ts";
import { parseListParams } from "./users/list-params.ts";
import { listQuery } from "./users/queries.ts";
import { viewPaths } from "./view-paths.ts";

applyTheme();
forgetOverList();
if (location.pathname === viewPaths.users) void prefetchUsers();
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

/** The users load while the frame around them is rendered, and before the session is known if there was one. */
async function prefetchUsers(): Promise<void> {
  const session = hadSession() || (await queryClient.ensureQueryData(sessionQuery).catch(() => null));
  if (!session) return;
  void queryClient.prefetchQuery(listQuery(parseListParams(location.search)));
  void queryClient.prefetchQuery(fieldsQuery);
}
