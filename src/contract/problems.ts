import type { FieldError, ProblemDocument } from "./problem-schemas.ts";

/**
 * Every problem type with its HTTP status. The page at `/problems/{type}` shows `title`, `when` and `solution`. Nothing else
 * in the code names these statuses.
 */
export const problems = {
  "malformed-json": {
    status: 400,
    title: "The body is not valid JSON",
    when: "The request body is empty, is not valid UTF-8, is not one complete JSON document, or cannot be decompressed.",
    solution:
      "Send one JSON object in UTF-8. Most HTTP libraries do this if you pass an object instead of a string.",
  },
  "invalid-query": {
    status: 400,
    title: "Invalid query string",
    when: "A query parameter is unknown, out of range, repeated, or conflicts with another one; a filter expression is not valid; or the URL contains an API key or an access token.",
    solution:
      "The errors name each parameter and the values that it accepts. For a filter expression, they have the position of the invalid character. To get the next page, follow the whole URL in the Link header.",
  },
  "invalid-header": {
    status: 400,
    title: "Invalid header",
    when: "The Idempotency-Key header is not 1 to 255 printable ASCII characters; Last-Event-ID is not the id of an event; or the Host header is repeated, or is not a valid host name.",
    solution:
      "Send a random UUID as the Idempotency-Key, or omit the header. Send the host of the URL as Host.",
  },
  unauthenticated: {
    status: 401,
    title: "API key required",
    when: "The request has no API key, an unknown one, or a session or an access token that has ended; or it has the cookie of a session without the session's token.",
    solution:
      "Send Authorization: Bearer with an API key. The operator of the service creates one with: roster keys create --name my-program --scope users:read.",
  },
  "key-expired": {
    status: 401,
    title: "The API key has expired",
    when: "The key's expiry time has passed, or another key has replaced it.",
    solution: "Use the key that replaced it, or ask the operator of the service for a new one.",
  },
  "key-revoked": {
    status: 401,
    title: "The API key was revoked",
    when: "The key was revoked. A revoked key never becomes active again.",
    solution: "Ask the operator of the service for a new key.",
  },
  "insufficient-scope": {
    status: 403,
    title: "The API key lacks a scope",
    when: "The key is active, but lacks the scope that this request needs, or tries to grant a scope that it lacks.",
    solution: "Use a key with the scope in detail. GET /api/session lists the scopes of your key.",
  },
  "key-required": {
    status: 403,
    title: "Send the API key itself",
    when: "A session or an access token tries to create or replace a key, to create a webhook, to change its URL or to rotate its secret. It cannot: the change would outlive it.",
    solution: "Send the API key with this request, as Authorization: Bearer. The console asks you for it.",
  },
  "cross-site": {
    status: 403,
    title: "Request from another site",
    when: "A page of another origin sent the request, and the request is a write, or has an API key or the session cookie; or a write with the session cookie does not tell its origin in Sec-Fetch-Site or Origin.",
    solution:
      "Send the request from a page of this service or from a program. The operator of the service can allow pages of other origins to send API keys, with ROSTER_CORS_ORIGINS.",
  },
  "key-not-found": {
    status: 404,
    title: "Key not found",
    when: "No API key has this id.",
    solution: "GET /api/keys lists all keys, including expired and revoked ones.",
  },
  "user-not-found": {
    status: 404,
    title: "User not found",
    when: "No user has this id, or the user name or email in a line of an import of memberships. The user was deleted, the id was never assigned, or it is not a positive decimal integer.",
    solution:
      "Find the user, for example with GET /api/users?email=…. The service assigns ids: PUT does not create users.",
  },
  "group-not-found": {
    status: 404,
    title: "Group not found",
    when: "No group has this id, or the name in a line of an import of memberships. The group was deleted, the id was never assigned, or it is not a positive decimal integer.",
    solution: "Find the group, for example with GET /api/groups?name=…. Ids of groups are never reused.",
  },
  "member-not-found": {
    status: 404,
    title: "Member not found",
    when: "The user is not a member of the group, was deleted, or never existed.",
    solution:
      "GET /api/groups/{id}/members lists the members. PUT /api/groups/{id}/members/{userId} adds a user to the group.",
  },
  "webhook-not-found": {
    status: 404,
    title: "Webhook not found",
    when: "No webhook has this id. The webhook was deleted, or the id was never assigned.",
    solution: "GET /api/webhooks lists all webhooks.",
  },
  "delivery-not-found": {
    status: 404,
    title: "Delivery not found",
    when: "The webhook has no delivery with this id. The event was never sent to it, or the delivery is no longer kept.",
    solution:
      "GET /api/webhooks/{id}/deliveries lists the deliveries. To send older events, use POST /api/webhooks/{id}/replay.",
  },
  "field-not-found": {
    status: 404,
    title: "Custom field not found",
    when: "The name is that of a field that every user has, such as email, or is not valid for a custom field.",
    solution: "GET /api/fields lists the custom fields that users have.",
  },
  "not-found": {
    status: 404,
    title: "Not found",
    when: "This service has no such path.",
    solution: "The reference at /docs lists every path. Users are at /api/users.",
  },
  "method-not-allowed": {
    status: 405,
    title: "Method not allowed",
    when: "The path exists, but does not support this method.",
    solution: "The Allow header lists the supported methods.",
  },
  "not-acceptable": {
    status: 406,
    title: "Not acceptable",
    when: "The Accept header excludes every media type of this resource.",
    solution: "Accept application/json, or omit the Accept header.",
  },
  "request-timeout": {
    status: 408,
    title: "The request body took too long",
    when: "The complete request body did not arrive within 30 seconds of the headers. The service did nothing and closed the connection. Or an import sent less than 64 bytes per second: its results say which lines were imported.",
    solution: "Send the request again on a new connection, with the body right after the headers.",
  },
  "email-taken": {
    status: 409,
    title: "The email is already in use",
    when: "Another user has this email address. Emails are unique, ignoring case.",
    solution: "Find that user with GET /api/users?email=… and change it, or choose another email.",
  },
  "invalid-bulk": {
    status: 422,
    title: "The bulk change is invalid",
    when: "The body of a bulk change breaks a rule, or its filter expression is not valid.",
    solution:
      "Correct every member listed in errors, and send the request again. For a filter expression, the errors have the position of the invalid character. Nothing was changed.",
  },
  "value-taken": {
    status: 409,
    title: "The value is already in use",
    when: "Another user has this value, and the field is unique; or another user has this user name, which is the userName of a user, else its email; or another group has this name; or a field is to become unique, and users have the same value.",
    solution:
      "Choose another value. An import can skip or update such users, with the parameter onConflict. Before a field becomes unique, change the users that the errors name.",
  },
  "idempotency-in-flight": {
    status: 409,
    title: "The first request with this Idempotency-Key is still running",
    when: "A request with the same Idempotency-Key has arrived and has not finished.",
    solution: "Wait a moment and send the same request again. It gets the outcome of the first one.",
  },
  "webhook-inactive": {
    status: 409,
    title: "The webhook is not active",
    when: "Events are only sent to an active webhook.",
    solution: 'Activate the webhook with PATCH {"active":true}, and send the request again.',
  },
  "version-mismatch": {
    status: 412,
    title: "The resource has changed since you read it",
    when: "If-Match does not match the current version. Nothing was changed.",
    solution: "Read the resource again, apply your change, and send it with the new ETag.",
  },
  "events-expired": {
    status: 410,
    title: "Events are missing after this one",
    when: "The service no longer has the event that after names: events are removed after some time, or when all of them are too large, and a restored backup does not have later events.",
    solution:
      "List the users again, then read the events that follow. Without after, the list begins with the oldest event.",
  },
  "precondition-failed": {
    status: 412,
    title: "If-None-Match excludes the resource",
    when: "If-None-Match matches the current version, or is *, which matches any version. Nothing was changed.",
    solution:
      "To change the resource, omit If-None-Match. To change only the version that you read, send If-Match.",
  },
  "too-large": {
    status: 413,
    title: "The request body is too large",
    when: "The request body is larger than 64 KiB, before or after decompression; or a compressed import is more than 200 times larger after decompression.",
    solution:
      "Store large data elsewhere and put a reference to it into the record. Send an import uncompressed if compression makes it so much smaller.",
  },
  "unsupported-media-type": {
    status: 415,
    title: "Unsupported media type",
    when: "Content-Type is missing, is not a media type that Accept-Post or Accept-Patch lists, or has a charset other than UTF-8; or Content-Encoding is not one that Accept-Encoding lists.",
    solution:
      "Send Content-Type: application/json. PATCH also accepts application/merge-patch+json. Compress bodies with gzip or zstd, or not at all.",
  },
  "invalid-key": {
    status: 422,
    title: "The key is not valid",
    when: "The body is JSON, but breaks a rule for API keys, or is not an API key to sign in with.",
    solution:
      "The errors list every invalid field with a JSON Pointer. Correct them all and send the request again.",
  },
  "invalid-schema": {
    status: 422,
    title: "The schema is not valid",
    when: "The schema for custom fields uses a keyword that Roster does not support, or breaks a rule.",
    solution: "Correct every place that the errors name with a JSON Pointer, and send the schema again.",
  },
  "invalid-group": {
    status: 422,
    title: "The group is not valid",
    when: "The body is JSON, but breaks a rule for groups.",
    solution:
      "The errors list every invalid field with a JSON Pointer. Correct them all and send the request again.",
  },
  "invalid-webhook": {
    status: 422,
    title: "The webhook is not valid",
    when: "The body is JSON, but breaks a rule for webhooks; or there are too many webhooks.",
    solution:
      "The errors list every invalid field with a JSON Pointer. For a filter expression, they have the position of the invalid character. Correct them all and send the request again.",
  },
  "rate-limited": {
    status: 429,
    title: "Too many requests",
    when: "The caller has exceeded its rate limit, or has sent too many wrong API keys.",
    solution:
      "Wait for the seconds in Retry-After. The RateLimit header of each response tells how many requests remain.",
  },
  "quota-exceeded": {
    status: 429,
    title: "Monthly quota exceeded",
    when: "The key has used its quota of requests for this calendar month (UTC).",
    solution:
      "Wait for the next month, which begins after the seconds in Retry-After, or ask the operator of the service for a larger quota.",
  },
  "wrong-host": {
    status: 421,
    title: "Unknown host name",
    when: "The service requires no key and listens on this machine only, and the Host header names another host. This happens when a web page points its own domain at your machine.",
    solution:
      "Call the service as localhost or 127.0.0.1, or allow the name in ROSTER_HOSTS. To serve other machines, set HOST and choose who can call with ROSTER_AUTH.",
  },
  "invalid-user": {
    status: 422,
    title: "The user is not valid",
    when: "The body is JSON, but breaks a rule for users.",
    solution:
      "The errors list every invalid field with a JSON Pointer. Correct them all and send the request again.",
  },
  "idempotency-mismatch": {
    status: 422,
    title: "The Idempotency-Key was used for another request",
    when: "A request with the same Idempotency-Key and a different body, or for another resource, arrived within the last 24 hours.",
    solution:
      "Use a new Idempotency-Key for each create, for example a random UUID. Reuse a key only to repeat the same request.",
  },
  internal: {
    status: 500,
    title: "Internal error",
    when: "The service failed. Your request did not cause this.",
    solution:
      "Try again. If the error persists, give the requestId to the operator of the service: the log has the cause.",
  },
  "not-implemented": {
    status: 501,
    title: "Not implemented",
    when: "The path /scim/v2/Me stands for the user who sends the request. A key is a program, not a user.",
    solution: "Find the user by its user name, for example with GET /scim/v2/Users?filter=….",
  },
  unavailable: {
    status: 503,
    title: "The service is unavailable",
    when: "The database does not respond or rejects writes, or the service is overloaded or stopping.",
    solution:
      "Wait for the seconds in Retry-After and send the request again. A write was not made, and will not be made later, unless the detail says that it may or may not have been committed. A create with an Idempotency-Key is safe to repeat.",
  },
} as const satisfies Record<string, { status: number; title: string; when: string; solution: string }>;

export type ProblemType = keyof typeof problems;

export function isProblemType(name: string): name is ProblemType {
  return Object.hasOwn(problems, name);
}

/** An example response with this problem. */
export function problemExample(type: ProblemType, instance = "/api/users"): ProblemDocument {
  const { status, title, when } = problems[type];
  return { type: `/problems/${type}`, title, status, detail: when, instance, requestId: "k3v9-1f" };
}

/** One error, after the name of its field or parameter. An error without one concerns the whole body or query string. */
export function describeFieldError({ pointer, parameter, detail }: FieldError): string {
  const field = (pointer ?? parameter ?? "").replace(/^\//, "");
  return field === "" ? detail : `${field}: ${detail}`;
}

/** Errors that a summary tells. */
const MAX_REASONS = 3;

/** The first errors of a problem, for its `detail`: programs and people that see nothing else know what to do. */
export function summarizeErrors(errors: readonly FieldError[]): string {
  const reasons = errors.slice(0, MAX_REASONS).map(describeFieldError);
  const more = errors.length - reasons.length;
  return [...reasons, ...(more > 0 ? [`${more} more in \`errors\`.`] : [])].join(" ");
}

export type { FieldError, ProblemDocument };
