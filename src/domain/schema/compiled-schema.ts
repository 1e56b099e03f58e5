import { isDeepStrictEqual } from "node:util";
import { Compile, type Validator } from "typebox/schema";
import { appendPointer, isObject, type Json, type JsonObject } from "../../contract/json.ts";
import type { FieldError } from "../../contract/problems.ts";
import type { UserRecord } from "../../contract/users/user.ts";
import { isCustomField } from "../../contract/users/user-fields.ts";
import { FieldErrors } from "../field-errors.ts";
import type { Steps } from "../scheduling/steps.ts";
import { addSchemaErrors } from "./describe-errors.ts";
import { formatTests, isSchemaFormat } from "./formats.ts";
import { LinearPattern } from "./linear-pattern.ts";
import { type FieldsSchema, type SchemaNode, toMaxLength } from "./parse-schema.ts";

/** A version of the schema, compiled. Fields are compiled when they are first checked. */
export class CompiledSchema {
  readonly #validators = new Map<string, Validator>();
  #additional: Validator | undefined;
  readonly #defaults: readonly (readonly [field: string, value: Json])[];

  constructor(readonly fields: FieldsSchema) {
    this.#defaults = [...fields.properties].flatMap(([field, node]) =>
      typeof node === "object" && node.default !== undefined ? [[field, node.default] as const] : [],
    );
  }

  /** Compiles all fields now, step by step. */
  *compile(): Steps<void> {
    for (const field of this.fields.properties.keys()) {
      this.#validator(field);
      yield;
    }
  }

  /** Fails with `invalid-schema` if a default is not valid for its field. */
  *checkDefaults(): Steps<void> {
    const errors = new FieldErrors();
    for (const [field, value] of this.#defaults) {
      const pointer = `${appendPointer("/properties", field)}/default`;
      if (!this.#validator(field).Check(value))
        errors.add(
          pointer,
          "This value is not valid for the field. Change the default, or what the field allows.",
        );
      yield;
    }
    errors.throwIfAny("invalid-schema");
  }

  /** The defaults of the fields that a new user lacks. Undefined if it lacks none. */
  missingDefaults(record: UserRecord): JsonObject | undefined {
    const missing = this.#defaults.filter(([field]) => !Object.hasOwn(record, field));
    return missing.length > 0 ? Object.fromEntries(missing) : undefined;
  }

  /** Fails with `invalid-user` if a field of a new user is not valid. */
  check(record: UserRecord): void {
    this.#findErrors(record, undefined).throwIfAny("invalid-user");
  }

  /** Fails with `invalid-user` if a field that differs is not valid. Other fields may have values that were once valid. */
  checkChanges(before: UserRecord, after: UserRecord): void {
    this.#findErrors(after, before).throwIfAny("invalid-user");
  }

  /** The errors of a stored user. */
  listErrors(record: UserRecord): readonly FieldError[] {
    return this.#findErrors(record, undefined).list;
  }

  #findErrors(record: UserRecord, before: UserRecord | undefined): FieldErrors {
    const errors = new FieldErrors();
    for (const field in record) {
      if (!isCustomField(field)) continue;
      const value = record[field] ?? null;
      if (before && Object.hasOwn(before, field) && isDeepStrictEqual(before[field], value)) continue;
      const validator = this.#validator(field);
      if (!validator.Check(value)) addSchemaErrors(errors, field, validator.Errors(value)[1]);
    }
    for (const field of this.fields.required) {
      const isUnchanged = before && !Object.hasOwn(before, field);
      if (!Object.hasOwn(record, field) && !isUnchanged) {
        errors.add(appendPointer("", field), "This field is required.");
      }
    }
    return errors;
  }

  #validator(field: string): Validator {
    const known = this.#validators.get(field);
    if (known) return known;
    const node = this.fields.properties.get(field);
    if (node === undefined) {
      this.#additional ??= compile(this.fields.additional);
      return this.#additional;
    }
    const validator = compile(node);
    this.#validators.set(field, validator);
    return validator;
  }
}

function compile(node: SchemaNode): Validator {
  return Compile(toTypeBox(node));
}

/** Replaces keywords whose tests would not take linear time, or differ from other validators. */
function toTypeBox(node: SchemaNode): boolean | object {
  if (typeof node === "boolean") return node;
  const {
    pattern,
    format,
    multipleOf,
    items,
    additionalProperties,
    properties,
    default: _,
    ...others
  } = node;
  const tests = [
    ...(typeof pattern === "string" ? [textTest("pattern", patternTest(pattern, others.maxLength))] : []),
    ...(typeof format === "string" && isSchemaFormat(format)
      ? [textTest(`format ${format}`, formatTests[format])]
      : []),
    ...(typeof multipleOf === "number" ? [multipleTest(multipleOf)] : []),
  ];
  return {
    ...others,
    ...(items !== undefined && { items: toTypeBox(toNode(items)) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: toTypeBox(toNode(additionalProperties)),
    }),
    ...(isObject(properties) && { properties: convertProperties(properties) }),
    ...(tests.length > 0 && { "~refine": tests }),
  };
}

/** A test that TypeBox runs. `error` returns its name. */
interface Refinement {
  readonly check: (value: unknown) => boolean;
  readonly error: () => string;
}

function patternTest(pattern: string, maxLength: Json | undefined): (text: string) => boolean {
  const linear = new LinearPattern(pattern, toMaxLength(maxLength));
  return (text) => linear.test(text);
}

function textTest(name: string, test: (text: string) => boolean): Refinement {
  return { check: (value) => typeof value !== "string" || test(value), error: () => name };
}

function multipleTest(divisor: number): Refinement {
  return {
    check: (value) => typeof value !== "number" || value % divisor === 0,
    error: () => `multipleOf ${divisor}`,
  };
}

function convertProperties(properties: { readonly [name: string]: Json }): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, node]) => [name, toTypeBox(toNode(node))]),
  );
}

/** The parser has checked that a schema is an object or a boolean. */
function toNode(value: Json): SchemaNode {
  return isObject(value) ? value : value !== false;
}
