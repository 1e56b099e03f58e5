import Type, { type Static } from "typebox";
import { ALPHANUMERIC, type keyFields, keyLimits, SECRET_PATTERN, scopes } from "./key.ts";
import { NAME_PATTERN } from "./user.ts";
import { Id, Timestamp } from "./user-schemas.ts";

const Scope = Type.Enum([...scopes]);

/** So many requests in so many seconds: both what may come at once, and what may come in the long run. */
export const RateLimit = Type.Object(
  {
    requests: Type.Integer({ minimum: 1, maximum: keyLimits.requests }),
    seconds: Type.Integer({ minimum: 1, maximum: keyLimits.seconds }),
  },
  { description: "So many requests in so many seconds, as a token bucket." },
);
export type RateLimit = Static<typeof RateLimit>;

const orNull = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });
const Quota = Type.Integer({ minimum: 1, maximum: keyLimits.quota });

/** A key as the service answers it, without its secret. */
export const Key = Type.Object(
  {
    id: Id,
    name: Type.String({ minLength: 1, maxLength: keyLimits.nameCharacters, pattern: NAME_PATTERN }),
    prefix: Type.String({
      pattern: `^roster_${ALPHANUMERIC}{5}$`,
      description: "How the key begins: enough to recognise it.",
    }),
    scopes: Type.Array(Scope, { minItems: 1, uniqueItems: true }),
    createdAt: Timestamp("When the key was made."),
    expiresAt: orNull(Timestamp("When it ends, or ended, by itself."), "When it ends by itself."),
    revokedAt: orNull(Timestamp("When it was revoked."), "When it was revoked."),
    lastUsedAt: orNull(Timestamp("When it was last used."), "When it was last used, to a second or so."),
    rateLimit: orNull(RateLimit, "Its own rate; null for the service's."),
    quota: orNull(Quota, "Calls a calendar month (UTC); null for any number."),
    usage: Type.Object(
      {
        month: Type.String({ pattern: "^\\d{4}-\\d{2}$" }),
        requests: Type.Integer({ minimum: 0 }),
      },
      { description: "Calls in the current calendar month (UTC), to a second or so." },
    ),
  },
  { description: "A key, without its secret." },
);
export type Key = Static<typeof Key>;

/** The answer to the creation of a key. */
export const NewKey = Type.Object(
  {
    ...Key.properties,
    key: Type.String({
      pattern: `^${SECRET_PATTERN}$`,
      description: "The secret. It is in this answer only: nothing can show it again.",
    }),
  },
  { description: "A new key, with its secret." },
);
export type NewKey = Static<typeof NewKey>;

/** The body of POST /api/keys. */
export const KeyInput = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        pattern: "\\S",
        description: `What the key is for: 1 to ${keyLimits.nameCharacters} characters once trimmed. Needed unless the key replaces another.`,
      }),
    ),
    scopes: Type.Optional(
      Type.Array(Scope, {
        minItems: 1,
        uniqueItems: true,
        description:
          "What it may do: nothing that the caller may not do. Needed unless the key replaces another.",
      }),
    ),
    expiresAt: Type.Optional(
      orNull(
        Type.String({ format: "date-time", description: "A moment to come (RFC 3339)." }),
        "When it ends by itself; null for never.",
      ),
    ),
    rateLimit: Type.Optional(orNull(RateLimit, "A rate of its own; null for the service's.")),
    quota: Type.Optional(orNull(Quota, "Calls a calendar month (UTC); null for any number.")),
    replaces: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          "The id of a key that this one takes the place of. What is not sent is taken over from it.",
      }),
    ),
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: keyLimits.graceSeconds,
        description: "With `replaces`, and needed there: how long the old key goes on; 0 ends it at once.",
      }),
    ),
  } satisfies Record<(typeof keyFields)[number], Type.TSchema>,
  { additionalProperties: false, description: "A key to make." },
);
export type KeyInput = Static<typeof KeyInput>;

/** The body of POST /api/session. */
export const SessionInput = Type.Object(
  { key: Type.String({ description: "The key to trade for a cookie." }) },
  { additionalProperties: false, description: "A key to sign in with." },
);

/** Who is calling, and what they may do. */
export const Session = Type.Object(
  {
    auth: Type.Enum(["open", "off", "key", "session"], {
      description:
        "How the caller was let in: `open` and `off` where no key is asked for, else by a key or by a session.",
    }),
    key: Type.Union([Type.Object({ id: Type.Integer({ minimum: 0 }), name: Type.String() }), Type.Null()], {
      description: "The caller's key, if it has one; 0 is the one that the service was started with.",
    }),
    scopes: Type.Array(Scope),
    expiresAt: orNull(Timestamp("When the session ends."), "When the session ends, if there is one."),
  },
  { description: "Who is calling." },
);
export type Session = Static<typeof Session>;
