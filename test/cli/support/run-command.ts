import { commands } from "../../../src/cli/commands.ts";
import { describeError } from "../../../src/cli/describe-error.ts";
import { exitCodeFor } from "../../../src/cli/exit-codes.ts";
import { findCommand } from "../../../src/cli/find-command.ts";
import { temporaryFolder } from "../../support/process/roster.ts";
import { fakeScreen } from "./fake-screen.ts";

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A function that runs commands in this process, in a pipe, as main.ts does. Not for commands that end the process themselves. */
export function commandRunner(url: string, key = ""): (...words: string[]) => Promise<Ran> {
  const env = { ROSTER_URL: url, ROSTER_API_KEY: key, XDG_CONFIG_HOME: temporaryFolder() };
  return async (...words) => {
    const [stdout, stderr] = [fakeScreen(false), fakeScreen(false)];
    const { entry, rest } = findCommand(commands, words);
    const context = { env, stdin: process.stdin, stdout: stdout.screen, stderr: stderr.screen };
    const ended = (code: number) => ({
      code,
      stdout: stdout.written.join(""),
      stderr: stderr.written.join(""),
    });
    const codeBefore = process.exitCode ?? 0;
    try {
      await (await entry?.load())?.run(rest, context);
      return ended(Number(process.exitCode ?? 0));
    } catch (error) {
      const code = exitCodeFor(error);
      if (code === undefined) throw error;
      stderr.written.push(`roster: ${describeError(error)}\n`);
      return ended(code);
    } finally {
      process.exitCode = codeBefore;
    }
  };
}
