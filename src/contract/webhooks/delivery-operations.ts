import Type from "typebox";
import { EVENT_ID_PATTERN } from "../events/event.ts";
import { link } from "../headers.ts";
import { mediaTypes, type Operation, type Parameter } from "../operation.ts";
import { INVALID_CURSOR, limitParameter } from "../parameters.ts";
import { Integer, withDefault } from "../scalars.ts";
import {
  AttemptHistory,
  DELIVERY_STATE,
  Delivery,
  DeliveryDetails,
  ReplayInput,
  ReplayRange,
  TestResult,
} from "./delivery-schemas.ts";
import { webhookLimits } from "./webhook.ts";
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
const details: DeliveryDetails = {
  ...delivery,
  request: {
    url: "https://hooks.example.com/roster",
    headers: {
      host: "hooks.example.com",
      "content-type": "application/json",
      "webhook-id": delivery.id,
      "webhook-timestamp": "1794816000",
      "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    },
    body: '{"type":"user.updated","timestamp":"2026-11-16T07:59:59.000Z","data":{"id":"0ho78yaryg6"}}',
    exact: true,
  },
  response: { time: "2026-11-16T08:00:00.000Z", body: "The database is being upgraded.", cut: false },
  storesResponses: true,
};
const eventId = {
  in: "path",
  name: "eventId",
  description: "The id of the delivery, which is that of its event.",
  schema: Type.String({ pattern: EVENT_ID_PATTERN }),
  required: true,
  notFound: "delivery-not-found",
  correction: "The id of a delivery is that of its event: 11 digits and small letters.",
  example: delivery.id,
  component: "DeliveryId",
} as const satisfies Parameter;
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
        name: "state",
        description: "Only deliveries in this state: `waiting`, `delivered` or `failed`.",
        schema: Type.String({ pattern: DELIVERY_STATE }),
        correction: "Use waiting, delivered or failed.",
        example: "failed",
      },
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
  readDelivery: {
    id: "readDelivery",
    method: "GET",
    path: "/api/webhooks/{id}/deliveries/{eventId}",
    tag: "webhooks",
    access: ["webhooks:manage", "events:read"],
    summary: "Read a delivery",
    description:
      "Has the request of the last attempt, and what the receiver answered if the service stores responses (ROSTER_WEBHOOK_STORE_RESPONSES=on): never from private addresses, and only until the user of the event is purged.",
    parameters: [webhookId, eventId],
    responses: {
      200: {
        description: "The delivery.",
        body: { type: mediaTypes.json, schema: DeliveryDetails, examples: { failed: details } },
      },
    },
    problems: ["webhook-not-found", "delivery-not-found"],
  },
  countAttempts: {
    id: "countAttempts",
    method: "GET",
    path: "/api/webhooks/{id}/attempts",
    tag: "webhooks",
    access: ["webhooks:manage", "events:read"],
    summary: "Count the attempts of a webhook by hour",
    description: `How many attempts of each of the last hours the receiver accepted, and how many failed. Retries and events that are sent again count, and samples do not. The service keeps the counts of ${webhookLimits.attemptHours / 24} days.`,
    parameters: [
      webhookId,
      {
        in: "query",
        name: "hours",
        description: "How many hours to return, up to this one.",
        schema: withDefault(Integer({ minimum: 1, maximum: webhookLimits.attemptHours }), 24),
        example: 2,
      },
    ],
    responses: {
      200: {
        description: "The last hours, oldest first.",
        body: {
          type: mediaTypes.json,
          schema: AttemptHistory,
          examples: {
            "two hours": {
              hours: [
                { hour: "2026-11-16T07:00:00.000Z", accepted: 41, failed: 0 },
                { hour: "2026-11-16T08:00:00.000Z", accepted: 12, failed: 3 },
              ],
            },
          },
        },
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
    summary: "Send an event to a webhook now",
    description:
      "Makes the delivery due now: one that waits for its next attempt, has failed, or was accepted before. If an earlier event of the same subject waits, that one is sent first, and this one follows when it is delivered. The request has no body. If the attempt fails, it is retried as usual.",
    parameters: [webhookId, eventId],
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
