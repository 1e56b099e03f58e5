import { readFlags } from "../../config/config.ts";
import { isOutdated } from "../../store/migration.ts";
import { migrateStore } from "../../store/open-store.ts";
import type { Command } from "../command.ts";
import { databaseFlags } from "../flags/database-flags.ts";
import { onInterrupt } from "../interrupt.ts";
import { Progress } from "../output/progress.ts";

export const migrate: Command = {
  flags: databaseFlags,
  description: `By default, a node migrates the schema when it starts. With ROSTER_MIGRATE=off, nodes do not migrate, and you run this
command before you start them: for example, because the nodes lack the privileges to change the schema. Concurrent runs
are safe.`,
  examples: [
    "roster migrate",
    "roster migrate --database /var/lib/roster/roster.db",
    "DATABASE_URL=postgres://owner@db.example/roster roster migrate",
  ],

  async run(args, { env, stdout, stderr }) {
    const { database, databasePooler, databaseWait } = readFlags(
      databaseFlags,
      args,
      env,
      "roster migrate --help",
    );
    const progress = new Progress(stderr, ["indexes"]);
    onInterrupt(stderr, "Interrupted. Run the same command again to continue.");
    const before = await migrateStore(database, {
      waitMs: databaseWait,
      dedicatedSessions: databasePooler === "none",
      reportMigration: (step) => progress.show(step),
    }).finally(() => progress.end());
    const { version, latest } = before;
    stdout.write(
      before.isEarlier
        ? `Migrated the tables of an early version to schema ${latest}.\n`
        : isOutdated(before)
          ? `Migrated the schema from ${version} to ${latest}.\n`
          : `The schema is up to date (${version} of ${latest}).\n`,
    );
  },
};
