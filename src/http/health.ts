import { operations } from "../contract/operations.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { Store } from "../domain/store.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** Registers the health checks and the metrics. */
export function serveHealth(router: Router, store: Store, metrics: Metrics, isStopping: () => boolean): void {
  const ok = JSON.stringify({ status: "ok" });

  router.serve(operations.health, (context) => jsonResponse(context, 200, ok));

  router.serve(operations.ready, async (context) => {
    if (isStopping()) throw new ProblemError("unavailable", "The service is stopping.");
    await store.ping();
    return jsonResponse(context, 200, ok);
  });

  router.serve(operations.metrics, async (context) =>
    jsonResponse(context, 200, metrics.render(await store.stats()), {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
    }),
  );
}
