import { readFileSync } from "node:fs";
import type { JsonSchema } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";

export const schemaFileFlag = {
  flag: "file",
  form: "word",
  takes: "a file with a JSON Schema",
  about: "The file with the JSON Schema of the custom fields.",
  parse(text) {
    if (text === "") throw new RangeError(text);
    return text;
  },
} as const satisfies Flag<string>;

/** Fails with a `ConfigError`. */
export function readSchemaFile(file: string): JsonSchema {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new ConfigError(`Cannot read ${file}. Enter the path of a file with a JSON Schema.`);
  }
  try {
    const schema: unknown = JSON.parse(text);
    if (isObject(schema)) return schema;
  } catch {
    // Reported below.
  }
  throw new ConfigError(`${file} is not a JSON object. Enter the path of a file with a JSON Schema.`);
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
