import { readFlags } from "../../config/config.ts";
import { move as moveAll } from "../../store/archive/move.ts";
import { openSource, openTarget, rejectSameFile } from "../../store/archive/open-archive.ts";
import { StoreError } from "../../store/store-error.ts";
import type { Command } from "../command.ts";
import { databaseFlags } from "../flags/database-flags.ts";
import { onInterrupt } from "../interrupt.ts";
import { Progress } from "../output/progress.ts";
import { copyFigures, printSummary } from "../output/summary.ts";

const { takes, parse } = databaseFlags.database;

const flags = {
  from: {
    flag: "from",
    takes,
    parse,
    about: "The source database: a file, or a `postgres://` URL.",
  },
  to: { flag: "to", takes, parse, about: "The target database. It must have no users." },
  databasePooler: databaseFlags.databasePooler,
  databaseWait: databaseFlags.databaseWait,
} as const;

export const move: Command = {
  flags,
  description: `Users keep their ids, versions and times. A create that is repeated with its Idempotency-Key gets the same response. Ids
of deleted users and groups are not reused. First stop every service on both databases. The source is not changed.

If the move is interrupted, run the same command again to continue. Services refuse to serve the target until the move
is complete. To give up, remove the file, or in PostgreSQL: DROP SCHEMA roster CASCADE.`,
  examples: [
    "roster move --from ./data/roster.db --to postgres://roster@db.example/roster",
    "roster move --from postgres://roster@db.example/roster --to /var/lib/roster.db",
  ],

  async run(args, { env, stdout, stderr }) {
    const { from, to, databasePooler, databaseWait } = readFlags(flags, args, env, "roster move --help");
    const options = { waitMs: databaseWait, dedicatedSessions: databasePooler === "none" };
    const start = performance.now();
    rejectSameFile(from, to);
    const source = await namingFlag("--from", openSource(from, options));
    try {
      const target = await namingFlag("--to", openTarget(to, options));
      try {
        const progress = new Progress(stderr, ["indexes"]);
        onInterrupt(stderr, "Interrupted. Run the same command again to continue.");
        const moving = moveAll(source, target, (step) => progress.show(step));
        const moved = await namingFlag("--from or --to", moving).finally(() => progress.end());
        const sentence = `Moved everything from ${source.displayName} to ${target.displayName}.`;
        printSummary(stdout, sentence, copyFigures(moved, start));
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  },
};

/** Names the flag instead of DATABASE_URL in the errors of a database. */
async function namingFlag<T>(flag: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(error.message.replaceAll("DATABASE_URL", flag), { cause: error });
  }
}
