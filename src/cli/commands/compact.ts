import { readFlags } from "../../config/config.ts";
import { compactDatabase } from "../../store/compact.ts";
import type { Command } from "../command.ts";
import { existingDatabaseFlags } from "../flags/database-flags.ts";
import { printSuccess } from "../output/print.ts";

export const compact: Command = {
  flags: existingDatabaseFlags,
  description: `After a purge, no query reaches the data of a user, but some of its bytes can remain in the database. On SQLite, this command
rewrites the file and empties its log, which removes these bytes. It needs as much free disk space as the file has, and writes
of a running service wait for it: they can fail with 503 if the file is large. On PostgreSQL, it runs VACUUM (ANALYZE) on
Roster's tables: the space of deleted rows is used again, but keeps its bytes until then.`,
  examples: ["roster compact", "roster compact --database /var/lib/roster/roster.db"],

  async run(args, { env, stderr }) {
    const { database, databasePooler, databaseWait } = readFlags(
      existingDatabaseFlags,
      args,
      env,
      "roster compact --help",
    );
    await compactDatabase(database, {
      waitMs: databaseWait,
      dedicatedSessions: databasePooler === "none",
    });
    printSuccess(stderr, `Compacted ${database.displayName}.`);
  },
};
