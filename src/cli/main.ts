#!/usr/bin/env bun
import { hideSecrets } from "../config/config.ts";
import { ListenError } from "../config/listen-error.ts";
import { version } from "../config/version.ts";
import { StoreError } from "../store/store-error.ts";
import { closestMatch } from "./closest-match.ts";
import { type CommandEntry, type Commands, describeCommand, describeCommands } from "./command.ts";
import { commands } from "./commands.ts";
import { describeError } from "./describe-error.ts";
import { exitCodeFor, exitCodes } from "./exit-codes.ts";
import { fail } from "./fail.ts";
import { onStdoutError, stderr, stdout } from "./output/screen.ts";

onStdoutError((error) => {
  // The reader closed the pipe, as `| head` does. Other programs end silently by SIGPIPE.
  if ("code" in error && error.code === "EPIPE") process.exit(141);
  fail(`Cannot write to stdout (${error.message}).`, 1);
});

const context = {
  env: process.env,
  stdout,
  stderr,
  // Reading process.stdin keeps the process alive.
  get stdin() {
    return process.stdin;
  },
};

const [, , ...args] = Bun.argv;
const { serve } = commands;
const command = choose(commands, serve, "");

if (args.includes("--help") || args.includes("-h")) {
  stdout.write(await (command === serve ? overview() : describeCommand(command)));
} else if (args.includes("--version")) {
  stdout.write(`${version}\n`);
} else {
  await run(command);
}

/** Removes the words of a command from the arguments. Without any, returns the default. */
function choose(table: Commands, defaultCommand: CommandEntry, prefix: string): CommandEntry {
  const [word] = args;
  if (word === undefined || word.startsWith("-")) return defaultCommand;
  const chosen = Object.hasOwn(table, word) ? table[word] : undefined;
  if (!chosen) {
    const suggestion = closestMatch(word, Object.keys(table));
    const hint = suggestion === undefined ? "" : ` Did you mean ${prefix}${suggestion}?`;
    fail(
      `Unknown command ${prefix}${hideSecrets(word)}.${hint} See roster ${prefix}--help.`,
      exitCodes.usage.code,
    );
  }
  args.shift();
  return chosen.commands ? choose(chosen.commands, chosen, `${prefix}${word} `) : chosen;
}

async function run({ load }: CommandEntry): Promise<void> {
  try {
    const { run } = await load();
    await run(args, context);
  } catch (error) {
    if (error instanceof StoreError || error instanceof ListenError)
      fail(error.message, exitCodes.failed.code);
    const code = exitCodeFor(error);
    if (code === undefined) {
      stderr.write(`${Bun.inspect(error)}\n`);
      process.exit(exitCodes.failed.code);
    }
    fail(describeError(error), code);
  }
}

/** Help for all commands, with the options of `serve`, the default command. */
async function overview(): Promise<string> {
  const { help } = await serve.load();
  return `Roster ${version}: the users service.

${describeCommands(commands)}
For the options of a command, add --help.

${help}`;
}
