import { operations } from "../contract/operations.ts";
import type { Delivery as DeliveryJson, TestResult } from "../contract/webhooks/delivery-schemas.ts";
import { parseEventId, splitType, toEventId } from "../domain/events/event.ts";
import type { Deliveries } from "../domain/webhooks/deliveries.ts";
import type { Delivery } from "../domain/webhooks/delivery-store.ts";
import { type Links, readPage } from "./links.ts";
import { jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

export interface DeliveryRouteParts {
  readonly deliveries: Deliveries;
  readonly links: Links;
  /** Does not count a request while it waits. */
  releaseWhile<T>(waiting: Promise<T>): Promise<T>;
}

/** Registers the handlers of deliveries. */
export function serveDeliveries(
  router: Router,
  { deliveries, links, releaseWhile }: DeliveryRouteParts,
): void {
  const { listDeliveries, resendDelivery, replayEvents, testWebhook } = operations;

  router.serve(listDeliveries, async (context, { id, limit, after }) => {
    const before = after === undefined ? undefined : parseEventId(after);
    const page = await readPage(limit, async (count) =>
      (await deliveries.list(id, before, count)).map(renderDelivery),
    );
    return links.respondWithPage(context, listDeliveries, page);
  });

  router.serve(resendDelivery, async (context, { id, eventId }) =>
    jsonResponse(context, 202, JSON.stringify(renderDelivery(await deliveries.resend(id, eventId)))),
  );

  router.serve(replayEvents, async (context, { id, body }) => {
    const { from, to } = await deliveries.replay(id, body);
    return jsonResponse(context, 202, JSON.stringify({ from: toText(from), to: toText(to) }));
  });

  router.serve(testWebhook, async (context, { id }) => {
    const { code, durationMs, error } = await releaseWhile(deliveries.sendSample(id));
    const result: TestResult = { delivered: error === null, status: code, durationMs, error };
    return jsonResponse(context, 200, JSON.stringify(result));
  });
}

function renderDelivery({
  position,
  type,
  subjectId,
  state,
  attempts,
  nextAttemptAt,
}: Delivery): DeliveryJson {
  const [subjectType] = splitType(type);
  return {
    id: toEventId(position),
    type,
    subject: { type: subjectType, id: subjectId },
    state,
    attempts: attempts.map(({ time, code, durationMs, error }) => ({
      time: toText(time),
      status: code,
      durationMs,
      error,
    })),
    nextAttemptAt: nextAttemptAt === null ? null : toText(nextAttemptAt),
  };
}

function toText(time: number): string {
  return new Date(time).toISOString();
}
