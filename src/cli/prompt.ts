import { createInterface } from "node:readline/promises";
import { ConfigError } from "../config/config.ts";
import type { CommandContext } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { fail } from "./fail.ts";

/** Goes on only if whoever sits there says yes. Fails with a `ConfigError` where nobody does. */
export async function confirm({ stdin, stderr }: CommandContext, question: string): Promise<void> {
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new ConfigError(`${question} Nobody can be asked here: say --yes if that is meant.`);
  }
  const prompt = createInterface({ input: stdin });
  stderr.write(`${question} [y/N] `);
  // Ctrl+D ends the input without an answer, and without an end of the line.
  const closed = new Promise<undefined>((resolve) => prompt.once("close", () => resolve(undefined)));
  const answer = await Promise.race([prompt.question(""), closed]);
  prompt.close();
  if (answer === undefined) stderr.write("\n");
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) fail("Nothing was done.", exitCodes.failed.code);
}
