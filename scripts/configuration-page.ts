/** Writes docs/configuration.md from the table of settings. A test fails when the page is behind. */
import { join } from "node:path";
import { listSettings } from "../src/config/settings.ts";

export const configurationPagePath = join(import.meta.dir, "..", "docs", "configuration.md");

export function configurationPage(): string {
  const rows = listSettings().map(([, { env, flag, default: standard, takes, about }]) => {
    const cells = [
      `\`${env}\``,
      flag ? `\`--${flag}\`` : "",
      standard ? `\`${standard}\`` : "none",
      takes,
      about,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return `# Configuration

Roster runs with nothing configured. Each setting is a variable of the environment and a flag; the flag wins, then the
variable, then the default. A value that cannot be used stops the start with one line that says why (exit code 2).

| variable | flag | default | takes | what it does |
|---|---|---|---|---|
${rows.join("\n")}

\`NO_COLOR\`, which is not Roster's own, turns colours off on a terminal.

## Where the users are

\`DATABASE_URL\` is a path (\`./data/roster.db\`), a URL of a file (\`sqlite:./data/roster.db\`,
\`sqlite:///var/lib/roster/roster.db\`), or the URL of a PostgreSQL database, as libpq takes it:

\`\`\`
postgres://user:password@host:5432/database?sslmode=verify-full&sslrootcert=/etc/ssl/db-ca.pem
postgres://user:password@one.example,two.example/database?target_session_attrs=read-write
\`\`\`

With several hosts, a node uses the first that takes writes, and looks again when that one goes away. The options are
\`sslmode\` (\`disable\`, \`prefer\`, which is the default, \`require\`, \`verify-ca\`, \`verify-full\`), \`sslrootcert\`,
\`sslcert\`, \`sslkey\`, \`target_session_attrs\`, \`application_name\`, \`channel_binding\` and \`host\` (the folder of a socket).
The password is never printed. More on running it is in [operations](operations.md).

## Who can reach it

\`ROSTER_AUTH\` decides who may call.

- \`auto\`, the default: whoever is on this machine, without a key, as long as all of this is so: \`HOST\` is loopback,
  \`ROSTER_TRUSTED_PROXIES\` names nobody, \`ROSTER_API_KEY\` is not set, and the database has never had a key. Else it is the
  same as \`required\`. A service that has once asked for the keys in its database does not open again by itself.
- \`required\`: whoever shows a key.
- \`off\`: whoever reaches the port may read and change users. Only behind something that decides who may call. Keys are managed
  on the host alone then. It is refused together with \`ROSTER_API_KEY\`.

While no key is asked for under \`auto\`, only requests whose \`Host\` names the machine itself are answered, so that no web page
can reach the service through a visitor's browser. To serve other machines, set \`HOST\` and make a key:

\`\`\`sh
npx roster keys create --name my-program --scope users:read,users:write
HOST=0.0.0.0 npm start
\`\`\`

The line that says it is ready also says who is let in, and why. More is in [operations](operations.md#keys) and
[security](security.md).

## The database file

The file and its folder are made if there are none. SQLite keeps two more files beside it while the service runs
(\`-wal\` and \`-shm\`); they belong together, and are merged into the one file when the service stops. The file has to be
on a local disk: SQLite's write-ahead log does not work over network file systems. Several Roster processes may share
one file on one machine.
`;
}

if (import.meta.main) {
  await Bun.write(configurationPagePath, configurationPage());
  console.log("docs/configuration.md is up to date.");
}
