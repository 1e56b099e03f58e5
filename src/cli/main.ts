#!/usr/bin/env bun
import { ConfigError, withoutPassword } from "../config.ts";
import { ListenError, StoreError, version } from "../serve.ts";
import type { Command } from "./command.ts";
import { migrate } from "./commands/migrate.ts";
import { move } from "./commands/move.ts";
import { serve } from "./commands/serve.ts";
import { fail } from "./fail.ts";
import { nearest } from "./nearest.ts";

const commands: Readonly<Record<string, Command>> = { serve, migrate, move };

const [, , ...args] = Bun.argv;
const named = args[0] !== undefined && !args[0].startsWith("-");
const name = named ? (args.shift() ?? "") : "serve";
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;

if (!command) {
  const meant = nearest(name, Object.keys(commands));
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  fail(`There is no command ${withoutPassword(name)}.${hint} See roster --help.`, 2);
} else if (args.includes("--help") || args.includes("-h")) {
  process.stdout.write(
    command === serve ? overview() : `${command.usage}\n\n${command.about}\n\n${command.help}`,
  );
} else if (args.includes("--version")) {
  process.stdout.write(`${version}\n`);
} else {
  await run(command);
}

async function run({ run }: Command): Promise<void> {
  try {
    await run(args, { env: process.env, stdout: process.stdout, stderr: process.stderr });
  } catch (error) {
    if (error instanceof ConfigError) fail(error.message, 2);
    if (error instanceof StoreError || error instanceof ListenError) fail(error.message, 1);
    throw error;
  }
}

/** Of everything there is; serving needs no command, so that its options are here too. */
function overview(): string {
  const list = Object.values(commands).map(({ usage, about }) => `  ${usage}\n      ${about}\n`);
  return `Roster ${version}: the users service.

${list.join("")}
With --help after it, each command shows its options.

${serve.help}`;
}
