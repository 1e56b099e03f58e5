import { readFlags } from "../../config/config.ts";
import { beginBackup } from "../../store/archive/backup.ts";
import type { Command } from "../command.ts";
import { existingDatabaseFlags } from "../flags/database-flags.ts";
import { fileFlag, forceFlag } from "../flags/file-flag.ts";
import { onInterrupt } from "../interrupt.ts";
import { print } from "../output/print.ts";
import { Progress } from "../output/progress.ts";
import { copyFigures, printSummary } from "../output/summary.ts";

const flags = {
  file: fileFlag("The backup file to create. Its folder must exist."),
  force: forceFlag,
  ...existingDatabaseFlags,
} as const;

export const backup: Command = {
  flags,
  description: `The backup is a consistent snapshot: users with their ids, versions and times, groups with their
members, keys (as digests), events, webhooks, and the stored outcomes of idempotency keys. Browser sessions are not
included. Services keep running; until the backup is done, changes take extra space: in the -wal file of SQLite, or
as rows that PostgreSQL cannot vacuum yet.

The database stores when its last backup was taken, for the metric roster_last_backup_timestamp_seconds.

The backup is an SQLite database, from either engine, and roster restore accepts it for either engine. FILE appears
only when the backup is complete and verified. It ends with a checksum, so restore detects any changed byte.

For a very large PostgreSQL database pg_dump is faster: see docs/operations.md.`,
  examples: [
    "roster backup /backup/roster-$(date +%F).db",
    "roster backup copy.db --force --database postgres://roster@db.example/roster",
  ],

  async run(args, { env, stdout, stderr }) {
    const { file, force, database, databasePooler, databaseWait } = readFlags(
      flags,
      args,
      env,
      "roster backup --help",
    );
    const since = performance.now();
    const options = { waitMs: databaseWait, dedicatedSessions: databasePooler === "none", replace: force };
    const backup = beginBackup(database, file, options);
    onInterrupt(stderr, () => {
      backup.discard();
      return "Interrupted. No backup was created.";
    });
    const progress = new Progress(stderr, ["indexes", "checking"]);
    const result = await backup.run((step) => progress.show(step)).finally(() => progress.end());
    if (result.notRecorded !== undefined) {
      print(
        stderr,
        `The metric of the last backup is unchanged, because the database did not store the time: ${result.notRecorded}`,
      );
    }
    const megabytes = (result.bytes / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 });
    printSummary(stdout, `Backed up ${database.displayName} to ${file}.`, [
      ["megabytes", megabytes],
      ...copyFigures(result, since),
    ]);
  },
};
