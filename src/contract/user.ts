import Type, { type Static } from "typebox";

/** A JSON value, as a caller may put into a record. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Every bound on a record. The schemas below, the checks and the docs all read them from here. */
export const limits = {
  nameCharacters: 200,
  emailCharacters: 254,
  recordBytes: 16 * 1024,
  nestingLevels: 64,
  bodyBytes: 64 * 1024,
} as const;

/** Control characters, as the inside of a character class. */
const CONTROL = "\\u0000-\\u001f\\u007f-\\u009f";
/** A run of characters that may stand between the dots and the @ of an address. */
const ATOM = `[^\\s@.,:;<>()"\\[\\]\\\\${CONTROL}]+`;

export const FIELD_NAME = "^[A-Za-z][A-Za-z0-9_]{0,63}$";
export const NAME = `^[^${CONTROL}]*$`;
export const EMAIL = `^${ATOM}(\\.${ATOM})*@${ATOM}(\\.${ATOM})*$`;

/** Fields that only the service writes; ignored in a body, so that a record can be read and sent back whole. */
export const managedFields = ["id", "version", "createdAt", "updatedAt"] as const;

/** Roster keeps no credentials: as top-level fields these are refused. */
export const credentialFields = ["password", "passwd", "secret", "token", "apiKey"] as const;

/** Names that could reach an object's prototype in some caller's program: refused at any depth. */
export const hazardousNames = ["__proto__", "constructor", "prototype"] as const;

export const Id = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "Given by the service, in order, and never given twice.",
});

/** A moment, as the service writes it. */
export const Timestamp = (description: string) =>
  Type.String({
    format: "date-time",
    pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$",
    description,
  });

const fieldNames = {
  propertyNames: { pattern: FIELD_NAME, not: { enum: [...credentialFields, ...hazardousNames] } },
};

/** A user as the service answers it. The record is open: the caller's own fields stand beside these. */
export const User = Type.Object(
  {
    id: Id,
    name: Type.String({ minLength: 1, maxLength: limits.nameCharacters, pattern: NAME }),
    email: Type.Optional(
      Type.String({
        maxLength: limits.emailCharacters,
        pattern: EMAIL,
        description: "Unique without regard to case; kept as it was written. Absent when there is none.",
      }),
    ),
    version: Type.Integer({ minimum: 1, description: "1 at creation, one more with each change. The ETag." }),
    createdAt: Timestamp("When the user was created."),
    updatedAt: Timestamp("When the user last changed."),
  },
  { additionalProperties: true, ...fieldNames, description: "A user, with the caller's own fields." },
);

/** What the caller decides about a user: its name, its email, and any fields of its own, in that order. */
export type UserRecord = { name: string; email?: string } & { [field: string]: Json };

export type User = Static<typeof User>;

const writtenName = Type.String({
  pattern: "\\S",
  description: `1 to ${limits.nameCharacters} characters once the spaces around it are trimmed, and no control characters.`,
});
const writtenEmail = Type.Union([User.properties.email, Type.Null()], {
  description: "An address that no other user has, or null for none.",
});

/** The body of POST and PUT. */
export const UserInput = Type.Object(
  { name: writtenName, email: Type.Optional(writtenEmail) },
  {
    additionalProperties: true,
    ...fieldNames,
    description:
      "The whole record. Other top-level fields are kept and returned as sent; `id`, `version`, `createdAt` and `updatedAt` are ignored.",
  },
);

/** The body of PATCH: a JSON Merge Patch (RFC 7396). */
export const UserPatch = Type.Object(
  { name: Type.Optional(writtenName), email: Type.Optional(writtenEmail) },
  {
    additionalProperties: true,
    ...fieldNames,
    description: "What is not sent stays; null removes a field; objects merge member by member.",
  },
);
