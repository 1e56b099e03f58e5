import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { applyTheme } from "./app/theme.ts";
import { queryClient } from "./lib/api.ts";
import { forgetOverList } from "./lib/over-list.ts";
import { prefetchWhenIdle } from "./lib/prefetch.ts";
import { hadSession, sessionQuery } from "./lib/session.ts";
import { fieldsQuery, schemaFieldsQuery } from "./users/field-info.ts";
import { parseListParams } from "./users/list-params.ts";
import { listQuery } from "./users/queries.ts";
import { viewPaths } from "./view-paths.ts";

/** How long the page stays empty at most: a frame that is replaced at once only delays what replaces it. */
const EMPTY_MS = 100;

applyTheme();
forgetOverList();
void start();

async function start(): Promise<void> {
  await Promise.race([loadFirst(), new Promise((resolve) => setTimeout(resolve, EMPTY_MS))]);
  const root = document.getElementById("root");
  if (!root) return;
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
  prefetchWhenIdle();
}

/** Loads the session and what the first frame of the users view needs. If there was a session, the users do not wait for it. */
async function loadFirst(): Promise<void> {
  const session = queryClient.ensureQueryData(sessionQuery).catch(() => null);
  if (location.pathname === viewPaths.users && (hadSession() || (await session))) {
    void queryClient.prefetchQuery(fieldsQuery);
    const users = queryClient.prefetchQuery(listQuery(parseListParams(location.search)));
    await Promise.all([users, queryClient.prefetchQuery(schemaFieldsQuery)]);
  }
  await session;
}
