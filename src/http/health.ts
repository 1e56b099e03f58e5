import { operations } from "../contract/operations.ts";
import { Refusal } from "../domain/refusal.ts";
import type { Store } from "../domain/store.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { jsonAnswer } from "./exchange.ts";
import type { Routes } from "./routes.ts";

/** For those who run the service: is it alive, can it serve, how is it doing. */
export function serveHealth(routes: Routes, store: Store, metrics: Metrics, isStopping: () => boolean): void {
  const ok = JSON.stringify({ status: "ok" });

  routes.serve(operations.health, (exchange) => jsonAnswer(exchange, 200, ok));

  routes.serve(operations.ready, async (exchange) => {
    if (isStopping()) throw new Refusal("unavailable", "The service is stopping.");
    await store.ping();
    return jsonAnswer(exchange, 200, ok);
  });

  routes.serve(operations.metrics, async (exchange) =>
    jsonAnswer(exchange, 200, metrics.render(await store.figures()), {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
    }),
  );
}
