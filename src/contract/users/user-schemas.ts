import Type, { type Static } from "typebox";
import type { JsonObject } from "../json.ts";
import type { JsonSchema } from "../json-schema.ts";
import { Id, Integer, Timestamp } from "../scalars.ts";
import { CREDENTIAL_PATTERN, FIELD_NAME_PATTERN, forbiddenFields, prototypeNames } from "./field-name.ts";
import { EMAIL_PATTERN, NAME_PATTERN, TEXT_PATTERN, untrimmedNamePattern, userLimits } from "./user.ts";
import type { ManagedField } from "./user-fields.ts";

/** Without a name of its own: hey-api would generate a type that has only custom fields. */
const fieldNames = (forbidden: JsonSchema) => ({
  propertyNames: { type: "string", pattern: FIELD_NAME_PATTERN, not: forbidden },
});
const storedFieldNames = fieldNames({ enum: [...prototypeNames] });
const inputFieldNames = fieldNames({
  anyOf: [{ enum: [...forbiddenFields] }, { pattern: CREDENTIAL_PATTERN }],
});
const email = {
  maxLength: userLimits.emailCharacters,
  description: "Unique, ignoring case. Stored as sent. Absent if the user has no email.",
};
/** Generators of clients take an object without `additionalProperties` to be empty. */
const anyObject = (description?: string) =>
  Object.assign(Type.Unsafe<JsonObject>({}), {
    type: "object",
    additionalProperties: true,
    ...(description && { description }),
  });
const userName = { minLength: 1, maxLength: userLimits.userNameCharacters, pattern: NAME_PATTERN };

/**
 * A user in a response. Custom fields stand beside these. Rules that came later apply to requests only: stored users can break
 * them.
 */
export const User = Type.Object(
  {
    id: Id,
    name: Type.String({ minLength: 1, maxLength: userLimits.nameCharacters, pattern: NAME_PATTERN }),
    email: Type.Optional(Type.String(email)),
    userName: Type.Optional(
      Type.String({
        ...userName,
        description:
          "What the user signs in with, if it is not the email. Unique, ignoring case, also among the emails of users without one. Stored as sent.",
      }),
    ),
    active: Type.Optional(
      Type.Boolean({
        description: "Absent means true. It has no other effect: you decide what an inactive user may do.",
      }),
    ),
    scim: Type.Optional(
      anyObject("What SCIM clients send and has no other field. Programs that do not use SCIM leave it out."),
    ),
    version: Integer({
      minimum: 1,
      description: "Starts at 1 and grows by 1 with each change. The ETag.",
    }),
    createdAt: Timestamp("When the user was created."),
    updatedAt: Timestamp("When the user last changed."),
  },
  { additionalProperties: true, ...storedFieldNames, description: "A user with its custom fields." },
);
export type User = Static<typeof User>;

/** A user that was deleted and can be restored. */
export const DeletedUser = Type.Object(
  { ...User.properties, deletedAt: Timestamp("When the user was deleted.") },
  { additionalProperties: true, ...storedFieldNames, description: "A deleted user with its custom fields." },
);

const { id, version, ...otherFields } = User.properties;

/** A user in a list: without `fields`, a whole `User`. */
export const ListedUser = Type.Object(
  { id, ...Type.Partial(Type.Object(otherFields)).properties, version },
  {
    additionalProperties: true,
    ...storedFieldNames,
    description: "A user in a list. With `fields`, only `id`, `version` and these fields.",
  },
);

/**
 * The value of a custom field. Each keyword applies to its own JSON type. Not a union and not recursive, because generators
 * make such a value hard to use: the rules for nested values are in the description only. Without a name, because orval makes
 * an empty interface of a named schema without a type.
 */
const CustomValue: JsonSchema = {
  description: `Any JSON value, nested at most ${userLimits.nestingLevels} levels deep. Strings must not contain U+0000 or half of a surrogate pair. Numbers beyond ±(2^53 − 1) are rejected: send them as strings. Objects must not have members called ${prototypeNames.map((name) => `\`${name}\``).join(", ")}. The same rules apply at every level.`,
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  pattern: TEXT_PATTERN,
  propertyNames: { type: "string", pattern: TEXT_PATTERN, not: { enum: [...prototypeNames] } },
};

const inputName = Type.String({
  pattern: untrimmedNamePattern(userLimits.nameCharacters),
  description: `1 to ${userLimits.nameCharacters} characters, without control characters. Spaces around it are removed.`,
});
const inputEmail = Type.Union([Type.String({ ...email, pattern: EMAIL_PATTERN }), Type.Null()], {
  description: "An email address that no other user has, or null for none.",
});
const inputUserName = Type.Union([Type.String(userName), Type.Null()], {
  description: `A name of 1 to ${userLimits.userNameCharacters} characters that no other user has, nor as email; or null for none: then the email is the user name.`,
});
const inputScim = Type.Union([anyObject(), Type.Null()], {
  description: "An object, or null for none. For what SCIM sends and has no other field.",
});
const inputActive = Type.Union([Type.Boolean(), Type.Null()], {
  description: "True or false. Null is the same as absent, which means true.",
});
const ignored = Type.Optional(Type.Unknown({ description: "Ignored." }));
const ignoredFields = {
  id: Type.Optional(
    Type.Unknown({ description: "Ignored, but must match the id in the path, unless it is null." }),
  ),
  version: ignored,
  createdAt: ignored,
  updatedAt: ignored,
  deletedAt: ignored,
} satisfies Record<ManagedField, unknown>;
const customFields = { additionalProperties: CustomValue, ...inputFieldNames };

/** The body of POST and PUT. */
export const UserInput = Type.Object(
  {
    name: inputName,
    email: Type.Optional(inputEmail),
    userName: Type.Optional(inputUserName),
    active: Type.Optional(inputActive),
    scim: Type.Optional(inputScim),
    ...ignoredFields,
  },
  {
    ...customFields,
    description: "The whole record. Other top-level fields are custom fields, stored and returned as sent.",
  },
);

/** The body of PATCH: a JSON Merge Patch (RFC 7396). */
export const UserPatch = Type.Object(
  {
    name: Type.Optional(inputName),
    email: Type.Optional(inputEmail),
    userName: Type.Optional(inputUserName),
    active: Type.Optional(inputActive),
    scim: Type.Optional(inputScim),
    ...ignoredFields,
  },
  {
    ...customFields,
    description: "Omitted fields stay, null removes a field, and objects are merged member by member.",
  },
);

/** The body of a restore. */
export const RestoreInput = Type.Object(
  { email: Type.Optional(inputEmail), userName: Type.Optional(inputUserName) },
  {
    additionalProperties: false,
    description: "Another email or user name for the user, or null for none.",
  },
);
