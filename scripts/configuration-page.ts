/** Writes docs/configuration.md from the table of settings. A test fails when the page is behind. */
import { join } from "node:path";
import { settings } from "../src/config.ts";

export const pagePath = join(import.meta.dir, "..", "docs", "configuration.md");

export function configurationPage(): string {
  const rows = Object.values(settings).map(
    ({ env, flag, default: standard, takes, about }) =>
      `| \`${env}\` | \`--${flag}\` | \`${standard}\` | ${takes} | ${about} |`,
  );
  return `# Configuration

Roster runs with nothing configured. Each setting is a variable of the environment and a flag; the flag wins, then the
variable, then the default. A value that cannot be used stops the start with one line that says why (exit code 2).

| variable | flag | default | takes | what it does |
|---|---|---|---|---|
${rows.join("\n")}

Two variables that are not Roster's own are honoured too: \`NO_COLOR\` turns colours off on a terminal, and
\`DATABASE_URL\` may be a path (\`./data/roster.db\`) or a URL (\`sqlite:./data/roster.db\`, \`sqlite:///var/lib/roster/roster.db\`).

## Who can reach it

By default Roster listens on \`127.0.0.1\` and answers only requests whose \`Host\` names the machine itself, so that no web
page can reach it through a visitor's browser. It refuses to start on any other address until \`ROSTER_AUTH=off\` says
that whoever reaches the port may do everything. Do that only behind something that decides who may call.

## The database file

The file and its folder are made if there are none. SQLite keeps two more files beside it while the service runs
(\`-wal\` and \`-shm\`); they belong together, and are merged into the one file when the service stops. The file has to be
on a local disk: SQLite's write-ahead log does not work over network file systems. Several Roster processes may share
one file on one machine.
`;
}

if (import.meta.main) {
  await Bun.write(pagePath, configurationPage());
  console.log("docs/configuration.md is up to date.");
}
