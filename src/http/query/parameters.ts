import type { Operation, Parameter } from "../../contract/operation.ts";
import { parseInteger } from "./integers.ts";
import { collectErrors, parseParameters } from "./query-string.ts";

/** How the text of a parameter becomes its value. */
export interface ValueReader {
  /** Returns undefined for a text that the schema does not allow. */
  read(text: string): unknown;
  /** What to send instead of such a text. */
  readonly correction: string;
}

/** The values of query parameters by name. A parameter that was not sent has its default, or no value. */
export type QueryReader = (queryString: string) => Record<string, unknown>;

/** Reads the query parameters of an operation. Throws `invalid-query` with every error. */
export function createQueryReader(operation: Operation): QueryReader {
  const declared = operation.parameters.filter((parameter) => parameter.in === "query");
  // If any name can be a field to filter by, the handler reads the parameters, except one that selects a media type.
  const isOpen = declared.some(({ explode }) => explode);
  const readers = new Map(
    declared
      .filter(({ selects }) => !isOpen || selects)
      .map((parameter) => [parameter.name, createParameterReader(parameter)]),
  );
  const names = [...readers.keys()].join(", ");
  const unknown =
    names === "" ? "Unknown parameter: this request has none." : `Unknown parameter. Use ${names}.`;
  return (queryString) =>
    collectErrors((addError) => {
      const sent = parseParameters(queryString, addError);
      if (!isOpen) for (const name of sent.keys()) if (!readers.has(name)) addError(name, unknown);
      const values: Record<string, unknown> = {};
      for (const [name, { read, missing }] of readers) {
        const texts = sent.get(name);
        values[name] = texts ? read(texts, (detail) => addError(name, detail)) : missing;
      }
      return values;
    });
}

interface ParameterReader {
  /** Reads what was sent, at least one text. */
  read(texts: readonly string[], addError: (detail: string) => undefined): unknown;
  /** The value if nothing was sent. */
  readonly missing: unknown;
}

function createParameterReader(parameter: Parameter): ParameterReader {
  const { schema } = parameter;
  const { items, maxItems = Number.POSITIVE_INFINITY } = schema;
  const value = createValueReader({ ...parameter, schema: items ?? schema });
  return {
    missing: schema.default,
    read(texts, addError) {
      if (!items && texts.length > 1) return addError("Send this parameter once.");
      if (texts.length > maxItems) return addError(`Send this parameter at most ${maxItems} times.`);
      const values = texts.map(value.read);
      if (values.includes(undefined)) return addError(value.correction);
      return items ? values : values[0];
    },
  };
}

/** The pattern of a text counts only if there is a correction: no other message could say what it means. */
export function createValueReader({ schema, accepts, correction }: Parameter): ValueReader {
  const { type, enum: choices, minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  if (type === "boolean") {
    return { read: (text) => BOOLEANS.get(text), correction: "Enter true or false." };
  }
  if (type === "integer") {
    return {
      read: (text) => parseInteger(text, minimum, maximum),
      correction: correction ?? `Enter an integer from ${minimum} to ${maximum}.`,
    };
  }
  if (choices) {
    return {
      read: (text) => (choices.includes(text) ? text : undefined),
      correction: `Enter ${choices.join(" or ")}.`,
    };
  }
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const pattern = schema.pattern && correction !== undefined ? new RegExp(schema.pattern) : /^/;
  const lengths = minLength > 0 ? `${minLength} to ${maxLength}` : `at most ${maxLength}`;
  const isAllowed = (text: string) =>
    hasLength(text, minLength, maxLength) && pattern.test(text) && (!accepts || accepts(text));
  return {
    read: (text) => (isAllowed(text) ? text : undefined),
    correction: correction ?? `Enter ${lengths} characters.`,
  };
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

/** Counts characters as JSON Schema does: Unicode code points. */
function hasLength(text: string, minimum: number, maximum: number): boolean {
  if (text.length < minimum) return false;
  return text.length <= maximum || [...text].length <= maximum;
}
