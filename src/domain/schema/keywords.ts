import type { Json } from "../../contract/json.ts";
import { schemaFormats, schemaLimits } from "../../contract/schema/schema.ts";
import { isSchemaFormat } from "./formats.ts";

/** Returns what is wrong with the value of a keyword; undefined if it is valid. */
type KeywordCheck = (value: Json) => string | undefined;

const types = ["string", "number", "integer", "boolean", "object", "array", "null"];

/** Keywords that say something to people, and restrict nothing. */
export const annotations: ReadonlySet<string> = new Set([
  "title",
  "description",
  "$comment",
  "deprecated",
  "examples",
]);

const isText: KeywordCheck = (value) => (typeof value === "string" ? undefined : "This must be a text.");
const isBoolean: KeywordCheck = (value) =>
  typeof value === "boolean" ? undefined : "This must be true or false.";
const isNumber: KeywordCheck = (value) => (typeof value === "number" ? undefined : "This must be a number.");
const isCount: KeywordCheck = (value) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? undefined
    : "This must be an integer of at least 0.";
const isList: KeywordCheck = (value) => (Array.isArray(value) ? undefined : "This must be an array.");

/** Every supported keyword whose value contains no schema. */
export const keywordChecks: Readonly<Record<string, KeywordCheck>> = {
  title: isText,
  description: isText,
  $comment: isText,
  deprecated: isBoolean,
  examples: isList,
  type: checkType,
  enum: (value) =>
    Array.isArray(value) && value.length > 0 ? undefined : "This must be an array with at least one value.",
  const: () => undefined,
  format: (value) =>
    typeof value === "string" && isSchemaFormat(value)
      ? undefined
      : `The supported formats are ${schemaFormats.join(", ")}.`,
  pattern: (value) =>
    typeof value === "string" && value.length <= schemaLimits.patternCharacters
      ? undefined
      : `This must be a text of at most ${schemaLimits.patternCharacters} characters.`,
  minLength: isCount,
  maxLength: isCount,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) =>
    isCount(value) === undefined && value !== 0 ? undefined : "This must be an integer of at least 1.",
  minItems: isCount,
  maxItems: isCount,
  uniqueItems: isBoolean,
  minProperties: isCount,
  maxProperties: isCount,
  required: (value) =>
    Array.isArray(value) &&
    value.every((name) => typeof name === "string") &&
    new Set(value).size === value.length
      ? undefined
      : "This must be an array of different field names.",
  // A value that is not an object: its members are checked elsewhere.
  properties: () => "This must be an object with a schema for each field.",
};

function checkType(value: Json): string | undefined {
  const names = Array.isArray(value) ? value : [value];
  const isValid = names.every((name) => typeof name === "string" && types.includes(name));
  return isValid && names.length > 0 && new Set(names).size === names.length
    ? undefined
    : `This must be one of ${types.join(", ")}, or an array of several.`;
}
