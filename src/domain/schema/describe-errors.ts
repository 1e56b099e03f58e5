import type { TLocalizedValidationError } from "typebox/error";
import { appendPointer } from "../../contract/json.ts";
import type { FieldErrors } from "../field-errors.ts";

/** Longer lists of allowed values are cut in a message. */
const MAX_LISTED_CHARACTERS = 200;

/**
 * Adds the errors of a field, with a pointer and a sentence for each. TypeBox reports a field that `additionalProperties` does not
 * allow twice: once for the object, and once for the field.
 */
export function addSchemaErrors(
  errors: FieldErrors,
  field: string,
  found: readonly TLocalizedValidationError[],
): void {
  for (const error of found) {
    const pointer = appendPointer("", field) + error.instancePath;
    if (error.keyword === "required") {
      for (const name of error.params.requiredProperties) {
        errors.add(appendPointer(pointer, name), "This field is required.");
      }
    } else if (error.keyword !== "additionalProperties") errors.add(pointer, describe(error));
  }
}

function describe(error: TLocalizedValidationError): string {
  switch (error.keyword) {
    case "type":
      return `The value must be of type ${[error.params.type].flat().join(" or ")}.`;
    case "enum":
      return `The value must be one of ${listValues(error.params.allowedValues)}.`;
    case "const":
      return `The value must be ${listValues([error.params.allowedValue])}.`;
    case "minLength":
      return `Enter at least ${count(error.params.limit, "character")}.`;
    case "maxLength":
      return `Enter at most ${count(error.params.limit, "character")}.`;
    case "minimum":
      return `Enter a number of at least ${error.params.limit}.`;
    case "maximum":
      return `Enter a number of at most ${error.params.limit}.`;
    case "exclusiveMinimum":
      return `Enter a number above ${error.params.limit}.`;
    case "exclusiveMaximum":
      return `Enter a number below ${error.params.limit}.`;
    case "minItems":
      return `The array needs at least ${count(error.params.limit, "element")}.`;
    case "maxItems":
      return `The array can have at most ${count(error.params.limit, "element")}.`;
    case "uniqueItems":
      return "The elements must differ from each other.";
    case "minProperties":
      return `The object needs at least ${count(error.params.limit, "field")}.`;
    case "maxProperties":
      return `The object can have at most ${count(error.params.limit, "field")}.`;
    case "boolean":
      return "The schema does not allow this field.";
    case "~refine":
      return describeTest(error.message);
    default:
      return "The schema does not allow this value.";
  }
}

/** The message of a test is its name (`toTypeBox`). */
function describeTest(name: string): string {
  const [test, detail] = name.split(" ");
  if (test === "pattern") return "The text does not match the pattern of the schema.";
  return test === "format" ? `Enter a valid ${detail}.` : `Enter a multiple of ${detail}.`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function listValues(values: readonly unknown[]): string {
  const list = values.map((value) => JSON.stringify(value)).join(", ");
  return list.length <= MAX_LISTED_CHARACTERS ? list : `${list.slice(0, MAX_LISTED_CHARACTERS)}…`;
}
