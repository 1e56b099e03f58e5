import Type, { type Static } from "typebox";
import { EVENT_ID_PATTERN } from "../events/event.ts";
import { EventSubject } from "../events/event-schemas.ts";
import { Integer, Timestamp } from "../scalars.ts";
import { webhookLimits } from "./webhook.ts";

const orNull = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

/** The text of a state. */
export const DELIVERY_STATE = "^(waiting|delivered|failed)$";

const Status = orNull(
  Integer({ minimum: 100, maximum: 599 }),
  "The status of the response. Null if there was none.",
);
const DurationMs = Integer({ minimum: 0, description: "How long the attempt took, in milliseconds." });
const ErrorText = orNull(Type.String(), "Why the attempt failed. Null if the receiver accepted the event.");

export const DeliveryAttempt = Type.Object(
  {
    time: Timestamp("When the attempt began."),
    status: Status,
    durationMs: DurationMs,
    error: ErrorText,
  },
  { description: "One request to the receiver." },
);

/** A delivery in a response. */
export const Delivery = Type.Object(
  {
    id: Type.String({ pattern: EVENT_ID_PATTERN, description: "The id of the event." }),
    type: Type.String({ pattern: "^[a-z]+\\.[a-z_]+$", description: "The type of the event." }),
    subject: EventSubject,
    state: Type.String({
      pattern: DELIVERY_STATE,
      description:
        "`waiting`: for its next attempt, or for an earlier event of the same subject. `failed`: all attempts failed.",
    }),
    attempts: Type.Array(DeliveryAttempt, { maxItems: 10, description: "The last attempts, oldest first." }),
    nextAttemptAt: orNull(
      Timestamp("When the next attempt is due."),
      "Null if no attempt is planned, or if an earlier event of the same subject comes first.",
    ),
  },
  { description: "An event that was sent to a webhook, or that waits for its next attempt." },
);
export type Delivery = Static<typeof Delivery>;

export const RequestHeaders = Type.Object(
  {},
  {
    additionalProperties: Type.String(),
    description:
      "The headers by name. Without `webhook-signature` if the request is not exact, and without `traceparent`.",
  },
);

export const DeliveryRequest = Type.Object(
  {
    url: Type.String({ description: "Where the request was sent." }),
    headers: RequestHeaders,
    body: Type.String({ description: "The body, which is JSON." }),
    exact: Type.Boolean({
      description:
        "Whether the request had exactly these bytes. False if the user of the event was purged, or if the URL or the secret of the webhook, ROSTER_PUBLIC_URL or the version of the service has changed since.",
    }),
  },
  { description: "The request of the last attempt, built again from its event." },
);

export const DeliveryResponse = Type.Object(
  {
    time: Timestamp("When the attempt began that got this response."),
    body: Type.String({
      description:
        "The first 4 KiB as text. What is not UTF-8, and control characters except tabs and line breaks, are replaced by U+FFFD.",
    }),
    cut: Type.Boolean({ description: "Whether the response had more." }),
  },
  { description: "What the receiver answered. Any text can be in it: never show it as HTML." },
);

/** A delivery with everything that is known about it. */
export const DeliveryDetails = Type.Object(
  {
    ...Delivery.properties,
    request: orNull(
      DeliveryRequest,
      "The request of the last attempt. Null if there was no attempt, or if the event is no longer kept.",
    ),
    response: orNull(
      DeliveryResponse,
      "The last response that is stored. Null if none is: the service does not store responses, the receiver has a private address or sent a compressed body, there was no response, or the user of the event was purged.",
    ),
    storesResponses: Type.Boolean({
      description: "Whether the service stores responses: ROSTER_WEBHOOK_STORE_RESPONSES.",
    }),
  },
  { description: "A delivery with its last request, and the last response if it is stored." },
);
export type DeliveryDetails = Static<typeof DeliveryDetails>;

const AttemptCount = (description: string) => Integer({ minimum: 0, description });

export const AttemptsInHour = Type.Object(
  {
    hour: Timestamp("When the hour begins."),
    accepted: AttemptCount("Attempts that the receiver accepted with a 2xx status."),
    failed: AttemptCount("Attempts that failed. Most are retried."),
  },
  { description: "The attempts of a webhook that began in one hour." },
);

/** The response to GET /api/webhooks/{id}/attempts. */
export const AttemptHistory = Type.Object(
  {
    hours: Type.Array(AttemptsInHour, {
      minItems: 1,
      maxItems: webhookLimits.attemptHours,
      description: "Every hour, oldest first. The last one is not over yet.",
    }),
  },
  { description: "The attempts of a webhook, hour by hour." },
);
export type AttemptHistory = Static<typeof AttemptHistory>;

/** The response to POST /api/webhooks/{id}/test. */
export const TestResult = Type.Object(
  {
    delivered: Type.Boolean({ description: "Whether the receiver accepted the sample." }),
    status: Status,
    durationMs: DurationMs,
    error: ErrorText,
  },
  { description: "The outcome of a sample delivery." },
);
export type TestResult = Static<typeof TestResult>;

/** The body of POST /api/webhooks/{id}/replay. */
export const ReplayInput = Type.Object(
  {
    from: Timestamp("Events at or after this time (RFC 3339)."),
    to: Type.Optional(Timestamp("Events before this time (RFC 3339). Default: now.")),
  },
  { additionalProperties: false, description: "The events to send again." },
);
export const ReplayRange = Type.Object(
  { from: ReplayInput.properties.from, to: Timestamp("Events before this time.") },
  { description: "The events that are sent again." },
);
