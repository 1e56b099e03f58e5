/** Generates docs/cli.md from the help of every command. A test fails if the page is out of date. */
import { join } from "node:path";
import type { Command, CommandEntry, Commands } from "../src/cli/command.ts";
import { commands } from "../src/cli/commands.ts";
import { exitCodes } from "../src/cli/exit-codes.ts";
import { serviceFlags } from "../src/cli/flags/service-flags.ts";
import { describeCommand, plainLayout } from "../src/cli/help.ts";
import { settings } from "../src/config/settings.ts";

export const cliPagePath = join(import.meta.dir, "..", "docs", "cli.md");

interface NamedCommand {
  readonly name: string;
  readonly command: CommandEntry;
}

/** Every command, each followed by its subcommands. */
function listCommands(parent: string, group: Commands): NamedCommand[] {
  return Object.entries(group).flatMap(([word, command]) => {
    const name = `${parent} ${word}`;
    return [{ name, command }, ...listCommands(name, command.commands ?? {})];
  });
}

/** Where a command does its work. */
const places = {
  service: "call a service, from any machine: [`roster login`](#roster-login) stores its URL and your key",
  host: "work on the host of the service, with its settings: its files and its database",
  neither: "need neither",
} as const;

type Place = keyof typeof places;

/** Variables that only commands on the host read. */
const hostVariables = new Set(
  Object.values(settings).flatMap(({ env }) => (env === serviceFlags.apiKey.env ? [] : [env])),
);

/** By the flags of a command: the URL of a service, or a setting of the service. */
function placeOf({ flags = {} }: Command): Place {
  const variables = Object.values(flags).map(({ env = "" }) => env);
  if (variables.includes(serviceFlags.url.env)) return "service";
  return variables.some((name) => hostVariables.has(name)) ? "host" : "neither";
}

/** The commands of each place: a group as a whole if all of its commands have the same place. */
async function listPlaces(parent: string, group: Commands): Promise<(readonly [string, Place])[]> {
  const lists = Object.entries(group).map(async ([word, { commands: subcommands, load }]) => {
    const name = `${parent} ${word}`;
    if (!subcommands) return [[name, placeOf(await load())] as const];
    const below = await listPlaces(name, subcommands);
    const [first, ...others] = new Set(below.map(([, place]) => place));
    return first !== undefined && others.length === 0 ? [[name, first] as const] : below;
  });
  return (await Promise.all(lists)).flat();
}

export async function cliPage(): Promise<string> {
  const named = listCommands("roster", commands);
  const placed = await listPlaces("roster", commands);
  const rows = Object.entries(places).map(([place, about]) => {
    const names = placed.flatMap(([name, other]) => (other === place ? [`\`${name}\``] : []));
    return `| ${about} | ${names.join(", ")} |`;
  });
  const index = named.map(({ name, command }) => {
    const depth = name.split(" ").length - 2;
    return `${"  ".repeat(depth)}- [\`${name}\`](#${name.replaceAll(" ", "-")}): ${command.about}`;
  });
  const codes = Object.values(exitCodes).map(({ code, when }) => `| ${code} | ${when} |`);
  const variables = Object.values(serviceFlags).flatMap((flag) =>
    "env" in flag ? [`| \`${flag.env}\` | ${flag.about} |`] : [],
  );
  const pages = await Promise.all(
    named.map(async ({ name, command }) => {
      const help = await describeCommand(command, plainLayout);
      return `### ${name}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`;
    }),
  );
  return `# The command line

\`roster\` runs the service, works with the users and groups of a running service, and manages databases. The npm package is \`rosterd\`, with the
commands \`roster\` and \`rosterd\`. In a clone of this repository, run \`npx rosterd\`. Do not run \`npx roster\` elsewhere: npm
would download an unrelated package with that name. This page is generated from the help of the commands (\`npm run docs\`). \`roster help\`
lists all commands, and every command prints its help with \`--help\`.

${index.join("\n")}

## Where commands work

| these commands | |
|---|---|
${rows.join("\n")}

A command that calls a service uses the profile that \`roster login\` has stored. There can be several profiles, for several services
(\`--profile\`). Without a profile, it is the service at \`ROSTER_URL\`, by default on this machine, with the key in \`ROSTER_API_KEY\`.

## In a terminal

- Lists are tables that fit the terminal. Colours appear on a terminal only. \`NO_COLOR=1\` turns them off.
- Control characters and characters that change the direction of text are escaped (\`\\u202e\`) or replaced (\`�\`) on a
  terminal. Files and pipes get the exact bytes.
- Commands that cannot be undone ask for confirmation. \`--yes\` confirms, and is required without a terminal.
- For a misspelt command or option, the error suggests the right one. Every error says what to do.
- [\`roster completion\`](#roster-completion) completes commands, options and values in bash, zsh and fish.
- [\`roster doctor\`](#roster-doctor) finds out why a service does not run, or does not run safely.

## In scripts

- Results go to stdout, messages to stderr. Every error is one line.
- In a pipe, users, groups and keys are JSON: one object per line, the same as in the API. \`--output\`, or \`-o\`, chooses a table, JSON, NDJSON
  or CSV anywhere, and \`--columns\` the fields. A file to write is an argument, or follows \`>\`.
- \`-\` in place of fields, or of a file to read, reads stdin:
  \`roster users get 7 | jq '.level += 1' | roster users replace 7 -\`
- \`--where FIELD=VALUE\` tests for equality and \`--filter EXPRESSION\` takes a
  [filter expression](api.md#filter-expressions), in every command that selects users. Users have to match both. Repeat \`--where\`
  with the same field to match any of its values, and with other fields to match all of them. To change or delete users by \`--where\`, the service
  gets an expression. Expressions ignore case: if this one finds other users than \`--where\` does in a list, nothing is changed.
- A group is named by its id or by its name, in every place that takes a group. A word of only digits is an id, and everything else is a
  name, upper or lower case. So a group whose name is only digits is found by its id.
- \`--if-version\` makes a change conditional. \`--idempotency-key\` makes a create safe to repeat.
- If the reader of a pipe stops early, as in \`roster users list | head -1\`, the command ends silently with exit code 141
  (SIGPIPE). Ctrl+C is 130, SIGTERM 143.
- Keys are never flags: other users of the machine can read command lines. Set \`ROSTER_API_KEY\`, or use a profile.
- \`--url\` and \`--profile\` take precedence over \`ROSTER_URL\` and \`ROSTER_API_KEY\`, and these over \`ROSTER_PROFILE\` and the profile
  called default. The key of a profile is only sent to the URL of the profile.
- Profiles are in \`roster/profiles.json\` in your folder for settings, which only you can read: \`$XDG_CONFIG_HOME\` or
  \`~/.config\`, on macOS \`~/Library/Application Support\`, on Windows \`%APPDATA%\`.

| exit code | |
|---|---|
${codes.join("\n")}

| variable | |
|---|---|
${variables.join("\n")}
| \`VISUAL\`, \`EDITOR\` | Standard variables: the editor of \`roster users edit\` and \`roster groups edit\`. |
| \`NO_COLOR\` | Standard variable: no colours on a terminal. |

Every setting of the service is an environment variable too: see [configuration](configuration.md).

## Commands

${pages.join("\n")}`;
}

if (import.meta.main) {
  await Bun.write(cliPagePath, await cliPage());
  console.log("docs/cli.md is up to date.");
}
