#!/usr/bin/env bun
import { hideSecrets } from "../config/config.ts";
import { ListenError } from "../config/listen-error.ts";
import { version } from "../config/version.ts";
import { StoreError } from "../store/store-error.ts";
import { closestMatch } from "./closest-match.ts";
import { type CommandEntry, type Commands, describeCommand, describeCommands } from "./command.ts";
import { commands } from "./commands.ts";
import { describeError, exitCodeFor, exitCodes } from "./exit-codes.ts";
import { fail } from "./fail.ts";

process.stdout.on("error", (error) => {
  // Whoever reads has seen enough, as with `| head`: that ends other programs by SIGPIPE, without a word.
  if ("code" in error && error.code === "EPIPE") process.exit(141);
  fail(`Cannot write to stdout (${error.message}).`, 1);
});

const surroundings = {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  // Touching it would make the process wait for it.
  get stdin() {
    return process.stdin;
  },
};

const [, , ...args] = Bun.argv;
const { serve } = commands;
const command = choose(commands, serve, "");

if (args.includes("--help") || args.includes("-h")) {
  process.stdout.write(await (command === serve ? overview() : describeCommand(command)));
} else if (args.includes("--version")) {
  process.stdout.write(`${version}\n`);
} else {
  await run(command);
}

/** Takes the words that name a command off the arguments; `standard` is meant where there are none. */
function choose(among: Commands, standard: CommandEntry, before: string): CommandEntry {
  const [word] = args;
  if (word === undefined || word.startsWith("-")) return standard;
  const chosen = Object.hasOwn(among, word) ? among[word] : undefined;
  if (!chosen) {
    const meant = closestMatch(word, Object.keys(among));
    const hint = meant === undefined ? "" : ` Did you mean ${before}${meant}?`;
    fail(`There is no command ${before}${hideSecrets(word)}.${hint} See roster ${before}--help.`, 2);
  }
  args.shift();
  return chosen.commands ? choose(chosen.commands, chosen, `${before}${word} `) : chosen;
}

async function run({ load }: CommandEntry): Promise<void> {
  try {
    const { run } = await load();
    await run(args, surroundings);
  } catch (error) {
    if (error instanceof StoreError || error instanceof ListenError)
      fail(error.message, exitCodes.failed.code);
    const code = exitCodeFor(error);
    if (code === undefined) throw error;
    fail(describeError(error), code);
  }
}

/** Of everything there is; serving needs no command, so that its options are here too. */
async function overview(): Promise<string> {
  const { help } = await serve.load();
  return `Roster ${version}: the users service.

${describeCommands(commands)}
With --help after it, each command shows its options.

${help}`;
}
