import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { ApiError, type FieldType, type Json } from "../../client/index.ts";
import { fieldType, isStoredAsCustom } from "../../contract/users/user-fields.ts";
import {
  type FieldSpec,
  noSchemaFields,
  type SchemaFields,
  toFieldSpec,
  toSchemaFields,
} from "../fields/field-spec.ts";
import { queryClient, roster } from "../lib/api.ts";
import { fieldLabel } from "./fields.ts";

/** A custom field of the directory. */
export interface FieldInfo {
  readonly name: string;
  readonly types: readonly FieldType[];
  /** The types that the schema allows, if it names any. */
  readonly schemaTypes?: readonly string[] | undefined;
  /** What the schema says about it. */
  readonly spec?: FieldSpec | undefined;
}

/** What kind of values a field has. It decides which filters make sense. */
export type FieldKind = "text" | "number" | "boolean" | "date" | "list" | "object";

/** The custom fields of the directory: those of the schema first, in its order, then fields with simple values, by name. */
export const fieldsQuery = queryOptions({
  queryKey: ["fields"],
  queryFn: async ({ signal }): Promise<FieldInfo[]> => {
    const [found, { specs }] = await Promise.all([
      roster.fields.list({ signal }),
      queryClient.fetchQuery(schemaFieldsQuery),
    ]);
    const names = new Map(found.map((field) => [field.name, field]));
    const fromSchema = specs.map((spec) => ({
      ...(names.get(spec.name) ?? { name: spec.name, types: [] }),
      schemaTypes: spec.types,
      spec,
    }));
    const declared = new Set(specs.map(({ name }) => name));
    const others = found.filter(({ name }) => !declared.has(name));
    return [
      ...fromSchema,
      ...others.filter(({ types }) => !isComposite(types)),
      ...others.filter(({ types }) => isComposite(types)),
    ];
  },
});

/** The custom fields that the schema describes. None if the key may not read the schema. */
export const schemaFieldsQuery = queryOptions({
  queryKey: ["schema", "fields"],
  queryFn: async ({ signal }): Promise<SchemaFields> => {
    try {
      return toSchemaFields((await roster.schema.get({ signal })).schema);
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return noSchemaFields;
      throw error;
    }
  },
});

/** After a change of the schema. */
export async function reloadFields(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: schemaFieldsQuery.queryKey });
  await queryClient.invalidateQueries({ queryKey: fieldsQuery.queryKey });
}

export function useFields(): readonly FieldInfo[] | undefined {
  return useQuery(fieldsQuery).data;
}

/** What the schema says about custom fields. None if it cannot be loaded, undefined until it has arrived. */
export function useSpecs(): readonly FieldSpec[] | undefined {
  const { data, isFetched } = useQuery(schemaFieldsQuery);
  return data?.specs ?? (isFetched ? noSchemaFields.specs : undefined);
}

/** The label of a field in tables, filters and forms. */
export function useFieldLabel(): (field: string) => string {
  const specs = useSpecs();
  return useMemo(() => {
    const byName = new Map(specs?.map((spec) => [spec.name, spec]));
    return (field) => fieldLabel(field, byName.get(field));
  }, [specs]);
}

/** Up to 100 values of a custom field that start with the text. */
export const fieldValuesQuery = (field: string, prefix: string) =>
  queryOptions({
    queryKey: ["fields", field, "values", prefix],
    queryFn: ({ signal }) => roster.fields.values(field, { prefix, signal }),
    enabled: field !== "" && isStoredAsCustom(field),
  });

/** The same values, with the number of users who have each. */
export const valueCountsQuery = (field: string, prefix: string) =>
  queryOptions({
    queryKey: ["fields", field, "counts", prefix],
    queryFn: ({ signal }) => roster.fields.countValues(field, { prefix, signal }),
    enabled: isStoredAsCustom(field),
  });

/**
 * How forms show a field: as the schema says, as Roster defines it, or like the values that users have, of which
 * `samples` are some.
 */
export function specOf(field: string, info?: FieldInfo, samples: readonly Json[] = []): FieldSpec {
  if (info?.spec) return info.spec;
  const known = fieldType(field);
  if (known !== undefined) {
    const type = known === "boolean" || known === "object" ? known : "string";
    return toFieldSpec(field, { type, title: fieldLabel(field) }, false);
  }
  const found = samples.length > 0 ? typesOf(samples) : (info?.types ?? []);
  const types = found.filter((type) => type !== "null");
  if (types.length !== 1) return toFieldSpec(field, {}, false);
  const isEach = (test: (value: Json) => boolean) => samples.length > 0 && samples.every(test);
  const areTexts = (pattern: RegExp) => isEach((value) => typeof value === "string" && pattern.test(value));
  const isText = (value: Json) => typeof value === "string";
  return toFieldSpec(
    field,
    {
      type: types[0],
      ...(areTexts(DAY) && { format: "date" }),
      ...(areTexts(INSTANT) && { format: "date-time" }),
      ...(isEach((value) => Array.isArray(value) && value.every(isText)) && { items: { type: "string" } }),
    },
    false,
  );
}

/** The types of these values, each once. */
export function typesOf(values: readonly Json[]): FieldType[] {
  return [...new Set(values.map(typeOf))];
}

function typeOf(value: Json): FieldType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** `values` are some of the field's values: texts in the form of dates are dates. */
export function fieldKind(
  field: string,
  types: readonly FieldType[] = [],
  values: readonly unknown[] = [],
): FieldKind {
  const type = fieldType(field);
  if (type !== undefined) return type === "time" ? "date" : type;
  const present = types.filter((type) => type !== "null");
  if (present.length !== 1) return "text";
  if (present[0] === "number" || present[0] === "boolean" || present[0] === "object") return present[0];
  if (present[0] === "array") return "list";
  return values.length > 0 && values.every((value) => typeof value === "string" && DATE.test(value))
    ? "date"
    : "text";
}

const DATE = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/;

export const isComposite = (types: readonly FieldType[]) =>
  types.includes("object") || types.includes("array");
