import { operations } from "../contract/operations.ts";
import type { UserStats } from "../domain/stats/stats.ts";
import { jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** Registers the handler of daily statistics. */
export function serveStats(router: Router, stats: UserStats): void {
  router.serve(operations.readStats, async (context, { days }) =>
    jsonResponse(context, 200, JSON.stringify(await stats.read(days))),
  );
}
