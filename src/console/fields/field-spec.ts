import type { Json, JsonSchema } from "../../client/index.ts";
import { isObject } from "../../contract/json.ts";
import { findNameError } from "../../contract/users/field-name.ts";
import { isCustomField } from "../../contract/users/user-fields.ts";

/** How a form shows a value. "any": with a choice of its type. */
export type ControlKind = "text" | "number" | "switch" | "select" | "date" | "date-time" | "tags" | "any";

/** Keywords of JSON Schema. */
export interface Keywords {
  readonly [keyword: string]: Json;
}

/** What forms know about a custom field. */
export interface FieldSpec {
  readonly name: string;
  /** The title, or the name if there is none. */
  readonly label: string;
  readonly description: string | undefined;
  readonly required: boolean;
  readonly control: ControlKind;
  /** The types that the field can have, without null. Empty: any. */
  readonly types: readonly string[];
  /** The allowed values of the field, or of the elements of a list. Empty: any. */
  readonly options: readonly Json[];
  /** What a new user gets for the field. */
  readonly default: Json | undefined;
  readonly keywords: Keywords;
}

/** The custom fields that a schema describes. */
export interface SchemaFields {
  /** Required fields first, then in the order of the schema. */
  readonly specs: readonly FieldSpec[];
  /** Whether users can have other fields too. */
  readonly allowsOthers: boolean;
}

export const noSchemaFields: SchemaFields = { specs: [], allowsOthers: true };

export function toSchemaFields(schema: JsonSchema): SchemaFields {
  const { properties, required, $defs, additionalProperties } = schema;
  const requiredNames = new Set<unknown>(Array.isArray(required) ? required : []);
  const described = Object.entries(isObject(properties) ? properties : {})
    .filter(([name]) => canDescribe(name))
    .map(([name, property]) => toFieldSpec(name, resolveReference(property, $defs), requiredNames.has(name)));
  // A required field need not be among the properties.
  const others = [...requiredNames]
    .filter((name) => typeof name === "string")
    .filter((name) => canDescribe(name) && !described.some((spec) => spec.name === name))
    .map((name) => toFieldSpec(name, {}, true));
  const specs = [...described, ...others];
  return {
    specs: [...specs.filter((spec) => spec.required), ...specs.filter((spec) => !spec.required)],
    allowsOthers: additionalProperties !== false,
  };
}

/** The service ignores other names in older schemas. */
const canDescribe = (name: string) => isCustomField(name) && findNameError(name) === undefined;

/** `property` is the schema of the field, without a reference. */
export function toFieldSpec(name: string, property: unknown, required: boolean): FieldSpec {
  const keywords: Keywords = isObject(property) ? property : {};
  const { title, description, default: value } = keywords;
  const types = typesOf(keywords);
  return {
    name,
    label: typeof title === "string" && title !== "" ? title : name,
    description: typeof description === "string" && description !== "" ? description : undefined,
    required,
    types,
    options: optionsOf(keywords),
    control: controlOf(keywords, types),
    default: value,
    keywords,
  };
}

/** A schema can name another one in `$defs`, with a title and a description beside it. */
function resolveReference(property: unknown, definitions: unknown): unknown {
  if (!isObject(property) || typeof property.$ref !== "string" || !isObject(definitions)) return property;
  const name = property.$ref
    .replace(/^#\/\$defs\//, "")
    .replaceAll("~1", "/")
    .replaceAll("~0", "~");
  const { $ref: _, ...beside } = property;
  const target = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  const resolved = resolveReference(target, definitions);
  return isObject(resolved) ? { ...resolved, ...beside } : property;
}

function typesOf({ type }: Keywords): string[] {
  const types: readonly (Json | undefined)[] = Array.isArray(type) ? type : [type];
  return types.filter((name) => typeof name === "string").filter((name) => name !== "null");
}

const isScalar = (value: Json) => typeof value !== "object" || value === null;

function optionsOf({ enum: values, const: only, items }: Keywords): readonly Json[] {
  if (only !== undefined) return [only];
  if (Array.isArray(values)) return values;
  return isObject(items) && Array.isArray(items.enum) ? items.enum : [];
}

function controlOf(keywords: Keywords, types: readonly string[]): ControlKind {
  const { enum: values, const: only, format, items } = keywords;
  if (only !== undefined || Array.isArray(values)) {
    return optionsOf(keywords).every(isScalar) ? "select" : "any";
  }
  if (types.length !== 1) return "any";
  switch (types[0]) {
    case "string":
      return format === "date" || format === "date-time" ? format : "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "switch";
    case "array":
      return isObject(items) && (items.type === "string" || isListOfTexts(items.enum)) ? "tags" : "any";
    default:
      return "any";
  }
}

function isListOfTexts(values: Json | undefined): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === "string");
}
