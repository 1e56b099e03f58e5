import { readFlags } from "../../config/config.ts";
import type { RowCounts } from "../../store/archive/archive.ts";
import { beginRestore } from "../../store/archive/restore.ts";
import { StoreError } from "../../store/store-error.ts";
import type { Command } from "../command.ts";
import { databaseFlags } from "../flags/database-flags.ts";
import { fileFlag } from "../flags/file-flag.ts";
import { switchFlag } from "../flags/switch-flag.ts";
import { onInterrupt } from "../interrupt.ts";
import { formatCount } from "../output/format-count.ts";
import { Progress } from "../output/progress.ts";
import { copyFigures, printSummary } from "../output/summary.ts";
import { confirm } from "../prompt.ts";

const flags = {
  file: fileFlag("The backup: a file created by roster backup, or a copy of an SQLite database."),
  force: switchFlag("force", "Replace all data in the database."),
  yes: switchFlag("yes", "Do not ask for confirmation. Required without a terminal."),
  ...databaseFlags,
  database: {
    ...databaseFlags.database,
    about: "The target database. An SQLite file is created if it does not exist.",
  },
} as const;

export const restore: Command = {
  flags,
  description: `Users keep their ids, versions and times. Keys return to their state in the backup: a key that was revoked after
the backup is active again. Ids in the backup and in the replaced database are not reused. First stop every service on
the database.

The backup is verified before the database is changed, and the result is compared with the backup row by row. An SQLite
file is replaced atomically at the end. PostgreSQL is filled step by step: if the restore is interrupted, run the same
command again to continue. Services refuse to serve the database until the restore is complete.`,
  examples: [
    "roster restore /backup/roster-2026-11-15.db",
    "roster restore copy.db --force --database postgres://roster@db.example/roster",
  ],

  async run(args, context) {
    const { env, stdout, stderr } = context;
    const { file, force, yes, database, databasePooler, databaseWait } = readFlags(
      flags,
      args,
      env,
      "roster restore --help",
    );
    const since = performance.now();
    const progress = new Progress(stderr, ["indexes", "checking"]);
    const restore = beginRestore(file, database, {
      waitMs: databaseWait,
      dedicatedSessions: databasePooler === "none",
      async replace(shown, rows) {
        if (!force)
          throw new StoreError(`${shown} ${describeState(rows)}: to replace all data, add --force.`);
        progress.end();
        if (!yes) await confirm(context, `${shown} ${describeState(rows)}. Replace all data with ${file}?`);
      },
    });
    onInterrupt(stderr, () =>
      restore.interrupt() === "incomplete"
        ? "Interrupted. Run the same command again to continue."
        : "Interrupted. Nothing was restored.",
    );
    const restored = await restore.run((step) => progress.show(step)).finally(() => progress.end());
    printSummary(stdout, `Restored ${file} into ${database.displayName}.`, copyFigures(restored, since));
  },
};

/** The state of the target. Undefined means too damaged to count users. */
function describeState(rows: RowCounts | undefined): string {
  if (rows === undefined) return "is damaged";
  const users = rows.get("users") ?? 0;
  return users > 0 ? `has ${formatCount(users, "user")}` : "is not empty";
}
