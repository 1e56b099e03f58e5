import { readFlags } from "../../config/config.ts";
import { move as moveAll } from "../../store/move.ts";
import { openSource, openTarget, refuseSameFile } from "../../store/open-archive.ts";
import { StoreError } from "../../store/store-error.ts";
import { type Command, describeFlags } from "../command.ts";
import { databaseFlags } from "../flags/database-flags.ts";
import { onInterrupt } from "../interrupt.ts";
import { Progress } from "../output/progress.ts";
import { copyFigures, formatSummary } from "../output/summary.ts";

const { takes, parse } = databaseFlags.database;

const flags = {
  from: {
    flag: "from",
    takes,
    parse,
    about: "The database that has everything: a file, or a `postgres://` URL.",
  },
  to: { flag: "to", takes, parse, about: "The database that gets it: another one, without users." },
  databasePooler: databaseFlags.databasePooler,
  databaseWait: databaseFlags.databaseWait,
} as const;

export const move: Command = {
  flags,
  help: `Users keep their ids, versions and times, creates that are repeated with their Idempotency-Key get the answer they
had, and no id is given twice. Stop every service on both databases first. The source stays as it is.

Interrupted at any moment, the same command goes on where it was. Until it has finished, no service will serve the
target. To give up, remove the file, or in PostgreSQL: DROP SCHEMA roster CASCADE.

Options:
${describeFlags(flags)}
Examples:
  roster move --from ./data/roster.db --to postgres://roster@db.example/roster
  roster move --from postgres://roster@db.example/roster --to sqlite:///var/lib/roster/roster.db
`,

  async run(args, { env, stdout, stderr }) {
    const { from, to, databasePooler, databaseWait } = readFlags(flags, args, env);
    const options = { waitMs: databaseWait, sessions: databasePooler === "none" };
    const start = performance.now();
    refuseSameFile(from, to);
    const source = await telling("--from", openSource(from, options));
    try {
      const target = await telling("--to", openTarget(to, options));
      try {
        const progress = new Progress(stderr, ["indexes"]);
        onInterrupt(stderr, "Interrupted. Run the same command again, and it goes on from here.");
        const moving = moveAll(source, target, (step) => progress.show(step));
        const moved = await telling("--from or --to", moving).finally(() => progress.end());
        const sentence = `Moved everything from ${source.shown} to ${target.shown}.`;
        stdout.write(formatSummary(sentence, copyFigures(moved, start)));
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  },
};

/** What is wrong with a database is told by the flag that named it. */
async function telling<T>(flag: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(error.message.replaceAll("DATABASE_URL", flag), { cause: error });
  }
}
