import Type, { type Static } from "typebox";
import { FIELD_NAME_PATTERN } from "./field-name.ts";

/** The types of custom fields, in the order in which responses list them. */
export const fieldTypes = ["number", "string", "boolean", "null", "object", "array"] as const;

export const fieldLimits = {
  /** The most fields that `GET /api/fields` returns. */
  fields: 1000,
  /** The most values that `GET /api/fields/{name}/values` returns. */
  values: 100,
  /** The most users that a count of one value reports, and the most entries of the index that one request counts. */
  count: 10_000,
  countedEntries: 100_000,
  prefixCharacters: 100,
  /** Longer texts are not in the list of values. */
  textCharacters: 250,
} as const;

export const FieldName = Type.String({ pattern: FIELD_NAME_PATTERN });

export const FieldType = Type.Enum([...fieldTypes], { type: "string" });

/** A custom field that some user has. */
export const CustomField = Type.Object(
  {
    name: FieldName,
    types: Type.Array(FieldType, { minItems: 1, description: "The types of its values." }),
  },
  { description: "A custom field in use." },
);
export type CustomField = Static<typeof CustomField>;

export type FieldValue = number | string | boolean;

/** A value, and how many users have it: at least so many if `capped`. */
export interface CountedFieldValue {
  readonly value: FieldValue;
  readonly count: number;
  readonly capped: boolean;
}
