import { eventSubjectTypes } from "../contract/events/event.ts";
import { eventTime, type StoredEvent, splitType, toEventId } from "../domain/events/event.ts";
import type { EventStore } from "../domain/events/event-store.ts";
import type { Delivery } from "../domain/webhooks/delivery-store.ts";
import type { StoredWebhook } from "../domain/webhooks/webhook-store.ts";
import { renderPayload } from "./payload.ts";
import type { Message } from "./request-text.ts";
import type { EventSender, SendOutcome } from "./sender.ts";

/** Events of one subject in the same millisecond. */
const MAX_SAME_TIME = 1000;

/** Reads an event again. Undefined if it is no longer kept. */
export async function findEvent(
  events: EventStore,
  { position, type, subjectId: id }: Pick<Delivery, "position" | "type" | "subjectId">,
): Promise<StoredEvent | undefined> {
  const subjectType = eventSubjectTypes.find((each) => each === splitType(type)[0]);
  if (subjectType === undefined) return undefined;
  const from = eventTime(position);
  const subject = { type: subjectType, id };
  const page = await events.read({ subject, from, to: from + 1, limit: MAX_SAME_TIME, published: true });
  return page?.events.find((event) => event.position === position);
}

/** The bodies of events: the same for all webhooks. */
const payloads = new WeakMap<StoredEvent, string>();

function payloadOf(event: StoredEvent, serviceUrl: string): string {
  const known = payloads.get(event);
  if (known !== undefined) return known;
  const time = new Date(eventTime(event.position)).toISOString();
  const payload = renderPayload({ ...event, time }, serviceUrl);
  payloads.set(event, payload);
  return payload;
}

/** What all requests of a node have in common. */
export interface RequestParts {
  readonly sender: Pick<EventSender, "userAgent">;
  /** Where receivers reach the service. */
  readonly serviceUrl: string;
}

/** The message of an attempt at this time, except its signatures. */
export function messageOf(
  { url }: StoredWebhook,
  event: StoredEvent,
  { time, serviceUrl }: { readonly time: number; readonly serviceUrl: string },
): Omit<Message, "secrets"> {
  return { url, id: toEventId(event.position), time, body: payloadOf(event, serviceUrl) };
}

/** A checksum of everything that a request is built from, except the event and the time. */
export function checksumOf(
  { url }: StoredWebhook,
  secrets: readonly string[],
  { sender, serviceUrl }: RequestParts,
): number {
  return Bun.hash.crc32([url, serviceUrl, sender.userAgent, ...secrets].join("\n"));
}

/** Sends an event, signed with the current secret and, after a rotation, with the previous one. Calls `done` once. */
export function sendEvent(
  { sender, serviceUrl }: { readonly sender: EventSender; readonly serviceUrl: string },
  webhook: StoredWebhook,
  event: StoredEvent,
  time: number,
  done: (outcome: SendOutcome) => void,
): void {
  const message = messageOf(webhook, event, { time, serviceUrl });
  sender.start({ ...message, secrets: secretsOf(webhook, time) }, done);
}

export function secretsOf(webhook: StoredWebhook, now: number): string[] {
  const { secret, previousSecret, previousSecretUntil } = webhook;
  const isRotating = previousSecret !== null && (previousSecretUntil ?? 0) > now;
  return isRotating ? [secret, previousSecret] : [secret];
}
