import Type from "typebox";
import { vary } from "../headers.ts";
import { mediaTypes, type Operation } from "../operation.ts";
import { Flag, withDefault } from "../scalars.ts";
import { CustomField, FieldName, fieldLimits } from "./field-schemas.ts";
import { TEXT_PATTERN } from "./user.ts";

/** Operations on custom fields. */
export const fieldOperations = {
  listFields: {
    id: "listFields",
    method: "GET",
    path: "/api/fields",
    tag: "users",
    access: ["users:read"],
    summary: "List custom fields",
    description: `Lists the custom fields that users have, with the types of their values, in the order of their names: at most ${fieldLimits.fields}. Fields inside objects are not listed.`,
    parameters: [],
    list: [],
    responses: {
      200: {
        description: "The custom fields.",
        headers: { Vary: vary },
        body: {
          type: mediaTypes.json,
          schema: Type.Array(CustomField),
          examples: {
            fields: [
              { name: "department", types: ["string"] },
              { name: "level", types: ["number", "string"] },
            ],
          },
        },
      },
    },
    problems: [],
  },
  listFieldValues: {
    id: "listFieldValues",
    method: "GET",
    path: "/api/fields/{name}/values",
    tag: "users",
    access: ["users:read"],
    summary: "List the values of a custom field",
    description: `Lists up to ${fieldLimits.values} different values of a custom field in order: numbers, then texts, then booleans. Texts that differ only in case count as one value. The elements of arrays are values of the field. Texts of more than ${fieldLimits.textCharacters} characters are left out. With \`counts=true\`, each value comes with the number of users who have it.`,
    parameters: [
      {
        in: "path",
        name: "name",
        description: "The name of a custom field.",
        schema: FieldName,
        required: true,
        notFound: "field-not-found",
        correction: "This is not a valid name of a custom field.",
        example: "department",
      },
      {
        in: "query",
        name: "prefix",
        description: "Lists only texts that start with this text, ignoring case.",
        schema: withDefault(
          Type.String({ maxLength: fieldLimits.prefixCharacters, pattern: TEXT_PATTERN }),
          "",
        ),
        example: "eng",
      },
      {
        in: "query",
        name: "counts",
        description: `Whether each item is an object with \`value\`, \`count\` and \`capped\`. Roster examines at most ${fieldLimits.countedEntries} entries of the index, as many for each value, and counts up to ${fieldLimits.count} users: if \`capped\` is true, at least so many users have the value.`,
        schema: Flag,
      },
    ],
    list: [],
    responses: {
      200: {
        description: "The values. Empty if no user has the field.",
        headers: { Vary: vary },
        body: {
          type: mediaTypes.json,
          // Without a type: generators make a union hard to use.
          schema: Type.Array(
            Type.Unknown({
              description:
                "A number, a text or a boolean. With `counts=true`: an object with the value in `value`, the number of users in `count`, and in `capped` whether there may be more.",
            }),
            { maxItems: fieldLimits.values },
          ),
          examples: {
            departments: ["engines", "research"],
            counted: [
              { value: "engines", count: 12, capped: false },
              { value: "research", count: fieldLimits.count, capped: true },
            ],
          },
        },
      },
    },
    problems: ["invalid-query", "field-not-found"],
  },
} as const satisfies Record<string, Operation>;
