import Type from "typebox";
import { EVENT_ID_PATTERN } from "../events/event.ts";
import { link } from "../headers.ts";
import { mediaTypes, type Operation } from "../operation.ts";
import { INVALID_CURSOR, limitParameter } from "../parameters.ts";
import { Delivery, ReplayInput, ReplayRange, TestResult } from "./delivery-schemas.ts";
import { webhookId } from "./webhook-operations.ts";

const delivery: Delivery = {
  id: "0ho78yaryg6",
  type: "user.updated",
  subject: { type: "user", id: 1 },
  state: "waiting",
  attempts: [
    {
      time: "2026-11-16T08:00:00.000Z",
      status: 503,
      durationMs: 84,
      error: "The receiver answered 503.",
    },
  ],
  nextAttemptAt: "2026-11-16T08:00:05.000Z",
};
const range = { from: "2026-11-16T00:00:00.000Z", to: "2026-11-16T08:00:00.000Z" };

/** Operations on the deliveries of a webhook. */
export const deliveryOperations = {
  listDeliveries: {
    id: "listDeliveries",
    method: "GET",
    path: "/api/webhooks/{id}/deliveries",
    tag: "webhooks",
    access: ["webhooks:manage", "events:read"],
    summary: "List the deliveries of a webhook",
    description:
      "The newest events first. Finished deliveries are kept for 7 days, at most 10,000 of each webhook. Events that have not been sent yet are not listed.",
    parameters: [
      webhookId,
      limitParameter("The maximum number of deliveries per page.", { example: 20 }),
      {
        in: "query",
        name: "after",
        description: "The id of a delivery: the page begins after it.",
        schema: Type.String({ pattern: EVENT_ID_PATTERN }),
        correction: INVALID_CURSOR,
      },
    ],
    list: ["next"],
    responses: {
      200: {
        description: "A page of deliveries.",
        headers: { Link: link },
        body: { type: mediaTypes.json, schema: Type.Array(Delivery), examples: { page: [delivery] } },
      },
    },
    problems: ["invalid-query", "webhook-not-found"],
  },
  resendDelivery: {
    id: "resendDelivery",
    method: "POST",
    path: "/api/webhooks/{id}/deliveries/{eventId}/resend",
    tag: "webhooks",
    access: ["webhooks:manage", "events:read"],
    summary: "Send an event to a webhook again",
    description:
      "Makes the delivery due now, also if the receiver has accepted it before. The request has no body. If the attempt fails, it is retried as usual.",
    parameters: [
      webhookId,
      {
        in: "path",
        name: "eventId",
        description: "The id of the delivery, which is that of its event.",
        schema: Type.String({ pattern: EVENT_ID_PATTERN }),
        required: true,
        notFound: "delivery-not-found",
        correction: "The id of a delivery is that of its event: 11 digits and small letters.",
        example: delivery.id,
      },
    ],
    responses: {
      202: {
        description: "The delivery, which will be sent soon.",
        body: { type: mediaTypes.json, schema: Delivery, examples: { delivery } },
      },
    },
    problems: ["webhook-not-found", "delivery-not-found", "webhook-inactive"],
    logged: true,
  },
  replayEvents: {
    id: "replayEvents",
    method: "POST",
    path: "/api/webhooks/{id}/replay",
    tag: "webhooks",
    access: ["webhooks:manage"],
    summary: "Send the events of a time range again",
    description:
      "Sends every event of the range that the webhook asks for, also those that it has received before, and those before it was created. Events that are no longer kept are left out. A replay that has not finished is replaced.",
    parameters: [webhookId],
    request: {
      types: [mediaTypes.json],
      schema: ReplayInput,
      examples: { "one night": range },
      invalid: "invalid-webhook",
    },
    responses: {
      202: {
        description: "The events of this range will be sent.",
        body: { type: mediaTypes.json, schema: ReplayRange, examples: { "one night": range } },
      },
    },
    problems: [
      "malformed-json",
      "request-timeout",
      "too-large",
      "unsupported-media-type",
      "invalid-webhook",
      "webhook-not-found",
      "webhook-inactive",
    ],
    logged: true,
  },
  testWebhook: {
    id: "testWebhook",
    method: "POST",
    path: "/api/webhooks/{id}/test",
    tag: "webhooks",
    access: ["webhooks:manage"],
    summary: "Send a sample to a webhook",
    description:
      "Sends a message of the type `webhook.test` now, also to a webhook that is not active, and waits for the response. The sample is not an event, and is not retried. The request has no body.",
    parameters: [webhookId],
    responses: {
      200: {
        description: "The outcome.",
        body: {
          type: mediaTypes.json,
          schema: TestResult,
          examples: { delivered: { delivered: true, status: 204, durationMs: 37, error: null } },
        },
      },
    },
    problems: ["webhook-not-found"],
    logged: true,
    // The receiver may take its time.
    takesLong: true,
  },
} as const satisfies Record<string, Operation>;
