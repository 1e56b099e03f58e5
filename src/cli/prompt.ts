import { createInterface } from "node:readline/promises";
import { ConfigError } from "../config/config.ts";
import type { CommandContext } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { fail } from "./fail.ts";
import { wrapText } from "./output/table.ts";

/** Returns if the answer is yes, and ends the process if not. Throws a `ConfigError` without a terminal. */
export async function confirm({ stdin, stderr }: CommandContext, question: string): Promise<void> {
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new ConfigError(`${question} Not a terminal: add --yes to confirm.`);
  }
  const prompt = createInterface({ input: stdin });
  stderr.write(`${wrapText(`${question} [y/N]`, stderr.columns || 80).trimEnd()} `);
  // Ctrl+D closes the input without an answer or a line break.
  const closed = new Promise<undefined>((resolve) => prompt.once("close", () => resolve(undefined)));
  const answer = await Promise.race([prompt.question(""), closed]);
  prompt.close();
  if (answer === undefined) stderr.write("\n");
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) fail("Cancelled. Nothing was changed.", exitCodes.failed.code);
}
