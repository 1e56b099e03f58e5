import type { Json, JsonSchema } from "../../client/index.ts";
import { isObject } from "../../contract/json.ts";
import { isCustomField } from "../../contract/users/user-fields.ts";
import { schema as texts } from "../texts/schema.ts";
import { type FieldInfo, specOf } from "../users/field-info.ts";
import { parseJson } from "../users/json-parser.ts";
import { type FieldRow, findRowErrors, newRow, type RowError, toProperty, toRow } from "./field-row.ts";

/** The form's input: fields with what they don't show, or JSON. */
export type SchemaDraft =
  | {
      readonly form: "fields";
      /** Everything of the schema that is not in `rows` and `others`. */
      readonly base: JsonSchema;
      readonly rows: readonly FieldRow[];
      /** Whether users can have fields that the schema does not list. "schema": the schema restricts them. */
      readonly others: boolean | "schema";
    }
  | { readonly form: "json"; readonly text: string };

export type FieldsDraft = Extract<SchemaDraft, { form: "fields" }>;

export function toFieldsDraft(schema: JsonSchema): FieldsDraft {
  const { properties, required, additionalProperties = true } = schema;
  const requiredNames = new Set<unknown>(Array.isArray(required) ? required : []);
  const rows = Object.entries(isObject(properties) ? properties : {}).map(([name, property]) =>
    toRow(name, property, requiredNames.has(name)),
  );
  const others = typeof additionalProperties === "boolean" ? additionalProperties : "schema";
  return { form: "fields", base: schema, rows, others };
}

export type ParsedDraft =
  | { readonly schema: JsonSchema; readonly error?: never; readonly rowErrors?: never }
  | {
      readonly schema?: never;
      readonly error: string | undefined;
      /** By the key of the row. */
      readonly rowErrors: ReadonlyMap<number, readonly RowError[]>;
    };

/** The schema of a draft, or the errors that make one impossible. The service checks everything else. */
export function parseDraft(draft: SchemaDraft): ParsedDraft {
  if (draft.form === "json") {
    const parsed = parseJson(draft.text);
    if (parsed.error !== undefined) return { error: parsed.error, rowErrors: new Map() };
    if (!isObject(parsed.value)) return { error: texts.errors.object, rowErrors: new Map() };
    return { schema: parsed.value };
  }
  const rowErrors = new Map<number, readonly RowError[]>();
  for (const row of draft.rows) {
    const errors = findRowErrors(row, draft.rows);
    if (errors.length > 0) rowErrors.set(row.key, errors);
  }
  return rowErrors.size > 0 ? { error: undefined, rowErrors } : { schema: toSchema(draft) };
}

/** Shows the draft in the other form. Undefined if the draft has errors. */
export function convertDraft(draft: SchemaDraft): SchemaDraft | undefined {
  const { schema } = parseDraft(draft);
  if (!schema) return undefined;
  if (draft.form === "json") return toFieldsDraft(schema);
  return { form: "json", text: JSON.stringify(schema, null, 2) };
}

/** A field of the directory, with some of its values. */
interface SampledField extends FieldInfo {
  readonly samples: readonly Json[];
}

/** A draft with these fields. */
export function draftFromFields(fields: readonly SampledField[]): FieldsDraft {
  const rows = fields
    .filter(({ name }) => isCustomField(name))
    .map((field) => {
      const { name, types, samples } = field;
      const known = types.filter((type) => type !== "null");
      if (known.length !== 1) return toRow(name, {}, false);
      const type = known.length < types.length ? [...known, "null"] : known;
      const { keywords } = specOf(name, field, samples);
      return toRow(name, { ...keywords, type: type.length === 1 ? known[0] : type }, false);
    });
  return { form: "fields", base: {}, rows, others: true };
}

export const emptyDraft = (): FieldsDraft => ({ form: "fields", base: {}, rows: [newRow()], others: true });

/** Keeps the order of the keywords in the base, and everything that the form does not show. */
function toSchema({ base, rows, others }: FieldsDraft): JsonSchema {
  const names = new Set(rows.map(({ name }) => name.trim()));
  const before = isObject(base.properties) ? Object.keys(base.properties) : [];
  const unlisted = (Array.isArray(base.required) ? base.required : []).filter(
    (name: unknown) => typeof name === "string" && !names.has(name) && !before.includes(name),
  );
  const required = [...rows.filter((row) => row.required).map(({ name }) => name.trim()), ...unlisted];
  const schema: Record<string, unknown> = { ...base };
  setKeyword(schema, "properties", Object.fromEntries(rows.map((row) => [row.name.trim(), toProperty(row)])));
  setKeyword(schema, "required", required.length > 0 ? required : undefined);
  if (others === false) setKeyword(schema, "additionalProperties", false);
  else if (others === true && base.additionalProperties === false) delete schema.additionalProperties;
  return schema;
}

function setKeyword(schema: Record<string, unknown>, keyword: string, value: unknown): void {
  if (value === undefined) delete schema[keyword];
  else schema[keyword] = value;
}
