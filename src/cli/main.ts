#!/usr/bin/env bun
import { printOverview } from "./commands/help.ts";
import { commands } from "./commands.ts";
import { describeError } from "./describe-error.ts";
import { exitCodeFor, exitCodes } from "./exit-codes.ts";
import { fail } from "./fail.ts";
import { findCommand } from "./find-command.ts";
import { InvalidFilterError } from "./flags/filter-flag.ts";
import { describeCommand, layoutFor } from "./help.ts";
import { markPosition } from "./output/mark-position.ts";
import { onStdoutError, stderr, stdout } from "./output/screen.ts";
import { terminalWidth } from "./output/screen-width.ts";

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
// Only positional arguments follow `--`.
const options = args.slice(0, args.includes("--") ? args.indexOf("--") : args.length);

try {
  await runCommand();
} catch (error) {
  const code = exitCodeFor(error);
  if (code === undefined) {
    stderr.write(`${Bun.inspect(error)}\n`);
    process.exit(exitCodes.failed.code);
  }
  const excerpt =
    error instanceof InvalidFilterError
      ? markPosition(error.filter, error.position, terminalWidth(stderr))
      : undefined;
  fail(describeError(error), code, excerpt);
}

/** `roster serve` is the default command. */
async function runCommand(): Promise<void> {
  const { entry, rest } = findCommand(commands, args);
  const { serve, version } = commands;
  if (options.includes("--help") || options.includes("-h")) {
    if (entry) stdout.write(await describeCommand(entry, layoutFor(stdout)));
    else printOverview(commands, stdout);
  } else if ((entry ?? serve) === serve && (options.includes("--version") || options.includes("-v"))) {
    await (await version.load()).run([], context);
  } else {
    await (await (entry ?? serve).load()).run(rest, context);
  }
}
