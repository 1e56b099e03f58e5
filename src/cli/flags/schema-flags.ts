import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import type { JsonSchema } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";
import { isObject } from "../../contract/json.ts";
import type { CommandContext } from "../command.ts";

export const schemaFileFlag = {
  flag: "file",
  form: "word",
  takes: "a file with a JSON Schema, or - for stdin",
  about: "The file with the JSON Schema of the custom fields; - reads stdin.",
  parse(text) {
    if (text === "") throw new RangeError(text);
    return text;
  },
} as const satisfies Flag<string>;

/** Reads a schema from a file, or from stdin for `-`. Fails with a `ConfigError`. */
export async function readSchema(
  file: string,
  { stdin }: Pick<CommandContext, "stdin">,
): Promise<JsonSchema> {
  const [name, text] = file === "-" ? ["stdin", await readAll(stdin)] : [file, await readText(file)];
  try {
    const schema: unknown = JSON.parse(text);
    if (isObject(schema)) return schema;
  } catch {
    // Reported below.
  }
  throw new ConfigError(`${name} is not a JSON object. Use ${schemaFileFlag.takes}.`);
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch {
    throw new ConfigError(`Cannot read ${file}. Use ${schemaFileFlag.takes}.`);
  }
}
