/** Generates docs/configuration.md from the settings. A test fails if the page is out of date. */
import { join } from "node:path";
import { listSettings } from "../src/config/settings.ts";

export const configurationPagePath = join(import.meta.dir, "..", "docs", "configuration.md");

export function configurationPage(): string {
  const rows = listSettings().map(([, { env, flag, default: defaultValue, takes, about }]) => {
    const cells = [
      `\`${env}\``,
      flag ? `\`--${flag}\`` : "",
      defaultValue ? `\`${defaultValue}\`` : "none",
      takes,
      about,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return `# Configuration

Roster needs no configuration to start. Every setting is an environment variable, and most are also a flag. The flag takes
precedence over the variable, and the variable over the default. With an invalid value, Roster does not start: it prints
one line that says why, and exits with code 2.

| variable | flag | default | valid values | what it does |
|---|---|---|---|---|
${rows.join("\n")}

The standard variable \`NO_COLOR\` turns colours off on a terminal.

## Database

\`DATABASE_URL\` is a file path (\`./data/roster.db\`), a file URL (\`sqlite:./data/roster.db\`,
\`sqlite:///var/lib/roster/roster.db\`), or a PostgreSQL URL, as libpq accepts it:

\`\`\`
postgres://user:password@host:5432/database?sslmode=verify-full&sslrootcert=/etc/ssl/db-ca.pem
postgres://user:password@one.example,two.example/database?target_session_attrs=read-write
\`\`\`

With several hosts, a node uses the first host that accepts writes, and searches again when that host fails. The options are
\`sslmode\` (\`disable\`, \`prefer\`, which is the default, \`require\`, \`verify-ca\`, \`verify-full\`), \`sslrootcert\`,
\`sslcert\`, \`sslkey\`, \`target_session_attrs\`, \`application_name\`, \`channel_binding\` and \`host\` (a host name, or the
folder of a Unix socket). Roster never prints the password. See also [operations](operations.md).

## Access

\`ROSTER_AUTH\` decides who may call.

- \`auto\`, the default: callers on this machine need no key while all of the following is true: \`HOST\` is loopback,
  \`ROSTER_TRUSTED_PROXIES\` is empty, \`ROSTER_API_KEY\` is not set, and the database has never had a key. Otherwise \`auto\`
  is the same as \`required\`. Once the database has had a key, the service never opens again by itself.
- \`required\`: every caller needs a key.
- \`off\`: everyone who reaches the port may read and change users. Use this only behind a proxy that decides who may call.
  Keys can then be managed only with the command line on the host. \`off\` together with \`ROSTER_API_KEY\` is an error.

While \`auto\` requires no key, the service responds only to requests whose \`Host\` header names this machine. A web page
therefore cannot reach the service through a visitor's browser. To serve other machines, create a key and set \`HOST\`:

\`\`\`sh
npx rosterd keys create --name my-program --scope users:read,users:write
HOST=0.0.0.0 npm start
\`\`\`

The first log line says who may call, and why. See also [operations](operations.md#keys) and [security](security.md).

## SQLite file

Roster creates the file and its folder if they do not exist. While the service runs, SQLite keeps two more files in the
same folder (\`-wal\` and \`-shm\`). The three files belong together. They become one file when the service stops. The
file must be on a local disk: SQLite's write-ahead log does not work on network file systems. Several Roster processes on
one machine may share one file.
`;
}

if (import.meta.main) {
  await Bun.write(configurationPagePath, configurationPage());
  console.log("docs/configuration.md is up to date.");
}
