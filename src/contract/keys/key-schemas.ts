import Type, { type Static } from "typebox";
import { Id, Integer, orNull, Timestamp } from "../scalars.ts";
import { NAME_PATTERN, untrimmedNamePattern } from "../users/user.ts";
import { ALPHANUMERIC, keyFields, keyLimits, SECRET_PATTERN, scopes } from "./key.ts";

export const Scope = Type.Enum([...scopes], {
  type: "string",
  description: "What an API key can do.",
});

const rateLimitProperties = {
  requests: Integer({ minimum: 1, maximum: keyLimits.requests }),
  seconds: Integer({ minimum: 1, maximum: keyLimits.seconds }),
};
const rateLimitDescription = "A token bucket: this many requests per this many seconds.";

/** The number of requests that can come at once, and per period in the long run. */
export const RateLimit = Type.Object(rateLimitProperties, { description: rateLimitDescription });
export type RateLimit = Static<typeof RateLimit>;

export const RateLimitInput = Type.Object(rateLimitProperties, {
  additionalProperties: false,
  description: rateLimitDescription,
});

const Quota = Integer({ minimum: 1, maximum: keyLimits.quota });

export const KeyUsage = Type.Object(
  {
    month: Type.String({ pattern: "^\\d{4}-\\d{2}$" }),
    requests: Integer({ minimum: 0 }),
  },
  { description: "Requests in the current calendar month (UTC), accurate to about a second." },
);

/** An API key in a response, without its secret. */
export const Key = Type.Object(
  {
    id: Id,
    name: Type.String({ minLength: 1, maxLength: keyLimits.nameCharacters, pattern: NAME_PATTERN }),
    prefix: Type.String({
      pattern: `^roster_${ALPHANUMERIC}{5}$`,
      description: "The first characters of the secret, to recognize the key by.",
    }),
    scopes: Type.Array(Scope, { minItems: 1, uniqueItems: true }),
    createdAt: Timestamp("When the key was created."),
    expiresAt: orNull(Timestamp("When the key expires or expired."), "When the key expires. Null for never."),
    revokedAt: orNull(
      Timestamp("When the key was revoked."),
      "When the key was revoked. Null if it was not.",
    ),
    lastUsedAt: orNull(
      Timestamp("When the key was last used."),
      "When the key was last used, accurate to about a second. Null if it was never used.",
    ),
    rateLimit: orNull(RateLimit, "The key's own rate limit. Null for the service's default."),
    quota: orNull(Quota, "Requests per calendar month (UTC). Null for no quota."),
    usage: KeyUsage,
  },
  { description: "An API key, without its secret." },
);
export type Key = Static<typeof Key>;

/** The response to POST /api/keys. */
export const CreatedKey = Type.Object(
  {
    ...Key.properties,
    key: Type.String({
      pattern: `^${SECRET_PATTERN}$`,
      description: "The secret. Only this response contains it.",
    }),
  },
  { description: "A new API key, with its secret." },
);
export type CreatedKey = Static<typeof CreatedKey>;

/** Linters want each part of a conditional schema to name every property. */
const anyKeyFields = Object.fromEntries(keyFields.map((field) => [field, {}]));

/** The body of POST /api/keys. */
export const KeyInput = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        pattern: untrimmedNamePattern(keyLimits.nameCharacters),
        description: `What the key is for: 1 to ${keyLimits.nameCharacters} characters, without control characters. Spaces around it are removed. Required unless \`replaces\` is sent.`,
      }),
    ),
    scopes: Type.Optional(
      Type.Array(Scope, {
        minItems: 1,
        uniqueItems: true,
        description:
          "What the key can do. You can only grant scopes that your own key has. Required unless `replaces` is sent.",
      }),
    ),
    expiresAt: Type.Optional(
      orNull(
        Type.String({
          format: "date-time",
          pattern:
            "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])[Tt]([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)$",
          description: "A time in the future (RFC 3339).",
        }),
        "When the key expires. Null for never.",
      ),
    ),
    rateLimit: Type.Optional(
      orNull(RateLimitInput, "The key's own rate limit. Null for the service's default."),
    ),
    quota: Type.Optional(orNull(Quota, "Requests per calendar month (UTC). Null for no quota.")),
    replaces: Type.Optional(
      Integer({
        minimum: 1,
        description: "The id of the key that this key replaces. Omitted fields are copied from that key.",
      }),
    ),
    graceSeconds: Type.Optional(
      Integer({
        minimum: 0,
        maximum: keyLimits.graceSeconds,
        description:
          "How long the replaced key stays active. 0 expires it at once. Required with `replaces`, and only allowed with it.",
      }),
    ),
  } satisfies Record<(typeof keyFields)[number], Type.TSchema>,
  {
    additionalProperties: false,
    if: { properties: anyKeyFields, required: ["replaces"] },
    else: { properties: anyKeyFields, required: ["name", "scopes"] },
    dependentRequired: { replaces: ["graceSeconds"], graceSeconds: ["replaces"] },
    description: "An API key to create.",
  },
);
export type KeyInput = Static<typeof KeyInput>;

/** The body of POST /api/session. */
export const SessionInput = Type.Object(
  { key: Type.String({ description: "The secret of the API key to sign in with." }) },
  { additionalProperties: false, description: "An API key to sign in with." },
);

export const Authentication = Type.Enum(["open", "off", "key", "session", "token"], {
  type: "string",
  description:
    "How the caller was authenticated: by a `key`, a `session` or an access `token`, or not at all because the service needs no key (`open` or `off`).",
});

export const CallerKey = Type.Object(
  { id: Integer({ minimum: 0 }), name: Type.String() },
  { description: "The id and the name of an API key. Id 0 is the key in ROSTER_API_KEY." },
);

/** The caller and its scopes. */
export const Session = Type.Object(
  {
    auth: Authentication,
    key: orNull(CallerKey, "The caller's API key, or null."),
    scopes: Type.Array(Scope),
    expiresAt: orNull(
      Timestamp("When the session or the access token ends."),
      "When the session or the access token ends. Null without one.",
    ),
    deletedDays: Integer({
      minimum: 0,
      description: "For how many days the service keeps deleted users. 0: it keeps none.",
    }),
  },
  { description: "The caller of this request." },
);
export type Session = Static<typeof Session>;

/** The response to POST /api/session. */
export const CreatedSession = Type.Object(
  {
    ...Session.properties,
    token: Type.String({
      pattern: "^[A-Za-z0-9_-]{86}$",
      description:
        "The token of the session. Only this response contains it. Send it as X-Session-Token with every request of the session: the cookie alone is not enough.",
    }),
  },
  { description: "A new session, with its token." },
);
export type CreatedSession = Static<typeof CreatedSession>;
