import { queryOptions, useQuery } from "@tanstack/react-query";
import type { FieldType } from "../../client/index.ts";
import { fieldType, isStoredAsCustom } from "../../contract/users/user-fields.ts";
import { roster } from "../lib/api.ts";

/** A custom field of the directory. */
export interface FieldInfo {
  readonly name: string;
  readonly types: readonly FieldType[];
  /** The types that the schema allows, if it names any. */
  readonly schemaTypes?: readonly string[] | undefined;
}

/** What kind of values a field has. It decides which filters make sense. */
export type FieldKind = "text" | "number" | "boolean" | "date" | "list" | "object";

/** The custom fields of the directory: those of the schema first, in its order, then fields with simple values, by name. */
export const fieldsQuery = queryOptions({
  queryKey: ["fields"],
  queryFn: async ({ signal }): Promise<FieldInfo[]> => {
    const [found, declared] = await Promise.all([roster.fields.list({ signal }), readDeclaredFields(signal)]);
    const names = new Map(found.map((field) => [field.name, field]));
    const fromSchema = [...declared].map(([name, schemaTypes]) => ({
      ...(names.get(name) ?? { name, types: [] }),
      schemaTypes,
    }));
    const others = found.filter(({ name }) => !declared.has(name));
    return [
      ...fromSchema,
      ...others.filter(({ types }) => !isComposite(types)),
      ...others.filter(({ types }) => isComposite(types)),
    ];
  },
});

export function useFields(): readonly FieldInfo[] | undefined {
  return useQuery(fieldsQuery).data;
}

/** Up to 100 values of a custom field that start with the text. */
export const fieldValuesQuery = (field: string, prefix: string) =>
  queryOptions({
    queryKey: ["fields", field, "values", prefix],
    queryFn: ({ signal }) => roster.fields.values(field, { prefix, signal }),
    enabled: field !== "" && isStoredAsCustom(field),
  });

/** `values` are some of the field's values: texts in the form of dates are dates. */
export function fieldKind(
  field: string,
  types: readonly FieldType[] = [],
  values: readonly unknown[] = [],
): FieldKind {
  const type = fieldType(field);
  if (type === "time") return "date";
  if (type === "number") return "number";
  const present = types.filter((type) => type !== "null");
  if (present.length !== 1) return "text";
  if (present[0] === "number" || present[0] === "boolean" || present[0] === "object") return present[0];
  if (present[0] === "array") return "list";
  return values.length > 0 && values.every((value) => typeof value === "string" && DATE.test(value))
    ? "date"
    : "text";
}

const DATE = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/;

const isComposite = (types: readonly FieldType[]) => types.includes("object") || types.includes("array");

/** The custom fields of the schema, with their types. */
async function readDeclaredFields(signal: AbortSignal): Promise<Map<string, readonly string[]>> {
  try {
    const { schema } = await roster.schema.get({ signal });
    const properties = typeof schema === "object" && schema !== null ? schema["properties"] : undefined;
    const fields = typeof properties === "object" && properties !== null ? Object.entries(properties) : [];
    return new Map(
      fields.filter(([name]) => isStoredAsCustom(name)).map(([name, field]) => [name, readTypes(field)]),
    );
  } catch {
    // The key may not read the schema. The fields that users have are enough.
    return new Map();
  }
}

function readTypes(field: unknown): readonly string[] {
  const type = typeof field === "object" && field !== null && "type" in field ? field.type : undefined;
  return [type].flat().filter((name) => typeof name === "string");
}
