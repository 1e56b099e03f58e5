import { operations } from "../contract/operations.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { Store } from "../domain/store.ts";
import type { Gauges, Metrics } from "../telemetry/metrics.ts";
import { compressibleResponse } from "./compression/compressible.ts";
import { jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

interface HealthParts {
  readonly store: Store;
  readonly metrics: Metrics;
  readonly build: Gauges["build"];
  readonly maxEventBytes: Gauges["maxEventBytes"];
  readonly isStopping: () => boolean;
  readonly pendingRequests: () => number;
}

/** Registers the health checks and the metrics. */
export function serveHealth(router: Router, parts: HealthParts): void {
  const { store, metrics, build, maxEventBytes, isStopping, pendingRequests } = parts;
  const ok = JSON.stringify({ status: "ok" });

  router.serve(operations.health, (context) => jsonResponse(context, 200, ok));

  router.serve(operations.ready, async (context) => {
    if (isStopping()) throw new ProblemError("unavailable", "The service is stopping.");
    await store.ping();
    return jsonResponse(context, 200, ok);
  });

  router.serve(operations.metrics, async (context) => {
    const requestsInFlight = pendingRequests();
    const gauges = await store.gauges();
    const waitingDeliveries = gauges.up ? await store.deliveries.countWaiting() : undefined;
    const text = metrics.render({
      ...{ build, requestsInFlight, maxEventBytes, waitingDeliveries },
      store: gauges,
    });
    return compressibleResponse(context, new TextEncoder().encode(text), {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
    });
  });
}
