import type { ProblemDocument } from "./problem-schemas.ts";

/**
 * The catalogue of everything that can go wrong for a caller. `title`, `when` and `cure` are written for the page
 * at `/problems/{type}`; the status is used nowhere else than from here.
 */
export const problems = {
  "malformed-json": {
    status: 400,
    title: "The body is not JSON",
    when: "The body is empty, is not valid UTF-8, or is not one complete JSON text.",
    cure: "Send one JSON object, encoded as UTF-8. Most HTTP libraries do both when they are given an object rather than a string.",
  },
  "invalid-query": {
    status: 400,
    title: "The query string cannot be used",
    when: "A query parameter is out of range, is given twice, contradicts another, or could never name a field; or the address holds a key.",
    cure: "The errors name each parameter and what it takes. Paging goes on with the address in the Link header, taken whole.",
  },
  "invalid-header": {
    status: 400,
    title: "A header cannot be used",
    when: "Idempotency-Key is not 1 to 255 printable ASCII characters.",
    cure: "Send a random UUID as the key, or leave the header out.",
  },
  unauthenticated: {
    status: 401,
    title: "This needs a key",
    when: "The request carries no key, or none that this service knows, or a session that has ended.",
    cure: "Send Authorization: Bearer with a key. Whoever runs the service makes one with: roster keys create --name my-program --scope users:read.",
  },
  "key-expired": {
    status: 401,
    title: "The key has expired",
    when: "The key was good until a time that has passed, or another has taken its place.",
    cure: "Use the key that replaced it, or ask whoever runs the service for a new one.",
  },
  "key-revoked": {
    status: 401,
    title: "The key was revoked",
    when: "Somebody ended this key for good.",
    cure: "Ask whoever runs the service for a new one.",
  },
  "insufficient-scope": {
    status: 403,
    title: "The key is not good for this",
    when: "The key is a good one, but lacks the scope that this takes, or was to give one that it lacks.",
    cure: "Use a key with the scope that detail names. GET /api/session says which scopes yours has.",
  },
  "cross-site": {
    status: 403,
    title: "A session is for the service's own pages",
    when: "The request carries the session cookie but comes from a page of another site, or does not say where it comes from.",
    cure: "Call from the service's own pages, or send a key instead of the cookie.",
  },
  "key-not-found": {
    status: 404,
    title: "There is no such key",
    when: "No key has this id.",
    cure: "GET /api/keys lists them all, those that have ended too.",
  },
  "user-not-found": {
    status: 404,
    title: "There is no such user",
    when: "No user has this id: it was deleted, was never given, or is not a positive whole number in plain decimal.",
    cure: "Look the user up again, for instance with GET /api/users?email=…. Ids are given by the service: PUT does not create.",
  },
  "not-found": {
    status: 404,
    title: "There is nothing at this address",
    when: "The path is not one that this service has.",
    cure: "The reference at /docs lists every path; the users are at /api/users.",
  },
  "method-not-allowed": {
    status: 405,
    title: "This address does not take that method",
    when: "The path exists, but not with this method.",
    cure: "The Allow header lists the methods that it takes.",
  },
  "not-acceptable": {
    status: 406,
    title: "The answer cannot be had in that form",
    when: "The Accept header leaves out every form in which this answer exists.",
    cure: "Accept application/json, or send no Accept header.",
  },
  "request-timeout": {
    status: 408,
    title: "The body took too long to come",
    when: "The body had not come whole within 30 seconds of the head of the request. Nothing was done, and the connection is closed.",
    cure: "Send the request again over a new connection, and the body together with the head.",
  },
  "email-taken": {
    status: 409,
    title: "Another user has this email",
    when: "Emails are unique without regard to case, and another user has this one.",
    cure: "Find that user with GET /api/users?email=…, then change it, or choose another email.",
  },
  "idempotency-in-flight": {
    status: 409,
    title: "The first request with this key is still running",
    when: "A request with the same Idempotency-Key has been received and is not finished.",
    cure: "Wait a moment and send the same request again: it gets the first one's outcome.",
  },
  "version-mismatch": {
    status: 412,
    title: "The user has changed since you read it",
    when: "If-Match does not name the version that the user has now. Nothing was changed.",
    cure: "Read the user again, apply your change to what it is now, and send that with the new ETag.",
  },
  "too-large": {
    status: 413,
    title: "The body is too large",
    when: "The body is over 64 KiB.",
    cure: "Keep large things elsewhere and put a reference to them in the record.",
  },
  "unsupported-media-type": {
    status: 415,
    title: "The body is of a type that this address does not take",
    when: "Content-Type is missing or is not one of those that Accept-Post or Accept-Patch lists, or its charset is not UTF-8.",
    cure: "Send Content-Type: application/json. PATCH takes application/merge-patch+json too.",
  },
  "invalid-key": {
    status: 422,
    title: "The key cannot be made so",
    when: "The body is JSON, but breaks a rule of keys, or is no key to sign in with.",
    cure: "The errors list every fault with a pointer to it. Mend them all and send the request again.",
  },
  "rate-limited": {
    status: 429,
    title: "Too many requests",
    when: "The caller has sent more requests than its rate allows, or too many with a wrong key.",
    cure: "Wait as long as Retry-After says. RateLimit on each answer says how many are left: slow down before there are none.",
  },
  "quota-exceeded": {
    status: 429,
    title: "The month's calls are used up",
    when: "The key has made as many calls in this calendar month (UTC) as its quota allows.",
    cure: "Wait for the next month, as long as Retry-After says, or ask whoever runs the service for a key with a larger quota.",
  },
  "wrong-host": {
    status: 421,
    title: "This service is not known by that name",
    when: "The service is open to this machine only, and the Host header names something else. That is what a web page does that points its own name at your machine.",
    cure: "Call it as localhost or 127.0.0.1. To serve other machines, set HOST and decide who may call with ROSTER_AUTH.",
  },
  "invalid-user": {
    status: 422,
    title: "The user is not valid",
    when: "The body is JSON, but breaks a rule of the user record.",
    cure: "The errors list every fault with a pointer to it. Mend them all and send the request again.",
  },
  "idempotency-mismatch": {
    status: 422,
    title: "The Idempotency-Key was used for another request",
    when: "A request with the same Idempotency-Key and another body came within the last 24 hours.",
    cure: "Use a new key for each new user, a random UUID for example, and the same key only to repeat the same request.",
  },
  internal: {
    status: 500,
    title: "The service failed",
    when: "Something inside the service went wrong. It was not your request.",
    cure: "Try again. If it stays, give the requestId to whoever runs the service: the log has the cause under it.",
  },
  unavailable: {
    status: 503,
    title: "The service cannot answer just now",
    when: "The database does not answer, or the service has more work than it can do, or is stopping.",
    cure: "Wait as long as Retry-After says and send the request again. A create is safe to repeat when it carries an Idempotency-Key.",
  },
} as const satisfies Record<string, { status: number; title: string; when: string; cure: string }>;

export type ProblemType = keyof typeof problems;

export function isProblemType(name: string): name is ProblemType {
  return Object.hasOwn(problems, name);
}

/** What a request that failed with this type of problem could be answered. */
export function problemExample(type: ProblemType, instance: string): ProblemDocument {
  const { status, title, when } = problems[type];
  return { type: `/problems/${type}`, title, status, detail: when, instance, requestId: "k3v9-1f" };
}

export type { FieldError, ProblemDocument } from "./problem-schemas.ts";
