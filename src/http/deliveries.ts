import { operations } from "../contract/operations.ts";
import type {
  AttemptHistory,
  Delivery as DeliveryJson,
  DeliveryDetails as DetailsJson,
  TestResult,
} from "../contract/webhooks/delivery-schemas.ts";
import { parseEventId, splitType, toEventId } from "../domain/events/event.ts";
import type { Deliveries, DeliveryDetails } from "../domain/webhooks/deliveries.ts";
import { type Delivery, deliveryStates } from "../domain/webhooks/delivery-store.ts";
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
  const { listDeliveries, readDelivery, countAttempts, resendDelivery, replayEvents, testWebhook } =
    operations;

  router.serve(listDeliveries, async (context, { id, limit, after, state: text }) => {
    const before = after === undefined ? undefined : parseEventId(after);
    const state = deliveryStates.find((each) => each === text);
    const page = await readPage(limit, async (count) =>
      (await deliveries.list(id, { before, state, limit: count })).map(renderDelivery),
    );
    return links.respondWithPage(context, listDeliveries, page);
  });

  router.serve(readDelivery, async (context, { id, eventId }) => {
    const details = renderDetails(await deliveries.read(id, eventId), deliveries.storesResponses);
    return jsonResponse(context, 200, JSON.stringify(details));
  });

  router.serve(countAttempts, async (context, { id, hours }) => {
    const counted = await deliveries.readAttempts(id, hours);
    const history: AttemptHistory = {
      hours: counted.map(({ hour, accepted, failed }) => ({
        hour: toText(hour * HOUR_MS),
        accepted,
        failed,
      })),
    };
    return jsonResponse(context, 200, JSON.stringify(history));
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

const HOUR_MS = 3_600_000;

function renderDetails(
  { delivery, request, response }: DeliveryDetails,
  storesResponses: boolean,
): DetailsJson {
  return {
    ...renderDelivery(delivery),
    request: request
      ? { url: request.url, headers: { ...request.headers }, body: request.body, exact: request.isExact }
      : null,
    response: response ? { time: toText(response.time), body: response.body, cut: response.isCut } : null,
    storesResponses,
  };
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
