import { readFlags } from "../../config/config.ts";
import { beginRestore } from "../../store/restore.ts";
import { StoreError } from "../../store/store-error.ts";
import { type Command, describeFlags } from "../command.ts";
import { databaseFlags } from "../flags/database-flags.ts";
import { fileFlag } from "../flags/file-flag.ts";
import { switchFlag } from "../flags/user-flags.ts";
import { onInterrupt } from "../interrupt.ts";
import { Progress } from "../output/progress.ts";
import { copyFigures, formatSummary } from "../output/summary.ts";
import { confirm } from "../prompt.ts";

const flags = {
  file: fileFlag("The backup: a file that roster backup has made, or a copy of an SQLite database."),
  force: switchFlag("force", "Replace everything that the database has."),
  yes: switchFlag("yes", "Do not ask before that. Needed where nobody can be asked."),
  ...databaseFlags,
  database: {
    ...databaseFlags.database,
    about: "The database that gets it; a file is made if there is none.",
  },
} as const;

export const restore: Command = {
  flags,
  help: `Users keep their ids, versions and times, and keys are as they were: those that were revoked since are in force again.
No id that was given before is given again, as far as the backup and the database know. Stop every service on the
database first.

The backup is checked before anything is touched, and what comes of it is compared with it row by row. A file takes its
place at the end, all at once. PostgreSQL is filled step by step: interrupted, the same command goes on where it was, and
no service will serve the database until it has finished.

Options:
${describeFlags(flags)}
Examples:
  roster restore /backup/roster-2026-11-15.db
  roster restore copy.db --force --yes --database postgres://roster@db.example/roster
`,

  async run(args, context) {
    const { env, stdout, stderr } = context;
    const given = readFlags(flags, args, env, "roster restore --help");
    const { file, force, yes, database, databasePooler, databaseWait } = given;
    const since = performance.now();
    const progress = new Progress(stderr, ["indexes", "checking"]);
    const restore = beginRestore(file, database, {
      waitMs: databaseWait,
      sessions: databasePooler === "none",
      async replace(shown, users) {
        if (!force) throw new StoreError(`${shown} ${has(users)} already: replace all of it with --force.`);
        progress.end();
        if (!yes) await confirm(context, `${shown} ${has(users)}: replace everything by ${file}?`);
      },
    });
    const message =
      database.engine === "sqlite"
        ? "Interrupted. Nothing was restored."
        : "Interrupted. Run the same command again, and it goes on from here.";
    onInterrupt(stderr, message, () => restore.discard());
    const restored = await restore.make((step) => progress.show(step)).finally(() => progress.end());
    stdout.write(
      formatSummary(`Restored ${file} into ${database.displayName}.`, copyFigures(restored, since)),
    );
  },
};

/** How a database is full; undefined stands for one that is too damaged to tell. */
function has(users: number | undefined): string {
  if (users === undefined) return "is damaged";
  return users > 0 ? `has ${users.toLocaleString("en")} users` : "has been written to";
}
