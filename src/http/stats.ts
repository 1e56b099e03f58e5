import { operations } from "../contract/operations.ts";
import { andThen } from "../domain/maybe-promise.ts";
import type { UserStats } from "../domain/users/stats.ts";
import { jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** Registers the handler of daily statistics. */
export function serveStats(router: Router, stats: UserStats): void {
  router.serve(operations.readStats, (context, { days }) =>
    andThen(stats.read(days), (found) => jsonResponse(context, 200, JSON.stringify(found))),
  );
}
