import { createInterface } from "node:readline/promises";
import { ConfigError } from "../config/config.ts";
import type { CommandContext } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { fail } from "./fail.ts";
import { wrapText } from "./output/table.ts";

/** Returns if the answer is yes, and ends the process if not. Throws a `ConfigError` without a terminal. */
export async function confirm(context: CommandContext, question: string): Promise<void> {
  if (!context.stdin.isTTY || !context.stderr.isTTY) {
    throw new ConfigError(`${question} Not a terminal: add --yes to confirm.`);
  }
  if (!(await ask(context, `${question} [y/N]`, false)))
    fail("Cancelled. Nothing was changed.", exitCodes.failed.code);
}

/** Whether the answer on a terminal is yes. An empty answer is `emptyAnswer`. */
export async function ask(context: CommandContext, question: string, emptyAnswer: boolean): Promise<boolean> {
  const answer = (await promptLine(context, question))?.trim();
  return answer === "" ? emptyAnswer : /^y(es)?$/i.test(answer ?? "");
}

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const DELETE_KEYS = ["\u007f", "\b"];

/** The line that a person types, without showing it. Ends the process on Ctrl+C and Ctrl+D. */
export async function promptHidden({ stdin, stderr }: CommandContext, question: string): Promise<string> {
  // Before the question: a terminal shows what is typed until then.
  stdin.setRawMode(true);
  stderr.write(`${wrapText(question, stderr.columns || 80).trimEnd()} `);
  const line = await new Promise<string | undefined>((resolve) => {
    let typed = "";
    const onData = (chunk: string | Uint8Array) => {
      for (const character of typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)) {
        if (character === "\r" || character === "\n") finish(typed);
        else if (character === CTRL_C || character === CTRL_D) finish(undefined);
        else typed = DELETE_KEYS.includes(character) ? typed.slice(0, -1) : typed + character;
      }
    };
    const finish = (result: string | undefined) => {
      stdin.off("data", onData);
      resolve(result);
    };
    stdin.on("data", onData).resume();
  });
  stdin.setRawMode(false);
  stdin.pause();
  stderr.write("\n");
  if (line === undefined) fail("Cancelled. Nothing was changed.", exitCodes.failed.code);
  return line;
}

/** The line that a person types; undefined after Ctrl+D. */
export async function promptLine(
  { stdin, stderr }: CommandContext,
  question: string,
): Promise<string | undefined> {
  const prompt = createInterface({ input: stdin });
  stderr.write(`${wrapText(question, stderr.columns || 80).trimEnd()} `);
  // Ctrl+D closes the input without an answer or a line break.
  const closed = new Promise<undefined>((resolve) => prompt.once("close", () => resolve(undefined)));
  const answer = await Promise.race([prompt.question(""), closed]);
  prompt.close();
  if (answer === undefined) stderr.write("\n");
  return answer;
}
