import type { JsonObject, JsonSchema } from "./json-schema.ts";
import { namedSchemas, schemaName } from "./schema-names.ts";
import { agreesWithFields, type DescribedFields } from "./users/described-fields.ts";

/** The shared parts of the OpenAPI description. */
export class Components {
  /** The custom fields of the schema. */
  readonly #fields: DescribedFields | undefined;
  readonly parts: Record<"schemas" | "responses" | "parameters" | "examples" | "headers", JsonObject> = {
    schemas: Object.fromEntries(namedSchemas.map(([name, schema]) => [name, this.#inline(schema)])),
    responses: {},
    parameters: {},
    examples: {},
    headers: {},
  };

  constructor(fields?: DescribedFields) {
    this.#fields = fields;
  }

  /** The examples of a body, without those that the custom fields do not allow. */
  validExamples(schema: JsonSchema, examples: JsonObject): JsonObject {
    const fields = this.#fields;
    if (!fields) return examples;
    const name = schemaName(schema) ?? (schema.items && schemaName(schema.items));
    return Object.fromEntries(
      Object.entries(examples).filter(([, example]) => agreesWithFields(example, name, fields)),
    );
  }

  /** Adds the part under a name, unless it is there already, and returns a reference to it. */
  refer(kind: keyof Components["parts"], name: string, part: JsonObject): JsonObject {
    const known = this.parts[kind][name] ?? part;
    if (JSON.stringify(known) !== JSON.stringify(part)) throw new Error(`Two ${kind} are called ${name}.`);
    this.parts[kind][name] = part;
    return reference(kind, name);
  }

  /** The schema with references instead of named schemas. A named schema keeps the first example of the whole value. */
  schema(schema: JsonSchema, example?: unknown): JsonObject {
    const name = schemaName(schema);
    if (name === undefined) return this.#inline(schema);
    if (example !== undefined) {
      this.parts.schemas[name] = { examples: [example], ...Object(this.parts.schemas[name]) };
    }
    return reference("schemas", name);
  }

  #inline(schema: JsonSchema): JsonObject {
    const { anyOf = [], ...keywords } = schema;
    const [choice, last] = anyOf;
    // Generators understand a type list better than a choice between a type and null.
    if (choice?.type && anyOf.length === 2 && last?.type === "null" && schemaName(choice) === undefined) {
      return { ...this.#inline(choice), ...keywords, type: [choice.type, "null"] };
    }
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [keyword, this.#nested(value)]),
    );
  }

  #nested(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#nested(item));
    return typeof value === "object" && value !== null ? this.schema(value) : value;
  }
}

function reference(kind: keyof Components["parts"], name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}
