import Type from "typebox";
import type { JsonObject } from "./json.ts";
import type { JsonSchema } from "./json-schema.ts";
import { Integer, Timestamp } from "./scalars.ts";
import { CREDENTIAL_PATTERN, FIELD_NAME_PATTERN, prototypeNames } from "./users/field-name.ts";
import { NAME_PATTERN, TEXT_PATTERN, untrimmedNamePattern, userLimits } from "./users/user.ts";

/** Without a name of its own: hey-api would generate a type that has only custom fields. */
const fieldNames = (forbidden: JsonSchema) => ({
  propertyNames: { type: "string", pattern: FIELD_NAME_PATTERN, not: forbidden },
});

/** The custom fields of a record in a response. */
export const storedFields = { additionalProperties: true, ...fieldNames({ enum: [...prototypeNames] }) };

export const storedName = (maxCharacters: number) =>
  Type.String({ minLength: 1, maxLength: maxCharacters, pattern: NAME_PATTERN });

/** The fields that end a record. `one` is what a record is called: `user`. */
export const versionFields = (one: string) => ({
  version: Integer({
    minimum: 1,
    description: "Starts at 1 and grows by 1 with each change. The ETag.",
  }),
  createdAt: Timestamp(`When the ${one} was created.`),
  updatedAt: Timestamp(`When the ${one} last changed.`),
});

export const listedDescription = (one: string) =>
  `A ${one} in a list. With \`fields\`, only \`id\`, \`version\` and these fields.`;

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

/** The custom fields of a request body. */
export const inputFields = (forbidden: readonly string[]) => ({
  additionalProperties: CustomValue,
  ...fieldNames({ anyOf: [{ enum: [...forbidden] }, { pattern: CREDENTIAL_PATTERN }] }),
});

/** The name of a record in a request body. */
export const inputName = (maxCharacters: number) =>
  Type.String({
    pattern: untrimmedNamePattern(maxCharacters),
    description: `1 to ${maxCharacters} characters, without control characters. Spaces around it are removed.`,
  });

/** Generators of clients take an object without `additionalProperties` to be empty. */
const anyObject = (description?: string) =>
  Object.assign(Type.Unsafe<JsonObject>({}), {
    type: "object",
    additionalProperties: true,
    ...(description && { description }),
  });

/** What SCIM sends, in a response. */
export const storedScim = Type.Optional(
  anyObject("What SCIM clients send and has no other field. Programs that do not use SCIM leave it out."),
);

/** What SCIM sends, in a request body. */
export const inputScim = Type.Optional(
  Type.Union([anyObject(), Type.Null()], {
    description: "An object, or null for none. For what SCIM sends and has no other field.",
  }),
);

/** A field that only the service writes, in a request body. */
export const ignored = Type.Optional(Type.Unknown({ description: "Ignored." }));

/** The fields of every record that only the service writes, in a request body. */
export const ignoredRecordFields = {
  id: Type.Optional(
    Type.Unknown({ description: "Ignored, but must match the id in the path, unless it is null." }),
  ),
  version: ignored,
  createdAt: ignored,
  updatedAt: ignored,
};

/** What POST and PUT send. */
export const WHOLE_RECORD =
  "The whole record. Other top-level fields are custom fields, stored and returned as sent.";

/** What PATCH sends. */
export const RECORD_PATCH =
  "Omitted fields stay, null removes a field, and objects are merged member by member.";
