import type { JsonObject } from "../json-schema.ts";
import { isCustomField } from "./user-fields.ts";

/** The custom fields that a schema describes, as JSON Schemas without references. */
export interface DescribedFields {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  /** Whether users can have other custom fields. */
  readonly allowsOthers: boolean;
}

/**
 * Adds custom fields to the schemas of users. None is required in a response: users that existed before the schema need not
 * have it. A merge patch can have null for any field, so its schema stays as it is.
 */
export function addDescribedFields(
  schemas: JsonObject,
  { properties, required, allowsOthers }: DescribedFields,
): JsonObject {
  const withFields = (name: string, more: JsonObject = {}): JsonObject => {
    const schema: JsonObject = { ...Object(schemas[name]) };
    return { ...schema, properties: { ...Object(schema.properties), ...properties }, ...more };
  };
  const { required: ownRequired } = withFields("UserInput");
  const needed = required.filter((name) => Object(properties[name]).default === undefined);
  return {
    ...schemas,
    User: withFields("User"),
    ListedUser: withFields("ListedUser"),
    UserInput: withFields("UserInput", {
      required: [...(Array.isArray(ownRequired) ? ownRequired : []), ...needed],
      ...(!allowsOthers && { additionalProperties: false }),
    }),
  };
}

/** Whether an example of one user or several, of this schema, agrees with the custom fields. */
export function agreesWithFields(
  example: unknown,
  schema: string | undefined,
  { properties, required, allowsOthers }: DescribedFields,
): boolean {
  const isInput = schema === "UserInput";
  if (!isInput && schema !== "User" && schema !== "ListedUser") return true;
  return [example].flat().every((user: unknown) => {
    const names = Object.keys(Object(user));
    if (isInput && !required.every((name) => names.includes(name))) return false;
    // Whether a value is valid is not checked.
    return names.every(
      (name) => !isCustomField(name) || (!(name in properties) && (allowsOthers || !isInput)),
    );
  });
}
