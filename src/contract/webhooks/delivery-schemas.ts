import Type, { type Static } from "typebox";
import { EVENT_ID_PATTERN } from "../events/event.ts";
import { EventSubject } from "../events/event-schemas.ts";
import { Integer, Timestamp } from "../scalars.ts";

const orNull = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

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
  { description: "One request to the receiver. Its response body is never stored." },
);

/** A delivery in a response. */
export const Delivery = Type.Object(
  {
    id: Type.String({ pattern: EVENT_ID_PATTERN, description: "The id of the event." }),
    type: Type.String({ pattern: "^[a-z]+\\.[a-z_]+$", description: "The type of the event." }),
    subject: EventSubject,
    state: Type.String({
      pattern: "^(waiting|delivered|failed)$",
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
