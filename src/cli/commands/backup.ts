import { readFlags } from "../../config/config.ts";
import { beginBackup } from "../../store/backup.ts";
import { type Command, describeFlags } from "../command.ts";
import { existingDatabaseFlags } from "../flags/database-flags.ts";
import { fileFlag } from "../flags/file-flag.ts";
import { switchFlag } from "../flags/user-flags.ts";
import { onInterrupt } from "../interrupt.ts";
import { Progress } from "../output/progress.ts";
import { copyFigures, formatSummary } from "../output/summary.ts";

const flags = {
  file: fileFlag("The file to make. Its folder has to be there."),
  force: switchFlag("force", "Replace the file, if there is one."),
  ...existingDatabaseFlags,
} as const;

export const backup: Command = {
  flags,
  help: `It has everything of one moment: users with their ids, versions and times, keys (their digests), and what creates with
an Idempotency-Key came to. Who is signed in is left out. Nobody has to wait for it; what is written meanwhile takes room
until it is done, beside an SQLite file in its -wal, in PostgreSQL as rows that cannot be cleared away yet.

The file is an SQLite database of Roster's, from either engine, and roster restore puts it into either. It is checked,
and has the name FILE, when all of it is on disk. Its last line seals it: restore notices any byte that has changed.

A very large PostgreSQL database is sooner done with pg_dump: see docs/operations.md.

Options:
${describeFlags(flags)}
Examples:
  roster backup /backup/roster-$(date +%F).db
  roster backup copy.db --force --database postgres://roster@db.example/roster
`,

  async run(args, { env, stdout, stderr }) {
    const given = readFlags(flags, args, env, "roster backup --help");
    const { file, force, database, databasePooler, databaseWait } = given;
    const since = performance.now();
    const options = { waitMs: databaseWait, sessions: databasePooler === "none", replace: force };
    const backup = beginBackup(database, file, options);
    onInterrupt(stderr, "Interrupted. No backup was made.", () => backup.discard());
    const progress = new Progress(stderr, ["indexes", "checking"]);
    const made = await backup.make((step) => progress.show(step)).finally(() => progress.end());
    const megabytes = (made.bytes / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 });
    stdout.write(
      formatSummary(`Backed up ${database.displayName} to ${file}.`, [
        ["megabytes", megabytes],
        ...copyFigures(made, since),
      ]),
    );
  },
};
