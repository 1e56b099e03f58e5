import type { QueryClient } from "@tanstack/react-query";
import { NetworkError, TimeoutError } from "../../client/index.ts";
import { Observable } from "./observable.ts";

/** Time between two attempts to reach the service. */
const RETRY_MS = 2000;

/** Whether the service responds. False after a request without a response, until the service responds again. */
export const isServerReachable = new Observable(true);

/** Call for every failed request. Looks for the service until it is back, then repeats the queries that failed. */
export function watchServer(error: unknown, queries: QueryClient): void {
  if (!(error instanceof NetworkError || error instanceof TimeoutError) || !isServerReachable.get()) return;
  isServerReachable.set(false);
  const look = async () => {
    const isBack = await fetch("/healthz", { cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isBack) return setTimeout(look, RETRY_MS);
    isServerReachable.set(true);
    await queries.refetchQueries({ predicate: ({ state }) => state.status === "error" });
  };
  setTimeout(look, RETRY_MS);
}
