/** Generates docs/cli.md from the help of every command. A test fails if the page is out of date. */
import { join } from "node:path";
import type { CommandEntry, Commands } from "../src/cli/command.ts";
import { commands } from "../src/cli/commands.ts";
import { exitCodes } from "../src/cli/exit-codes.ts";
import { serviceFlags } from "../src/cli/flags/service-flags.ts";
import { describeCommand, plainLayout } from "../src/cli/help.ts";

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

export async function cliPage(): Promise<string> {
  const named = listCommands("roster", commands);
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

\`roster\` runs the service, works with the users of a running service, and manages databases. The npm package is \`rosterd\`, with the
commands \`roster\` and \`rosterd\`. In a clone of this repository, run \`npx rosterd\`. Do not run \`npx roster\` elsewhere: npm
would download an unrelated package with that name. This page is generated from the help of the commands (\`npm run docs\`). \`roster help\`
lists all commands, and every command prints its help with \`--help\`.

${index.join("\n")}

## In a terminal

- \`roster users …\` calls a service. [\`roster login\`](#roster-login) stores its URL and your key as a profile, for several services
  under several names (\`--profile\`). Without a profile, it is the service at \`ROSTER_URL\`, by default on this machine, with the key
  in \`ROSTER_API_KEY\`. All other commands run on the host of the service and use the service's settings.
- Lists are tables that fit the terminal. Colours appear on a terminal only. \`NO_COLOR=1\` turns them off.
- Control characters and characters that change the direction of text are escaped (\`\\u202e\`) or replaced (\`�\`) on a
  terminal. Files and pipes get the exact bytes.
- Commands that cannot be undone ask for confirmation. \`--yes\` confirms, and is required without a terminal.
- For a misspelt command or option, the error suggests the right one. Every error says what to do.
- [\`roster completion\`](#roster-completion) completes commands, options and values in bash, zsh and fish.
- [\`roster doctor\`](#roster-doctor) finds out why a service does not run, or does not run safely.

## In scripts

- Results go to stdout, messages to stderr. Every error is one line.
- In a pipe, users and keys are JSON: one object per line, the same as in the API. \`--output\` chooses a table, JSON, NDJSON or CSV
  anywhere, and \`--columns\` the fields.
- \`-\` in place of fields reads a JSON object from stdin:
  \`roster users get 7 | jq '.level += 1' | roster users replace 7 -\`
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
| \`VISUAL\`, \`EDITOR\` | Standard variables: the editor of \`roster users edit\`. |
| \`NO_COLOR\` | Standard variable: no colours on a terminal. |

Every setting of the service is an environment variable too: see [configuration](configuration.md).

## Commands

${pages.join("\n")}`;
}

if (import.meta.main) {
  await Bun.write(cliPagePath, await cliPage());
  console.log("docs/cli.md is up to date.");
}
