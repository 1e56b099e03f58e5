import type { CustomFields } from "./custom-fields.ts";
/** Verifies webhooks that the service delivers: `await verifyWebhook(request, secret)`. */
import type { RosterEvent } from "./events/event-types.ts";

/** What a request to your program must have: a `Request`, or its body as text and its headers. */
export type WebhookRequest =
  | Request
  | {
      /** The body exactly as received, before JSON.parse. */
      readonly body: string | Uint8Array;
      readonly headers: Headers | { readonly [name: string]: string | readonly string[] | undefined };
    };

/** The sample that `roster webhooks test` sends. */
interface TestMessage {
  readonly id: string;
  readonly type: "webhook.test";
  readonly time: string;
}

/** A verified message. Compare `type` to know what `data` is. Ignore types that you do not know: later versions add some. */
export type WebhookMessage<Custom = CustomFields> =
  | MessageOf<TestMessage>
  | EventMessage<RosterEvent<Custom>>;

/** The record of an event is its URL if the message would be larger than 20 kB. */
type EventMessage<Event> = Event extends { readonly type: string; readonly record: unknown }
  ? MessageOf<Omit<Event, "record" | "type"> & { type: Event["type"]; record: Event["record"] | string }>
  : never;

interface MessageOf<Event extends { readonly type: string }> {
  /** The id of the event. A repeated delivery has the same id. */
  readonly id: string;
  readonly type: Event["type"];
  /** When the event happened. */
  readonly timestamp: string;
  readonly data: Event;
}

/** The request was not sent by the service, or too long ago. Answer it with 400, and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = "whsec_";

/**
 * Checks the signature and the time of a request, and returns its message. `secrets` is the webhook's secret, or several while you
 * rotate it. Throws a `WebhookVerificationError`.
 */
export async function verifyWebhook<Custom = CustomFields>(
  request: WebhookRequest,
  secrets: string | readonly string[],
): Promise<WebhookMessage<Custom>> {
  const id = readHeader(request.headers, "webhook-id");
  const timestamp = readHeader(request.headers, "webhook-timestamp");
  const signatures = readHeader(request.headers, "webhook-signature");
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || age > TOLERANCE_SECONDS) {
    throw new WebhookVerificationError(
      "The webhook-timestamp is more than five minutes from now. Check the clock.",
    );
  }
  const body = await readBody(request);
  const signed = concat(encoder.encode(`${id}.${timestamp}.`), body);
  if (!(await isSigned(signed, signatures, typeof secrets === "string" ? [secrets] : secrets))) {
    throw new WebhookVerificationError(
      "No signature matches. Check the secret, and pass the body as received.",
    );
  }
  return { ...parseMessage<Custom>(new TextDecoder().decode(body)), id };
}

const encoder = new TextEncoder();

/** Compares every signature with every secret, whether or not an earlier one matches. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  secrets: readonly string[],
): Promise<boolean> {
  const received = signatures
    .split(" ")
    .slice(0, MAX_SIGNATURES)
    .filter((signature) => signature.startsWith("v1,"))
    .map((signature) => fromBase64(signature.slice("v1,".length)));
  let matches = false;
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey("raw", parseSecret(secret), HMAC, false, ["verify"]);
    // `verify` takes the same time wherever the signatures differ.
    for (const signature of received) {
      if (signature && (await crypto.subtle.verify(HMAC, key, signature, signed))) matches = true;
    }
  }
  return matches;
}

const HMAC = { name: "HMAC", hash: "SHA-256" };
/** A sender signs with two secrets at most. */
const MAX_SIGNATURES = 8;

function parseSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret);
  if (!bytes?.length) throw new TypeError("A webhook's secret is whsec_ and text in base64.");
  return bytes;
}

/** Undefined if the text is not base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

async function readBody(request: WebhookRequest): Promise<Uint8Array> {
  if (typeof request.body === "string") return encoder.encode(request.body);
  if (request.body instanceof Uint8Array) return request.body;
  return "arrayBuffer" in request ? new Uint8Array(await request.arrayBuffer()) : new Uint8Array();
}

function readHeader(headers: WebhookRequest["headers"], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findHeader(headers, name);
  if (!value) throw new WebhookVerificationError(`The request has no header ${name}.`);
  return value;
}

function findHeader(
  headers: Exclude<WebhookRequest["headers"], Headers>,
  name: string,
): string | null | undefined {
  const found = Object.keys(headers).find((key) => key.toLowerCase() === name);
  const value = found === undefined ? undefined : headers[found];
  return typeof value === "string" ? value : value?.[0];
}

/** The sender is known by now: the type of its message can be trusted. */
function parseMessage<Custom>(text: string): WebhookMessage<Custom> {
  try {
    return JSON.parse(text);
  } catch {
    throw new WebhookVerificationError("The body is not JSON.");
  }
}
