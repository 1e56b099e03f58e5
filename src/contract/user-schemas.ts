import Type, { type Static } from "typebox";

import {
  credentialFields,
  EMAIL_PATTERN,
  FIELD_NAME_PATTERN,
  NAME_PATTERN,
  prototypeNames,
  userLimits,
} from "./user.ts";

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
  propertyNames: { pattern: FIELD_NAME_PATTERN, not: { enum: [...credentialFields, ...prototypeNames] } },
};

/** A user as the service answers it. The record is open: the caller's own fields stand beside these. */
export const User = Type.Object(
  {
    id: Id,
    name: Type.String({ minLength: 1, maxLength: userLimits.nameCharacters, pattern: NAME_PATTERN }),
    email: Type.Optional(
      Type.String({
        maxLength: userLimits.emailCharacters,
        pattern: EMAIL_PATTERN,
        description: "Unique without regard to case; kept as it was written. Absent when there is none.",
      }),
    ),
    version: Type.Integer({ minimum: 1, description: "1 at creation, one more with each change. The ETag." }),
    createdAt: Timestamp("When the user was created."),
    updatedAt: Timestamp("When the user last changed."),
  },
  { additionalProperties: true, ...fieldNames, description: "A user, with the caller's own fields." },
);
export type User = Static<typeof User>;

const writtenName = Type.String({
  pattern: "\\S",
  description: `1 to ${userLimits.nameCharacters} characters once the spaces around it are trimmed, and no control characters.`,
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
