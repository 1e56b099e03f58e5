import { operations } from "../contract/operations.ts";
import type { Delivery as DeliveryJson, TestResult } from "../contract/webhooks/delivery-schemas.ts";
import { parseEventId, splitType, toEventId } from "../domain/events/event.ts";
import type { Deliveries } from "../domain/webhooks/deliveries.ts";
import type { Delivery } from "../domain/webhooks/delivery-store.ts";
import type { PublicUrl } from "./access/public-url.ts";
import { type BodyReader, requireContentType } from "./body-reader.ts";
import { readPathId } from "./query/ids.ts";
import { parsePageQuery } from "./query/page-query.ts";
import { pathParameter, type RequestContext } from "./request-context.ts";
import { jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

const acceptPost = { "accept-post": operations.replayEvents.request.types.join(", ") };

export interface DeliveryRouteParts {
  readonly deliveries: Deliveries;
  readonly bodyReader: BodyReader;
  readonly publicUrl: PublicUrl;
  /** Does not count a request while it waits. */
  releaseWhile<T>(waiting: Promise<T>): Promise<T>;
}

/** Registers the handlers of deliveries. */
export function serveDeliveries(router: Router, parts: DeliveryRouteParts): void {
  const { deliveries, bodyReader, publicUrl } = parts;
  const readId = (context: RequestContext) => readPathId(context, "webhook-not-found");

  router.serve(operations.listDeliveries, async (context) => {
    const id = readId(context);
    const { after: before, limit } = parsePageQuery(context, parseEventId);
    // One delivery more than the page holds shows whether there is a next page.
    const found = await deliveries.list(id, before, limit + 1);
    const page = found.slice(0, limit).map(renderDelivery);
    const headers: Record<string, string> = { vary: "Accept" };
    if (found.length > limit) {
      const url = `${publicUrl.findBase(context)}/api/webhooks/${id}/deliveries`;
      headers.link = `<${url}?limit=${limit}&after=${page.at(-1)?.id}>; rel="next"`;
    }
    return jsonResponse(context, 200, JSON.stringify(page), headers);
  });

  router.serve(operations.resendDelivery, async (context) => {
    const delivery = await deliveries.resend(readId(context), pathParameter(context, "eventId"));
    return jsonResponse(context, 202, JSON.stringify(renderDelivery(delivery)));
  });

  router.serve(operations.replayEvents, async (context) => {
    const id = readId(context);
    requireContentType(context.request, operations.replayEvents.request.types, acceptPost);
    const { from, to } = await deliveries.replay(id, await bodyReader.readJson(context, "invalid-webhook"));
    return jsonResponse(context, 202, JSON.stringify({ from: toText(from), to: toText(to) }));
  });

  router.serve(operations.testWebhook, async (context) => {
    const id = readId(context);
    const { code, durationMs, error } = await parts.releaseWhile(deliveries.sendSample(id));
    const result: TestResult = { delivered: error === null, status: code, durationMs, error };
    return jsonResponse(context, 200, JSON.stringify(result));
  });

  router.setOptionsHeaders(operations.replayEvents.path, acceptPost);
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
