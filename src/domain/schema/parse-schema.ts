import { appendPointer, isObject, type Json, unescapeName } from "../../contract/json.ts";
import { SCHEMA_DIALECT, schemaLimits } from "../../contract/schema/schema.ts";
import type { DescribedFields } from "../../contract/users/described-fields.ts";
import { findNameError, isReservedName } from "../../contract/users/field-name.ts";
import { userLimits } from "../../contract/users/user.ts";
import { isCustomField } from "../../contract/users/user-fields.ts";
import { FieldErrors } from "../field-errors.ts";
import { finishSteps, type Steps } from "../scheduling/steps.ts";
import { annotations, keywordChecks } from "./keywords.ts";
import { LinearPattern } from "./linear-pattern.ts";
import { PatternError } from "./parse-pattern.ts";

/** A checked schema, with the targets of `$ref` in their place. */
export type SchemaNode = boolean | { readonly [keyword: string]: Json };

/** The schema of the custom fields. */
export interface FieldsSchema {
  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly required: readonly string[];
  /** The schema of all other fields. */
  readonly additional: SchemaNode;
  readonly uniqueFields: readonly string[];
}

const rootKeywords = new Set([
  "$schema",
  "$comment",
  "$defs",
  "title",
  "description",
  "type",
  "properties",
  "required",
  "additionalProperties",
]);
const uniqueTypes = new Set<Json>(["string", "integer", "number", "null"]);
const DEFINITION = /^#\/\$defs\/([^/]+)$/;

/** Checks a schema, and replaces `$ref`. Fails with `invalid-schema` and every error at once. */
export function parseSchema(document: unknown): FieldsSchema {
  return finishSteps(parseSchemaInSteps(document));
}

/** The same step by step: the schema of a caller can take tens of milliseconds, also if it is not valid. */
export function parseSchemaInSteps(document: unknown): Steps<FieldsSchema> {
  return new SchemaParser(document).parse();
}

const remembered = new Map<string, FieldsSchema>();
const MAX_REMEMBERED = 4;

/**
 * Parses a schema that is stored. Parses each of the last few only once. An older schema can name fields that the service has defined
 * since: what it says about them has no effect.
 */
export function parseStoredSchema(json: string): FieldsSchema {
  const parse = () => finishSteps(new SchemaParser(JSON.parse(json), { isStored: true }).parse());
  return remembered.get(json) ?? rememberSchema(json, parse());
}

/** Remembers the result of parsing a schema that will be stored. */
export function rememberSchema(json: string, schema: FieldsSchema): FieldsSchema {
  for (const oldest of remembered.keys()) {
    if (remembered.size < MAX_REMEMBERED) break;
    remembered.delete(oldest);
  }
  remembered.set(json, schema);
  return schema;
}

/** Names of required fields that are checked in one step. */
const STEP_NAMES = 100;

class SchemaParser {
  readonly #errors = new FieldErrors();
  readonly #document: unknown;
  /** Then names that no custom field can have are left out. */
  readonly #isStored: boolean;
  #definitions: { [name: string]: Json } = {};
  /** The definitions that are being replaced. */
  readonly #open: string[] = [];
  #subschemas = 0;
  #patternStates = 0;
  /** The states of each valid pattern, and what is wrong with the others. Many fields can use the same definition. */
  readonly #patterns = new Map<string, number | string>();

  constructor(document: unknown, { isStored = false } = {}) {
    this.#document = document;
    this.#isStored = isStored;
  }

  *parse(): Steps<FieldsSchema> {
    const schema = yield* this.#parseRoot(this.#document);
    this.#errors.throwIfAny("invalid-schema");
    return schema;
  }

  *#parseRoot(root: unknown): Steps<FieldsSchema> {
    const none = { properties: new Map(), required: [], additional: true, uniqueFields: [] };
    if (!isObject(root)) {
      this.#errors.add("", "A schema is a JSON object.");
      return none;
    }
    if (isDeeperThan(root, userLimits.nestingLevels)) {
      this.#errors.add("", `A schema can be nested at most ${userLimits.nestingLevels} levels deep.`);
      return none;
    }
    for (const keyword of Object.keys(root)) {
      if (!rootKeywords.has(keyword)) this.#addUnsupported("", keyword);
    }
    if (root.$schema !== undefined && root.$schema !== SCHEMA_DIALECT) {
      this.#errors.add("/$schema", `Only ${SCHEMA_DIALECT} is supported.`);
    }
    if (root.type !== undefined && root.type !== "object") {
      this.#errors.add("/type", "The type of the whole schema is object: a user has fields.");
    }
    for (const keyword of ["title", "description", "$comment", "required"]) {
      if (root[keyword] !== undefined) this.#checkKeyword(keyword, root[keyword], "");
    }
    const { $defs = {}, properties = {}, required = [], additionalProperties = true } = root;
    if (isObject($defs)) this.#definitions = $defs;
    else this.#errors.add("/$defs", "This must be an object with a schema for each name.");
    for (const [name, definition] of Object.entries(this.#definitions)) {
      this.#open.push(name);
      yield* this.#parse(definition, appendPointer("/$defs", name), 1, true);
      this.#open.pop();
    }
    const parsed = isObject(properties)
      ? yield* this.#parseProperties(properties, "/properties", 1, true)
      : new Map<string, SchemaNode>();
    if (!isObject(properties)) {
      this.#errors.add("/properties", "This must be an object with a schema for each field.");
    }
    const names: string[] = [];
    for (const [index, name] of (Array.isArray(required) ? required : []).entries()) {
      if (index % STEP_NAMES === 0) yield;
      if (typeof name === "string" && this.#allowsField(name, `/required/${index}`)) names.push(name);
    }
    const additional = yield* this.#parse(additionalProperties, "/additionalProperties", 1, false);
    const uniqueFields = [...parsed].flatMap(([name, node]) => (isUnique(node) ? [name] : []));
    if (uniqueFields.length > schemaLimits.uniqueFields) {
      this.#errors.add("/properties", `At most ${schemaLimits.uniqueFields} fields can have x-unique.`);
    }
    return { properties: parsed, required: names, additional, uniqueFields };
  }

  *#parseProperties(
    properties: { [name: string]: Json },
    pointer: string,
    level: number,
    areFields: boolean,
  ): Steps<Map<string, SchemaNode>> {
    const parsed = new Map<string, SchemaNode>();
    for (const [name, schema] of Object.entries(properties)) {
      if (this.#errors.full) break;
      const at = appendPointer(pointer, name);
      if (areFields && !this.#allowsField(name, at) && this.#isStored) continue;
      if (!areFields && isReservedName(name)) this.#errors.add(at, "No user can have this field name.");
      parsed.set(name, yield* this.#parse(schema, at, level, areFields));
    }
    return parsed;
  }

  /** Whether a custom field can have the name. A new schema is refused if not. */
  #allowsField(name: string, pointer: string): boolean {
    const isDefined = !isCustomField(name);
    if (!isDefined && !findNameError(name)) return true;
    const detail = isDefined
      ? `The service itself defines ${name}. A schema describes custom fields only.`
      : "No custom field can have this name.";
    if (!this.#isStored) this.#errors.add(pointer, detail);
    return false;
  }

  /** `isField` for the schema of a custom field: only it can have `x-unique`. */
  *#parse(schema: Json, pointer: string, level: number, isField: boolean): Steps<SchemaNode> {
    yield;
    if (typeof schema === "boolean") return schema;
    if (!isObject(schema)) {
      this.#errors.add(pointer, "A schema is an object, true or false.");
      return true;
    }
    if (++this.#subschemas > schemaLimits.subschemas) {
      if (this.#subschemas === schemaLimits.subschemas + 1) {
        this.#errors.add(pointer, `A schema can contain at most ${schemaLimits.subschemas} schemas.`);
      }
      return true;
    }
    if (level > schemaLimits.levels) {
      this.#errors.add(pointer, `Schemas can be nested at most ${schemaLimits.levels} levels deep.`);
      return true;
    }
    if (schema.$ref !== undefined) return yield* this.#replaceReference(schema, pointer, level, isField);
    const node: { [keyword: string]: Json } = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (this.#errors.full) break;
      const at = appendPointer(pointer, keyword);
      if (keyword === "properties" && isObject(value)) {
        node[keyword] = toObject(yield* this.#parseProperties(value, at, level + 1, false));
      } else if (keyword === "items" || keyword === "additionalProperties") {
        node[keyword] = toJson(yield* this.#parse(value, at, level + 1, false));
      } else if (keyword === "x-unique") {
        if (typeof value !== "boolean") this.#errors.add(at, "This must be true or false.");
        else if (!isField)
          this.#errors.add(at, "Only a custom field itself can be unique, not a value in it.");
        else node[keyword] = value;
      } else if (keyword === "default") {
        if (!isField)
          this.#errors.add(at, "Only a custom field itself can have a default, not a value in it.");
        else node[keyword] = value;
      } else if (this.#checkKeyword(keyword, value, pointer)) node[keyword] = value;
    }
    if (typeof node.pattern === "string") {
      const detail = this.#checkPattern(node.pattern, node.maxLength);
      if (detail !== undefined) this.#errors.add(appendPointer(pointer, "pattern"), detail);
    }
    if (node["x-unique"] === true && node.default !== undefined) {
      this.#errors.add(
        appendPointer(pointer, "default"),
        "A unique field can't have a default: a second user would have the same value.",
      );
    }
    if (node["x-unique"] === true && !hasUniqueType(node)) {
      this.#errors.add(
        pointer,
        "A unique field needs a type: string, integer or number, and null if you like.",
      );
    }
    return node;
  }

  *#replaceReference(
    schema: { [keyword: string]: Json },
    pointer: string,
    level: number,
    isField: boolean,
  ): Steps<SchemaNode> {
    const { $ref, ...others } = schema;
    const at = `${pointer}/$ref`;
    const name = typeof $ref === "string" ? decodeName(DEFINITION.exec($ref)?.[1]) : undefined;
    if (name === undefined || !Object.hasOwn(this.#definitions, name)) {
      this.#errors.add(at, "A reference names a schema in $defs of this document, like #/$defs/address.");
      return true;
    }
    if (this.#open.includes(name)) {
      this.#errors.add(at, "A schema must not refer to itself.");
      return true;
    }
    this.#open.push(name);
    const target = yield* this.#parse(this.#definitions[name] ?? true, pointer, level, isField);
    this.#open.pop();
    const node = typeof target === "boolean" ? target : { ...target };
    for (const [keyword, value] of Object.entries(others)) {
      if (!annotations.has(keyword)) {
        this.#errors.add(appendPointer(pointer, keyword), "Only title and description can be beside $ref.");
      } else if (this.#checkKeyword(keyword, value, pointer) && typeof node !== "boolean") {
        node[keyword] = value;
      }
    }
    return node;
  }

  /** Whether the value of a keyword without schemas is valid. */
  #checkKeyword(keyword: string, value: Json | undefined, pointer: string): boolean {
    const check = Object.hasOwn(keywordChecks, keyword) ? keywordChecks[keyword] : undefined;
    if (!check) return this.#addUnsupported(pointer, keyword);
    const detail = check(value ?? null);
    if (detail !== undefined) this.#errors.add(appendPointer(pointer, keyword), detail);
    return detail === undefined;
  }

  /** Returns what is wrong with a pattern; undefined if it is valid. */
  #checkPattern(pattern: string, maxLength: Json | undefined): string | undefined {
    if (this.#patternStates > schemaLimits.totalPatternStates) {
      return "The patterns of the schema are too long together. Simplify them.";
    }
    const key = `${toMaxLength(maxLength)} ${pattern}`;
    const found = this.#patterns.get(key) ?? measurePattern(pattern, toMaxLength(maxLength));
    this.#patterns.set(key, found);
    if (typeof found === "string") return found;
    this.#patternStates += found;
    return undefined;
  }

  #addUnsupported(pointer: string, keyword: string): false {
    this.#errors.add(appendPointer(pointer, keyword), "This keyword is not supported here. Remove it.");
    return false;
  }
}

/** The number of states of a pattern, or what is wrong with it. */
function measurePattern(pattern: string, maxLength: number | undefined): number | string {
  try {
    return new LinearPattern(pattern, maxLength).size;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

/** The JSON types that each field with a `type` can have. */
export function listFieldTypes({ properties }: FieldsSchema): ReadonlyMap<string, ReadonlySet<string>> {
  const types = new Map<string, ReadonlySet<string>>();
  for (const [field, node] of properties) {
    if (typeof node === "boolean" || node.type === undefined) continue;
    types.set(field, new Set([node.type].flat().map(String)));
  }
  return types;
}

export function toDescribedFields({ properties, required, additional }: FieldsSchema): DescribedFields {
  return { properties: toObject(properties), required, allowsOthers: additional !== false };
}

/** The keyword `maxLength`, if the schema has it. */
export function toMaxLength(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function isUnique(node: SchemaNode): boolean {
  return typeof node !== "boolean" && node["x-unique"] === true;
}

function hasUniqueType({ type }: { readonly [keyword: string]: Json }): boolean {
  const types = Array.isArray(type) ? type : [type];
  return (
    types.every((name) => name !== undefined && uniqueTypes.has(name)) &&
    types.some((name) => name !== "null")
  );
}

/** A name in a JSON Pointer in a URI fragment; undefined if it is not valid. */
function decodeName(text: string | undefined): string | undefined {
  try {
    return text && unescapeName(decodeURIComponent(text));
  } catch {
    return undefined;
  }
}

function toObject(properties: ReadonlyMap<string, SchemaNode>): { [name: string]: Json } {
  return Object.fromEntries([...properties].map(([name, node]) => [name, toJson(node)]));
}

function toJson(node: SchemaNode): Json {
  return typeof node === "boolean" ? node : { ...node };
}

function isDeeperThan(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  // Object.values would copy a long array.
  const members = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeperThan(member, levels - 1));
}
