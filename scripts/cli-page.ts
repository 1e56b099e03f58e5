/** Writes docs/cli.md from the help of every command. A test fails when the page is behind. */
import { join } from "node:path";
import { type CommandEntry, type Commands, describeCommand } from "../src/cli/command.ts";
import { commands } from "../src/cli/commands.ts";
import { exitCodes } from "../src/cli/exit-codes.ts";
import { serviceFlags } from "../src/cli/flags/service-flags.ts";

export const cliPagePath = join(import.meta.dir, "..", "docs", "cli.md");

interface NamedCommand {
  readonly name: string;
  readonly command: CommandEntry;
}

/** Every command, those of several words after the word they begin with. */
function listCommands(before: string, among: Commands): NamedCommand[] {
  return Object.entries(among).flatMap(([word, command]) => {
    const name = `${before} ${word}`;
    return [{ name, command }, ...listCommands(name, command.commands ?? {})];
  });
}

export async function cliPage(): Promise<string> {
  const all = listCommands("roster", commands);
  const index = all.map(({ name, command }) => {
    const depth = name.split(" ").length - 2;
    return `${"  ".repeat(depth)}- [\`${name}\`](#${name.replaceAll(" ", "-")}): ${command.about}`;
  });
  const codes = Object.values(exitCodes).map(({ code, when }) => `| ${code} | ${when} |`);
  const variables = Object.values(serviceFlags).flatMap((flag) =>
    "env" in flag ? [`| \`${flag.env}\` | ${flag.about} |`] : [],
  );
  const pages = await Promise.all(
    all.map(async ({ name, command }) => {
      const help = await describeCommand(command);
      return `### ${name}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`;
    }),
  );
  return `# The command line

\`roster\` serves users, works with the users of a service that runs anywhere, and looks after a database. In this
repository it is \`npx roster\`. This page is made from the help of the commands (\`npm run docs\`): each shows its own part
with \`--help\`.

${index.join("\n")}

## For people

- \`roster users …\` calls a service: the one at \`ROSTER_URL\`, on this machine unless said otherwise, with the key in
  \`ROSTER_API_KEY\`. The other commands work on the host, with the settings that the service has.
- Lists are tables that fit the terminal. Colours are on a terminal only, and \`NO_COLOR=1\` turns them off.
- What cannot be undone asks first. \`--yes\` answers, and is needed where nobody can be asked.
- A misspelt command or option gets a suggestion, and whatever goes wrong is one line that says what to do.
- [\`roster completion\`](#roster-completion) has bash, zsh and fish complete commands, options and values.
- [\`roster doctor\`](#roster-doctor) finds out what keeps a service from running, or from running safely.

## For programs

- What was asked for is on stdout, and nothing else ever is; all that is said about it is on stderr.
- In a pipe, or with \`--json\`, users and keys are JSON: one object a line, the same as the API answers with.
- \`-\` in the place of fields reads a JSON object from stdin:
  \`roster users get 7 | jq '.level += 1' | roster users replace 7 -\`
- \`--if-version\` makes a change conditional, and \`--idempotency-key\` makes a create that can be repeated.
- A reader that has seen enough, as in \`roster users list | head -1\`, ends the command without a word (code 141, as a shell
  tells of SIGPIPE). Ctrl+C is 130, SIGTERM 143.
- Keys are never flags: the command line is for all to see.

| exit code | |
|---|---|
${codes.join("\n")}

| variable | |
|---|---|
${variables.join("\n")}
| \`NO_COLOR\` | Not Roster's own: no colours on a terminal. |

Every setting of the service is a variable too: see [configuration](configuration.md).

## Commands

${pages.join("\n")}`;
}

if (import.meta.main) {
  await Bun.write(cliPagePath, await cliPage());
  console.log("docs/cli.md is up to date.");
}
