import type { Fields } from "../support/consistency/operation.ts";
import type { Credential } from "./credential.ts";
import type { SimulatedFollower } from "./follower.ts";
import type { SimulatedNode } from "./node.ts";
import type { SimulatedWebhook } from "./receivers.ts";

/** A change that has an event. */
export interface Change {
  readonly type: string;
  readonly subject: { readonly type: string; readonly id: number };
  readonly version: number | null;
  readonly requestId: string | null;
  /** When it was committed, in milliseconds since the beginning. */
  readonly at: number;
  /** Undefined until the event is part of the feed. */
  eventId: string | undefined;
}

/** An event of the feed. Its time is when it became part of the feed. */
export interface PublishedEvent extends Readonly<Change> {
  readonly id: string;
}

/** An event that somebody received. */
export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: { readonly type: string; readonly id: number };
  readonly version: number | null;
  readonly requestId: string | null;
  readonly record: object | null;
}

/** A request. Times are milliseconds since the beginning. */
export interface Call {
  readonly requestId: string;
  readonly node: SimulatedNode;
  readonly method: string;
  readonly path: string;
  /** The body; undefined if there is none. */
  readonly json: Fields | undefined;
  readonly idempotencyKey: string | undefined;
  readonly credential: Credential;
  readonly sentAt: number;
}

export interface Answer {
  readonly headers: Headers;
  readonly status: number;
  readonly text: string;
  readonly at: number;
}

/** What can be seen from outside of the service, and what the database has committed. */
export type Observation =
  | { readonly kind: "committed"; readonly change: Change }
  | { readonly kind: "published"; readonly event: PublishedEvent }
  | { readonly kind: "called"; readonly call: Call }
  /** Without an answer, the connection was lost, or the caller gave up. */
  | { readonly kind: "answered"; readonly call: Call; readonly answer: Answer | undefined }
  | { readonly kind: "followed"; readonly follower: SimulatedFollower; readonly event: ReceivedEvent }
  /** A node sends an event to a receiver. */
  | {
      readonly kind: "sent";
      readonly webhook: SimulatedWebhook;
      readonly event: ReceivedEvent;
      readonly node: SimulatedNode;
    }
  /** A receiver got an event, and answered with this status. */
  | {
      readonly kind: "received";
      readonly webhook: SimulatedWebhook;
      readonly event: ReceivedEvent;
      readonly status: number;
    };
