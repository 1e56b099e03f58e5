import Type from "typebox";
import { EVENT_ID_PATTERN, REQUEST_ID_PATTERN } from "./events/event.ts";
import { listLimits } from "./listing.ts";
import type { HeaderDescription } from "./operation.ts";

export const vary: HeaderDescription = {
  description: "The request headers that the response depends on.",
  schema: Type.String(),
};
export const requestId: HeaderDescription = {
  description:
    "The id of this request in the service's log: your X-Request-Id if it is valid, else a generated one.",
  schema: Type.String({ pattern: REQUEST_ID_PATTERN }),
};
export const noSniff: HeaderDescription = {
  description: "Browsers must not guess the media type.",
  schema: Type.Literal("nosniff"),
};
export const resourcePolicy: HeaderDescription = {
  description: "Pages of other origins must not embed the response.",
  schema: Type.Literal("same-origin"),
};
export const cacheControl: HeaderDescription = {
  description: "Caches must not store the response: it may hold personal data.",
  schema: Type.Literal("no-store"),
};
export const retryAfter: HeaderDescription = {
  description: "Seconds to wait before the next request.",
  schema: Type.String({ pattern: "^[1-9][0-9]*$" }),
};
export const challenge: HeaderDescription = {
  description: "The authentication scheme.",
  schema: Type.String({ pattern: "^Bearer" }),
};
export const rateHeaders: Record<string, HeaderDescription> = {
  "RateLimit-Policy": {
    description: "The caller's limits: `q` requests in `w` seconds. Absent if the caller has no limits.",
    schema: Type.String(),
    optional: true,
  },
  RateLimit: {
    description: "Requests that remain (`r`) for the next `t` seconds. Some requests cost more than one.",
    schema: Type.String(),
    optional: true,
  },
};
export const etag: HeaderDescription = {
  description:
    "The version in quotes. Send it as If-Match to change the resource only if it has not changed since.",
  schema: Type.String({ pattern: '^"[1-9][0-9]*"$' }),
};
export const location: HeaderDescription = {
  description: "The URL of the new resource. A path if the service does not know its public URL.",
  schema: Type.String({ pattern: "^(https?://.+)?/api/(users|groups|webhooks|keys)/[1-9][0-9]*$" }),
};
export const link: HeaderDescription = {
  description:
    'URLs of other pages: `rel="next"` unless this is the last page; for users and groups also `rel="prev"` with `offset`, and `rel="first"`. Paths if the service does not know its public URL.',
  schema: Type.String({ pattern: '^<[^>]+>; rel="(next|prev|first)"(, <[^>]+>; rel="(prev|first)")*$' }),
  optional: true,
};
export const rosterEvent: HeaderDescription = {
  description:
    "The id of an event that is not newer than this list. Follow the events after it to keep your copy of the list up to date.",
  schema: Type.String({ pattern: EVENT_ID_PATTERN }),
};
export const idempotencyReplayed: HeaderDescription = {
  description: "`true` if this is the stored outcome of an earlier request with the same Idempotency-Key.",
  schema: Type.Literal("true"),
  optional: true,
};
/** The headers of a new record. */
export const createdHeaders = {
  Location: location,
  ETag: etag,
  "Idempotency-Replayed": idempotencyReplayed,
};
/** The headers of a page of a list that callers sort, search and filter. */
export const listHeaders: Record<string, HeaderDescription> = {
  Link: link,
  "Roster-Event": rosterEvent,
  Vary: vary,
  "X-Total-Count": {
    description: "With `count=true`: how many entries the list has, on all pages.",
    schema: Type.String({ pattern: "^(0|[1-9][0-9]*)$" }),
    optional: true,
  },
  "X-Total-Count-Capped": {
    description: `\`true\` if X-Total-Count is a lower bound: filtered lists are counted up to ${listLimits.count}, and for about 250 ms.`,
    schema: Type.Literal("true"),
    optional: true,
  },
};
export const setCookie: HeaderDescription = {
  description: "The session cookie. Signing out deletes it.",
  schema: Type.String(),
  optional: true,
};

/** A header that lists methods or media types. */
export const listHeader = (description: string): HeaderDescription => ({
  description,
  schema: Type.String(),
});
