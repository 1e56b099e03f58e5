import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder whose files the trial uses. */
export const examples = join(import.meta.dir, "../../../deploy/patroni");
/** How long a program may take to start. */
export const START_MS = 90_000;

/** The variables of one of the files, with other names in the place of some. */
export function readVariables(
  file: string,
  names: Readonly<Record<string, string>> = {},
): Record<string, string> {
  let text = readFileSync(join(examples, file), "utf8");
  for (const [name, replacement] of Object.entries(names)) text = text.replaceAll(name, replacement);
  const lines = text.split("\n").filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(
    lines.map((line) => line.split(/=(.*)/s)).map(([name = "", value = ""]) => [name, value]),
  );
}
