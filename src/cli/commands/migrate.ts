import { readFlags } from "../../config/config.ts";
import { migrateStore } from "../../store/open-store.ts";
import { type Command, describeFlags } from "../command.ts";
import { databaseFlags } from "../flags/database-flags.ts";

export const migrate: Command = {
  flags: databaseFlags,
  help: `A node does so by itself when it starts, unless ROSTER_MIGRATE=off leaves it to this command: where nodes may not
change the schema, or are not to wait for it. Several at a time do no harm.

Options, each also a variable of the environment:
${describeFlags(databaseFlags)}
Examples:
  roster migrate
  roster migrate --database /var/lib/roster/roster.db
  DATABASE_URL=postgres://owner@db.example/roster roster migrate
`,

  async run(args, { env, stdout }) {
    const { database, databasePooler, databaseWait } = readFlags(databaseFlags, args, env);
    const sessions = databasePooler === "none";
    const { version: at, latest: known } = await migrateStore(database, { waitMs: databaseWait, sessions });
    stdout.write(
      at === known
        ? `The schema is up to date (${at} of ${known}).\n`
        : `The schema was brought from ${at} to ${known}.\n`,
    );
  },
};
