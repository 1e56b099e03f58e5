import { readFlags } from "../../config/config.ts";
import { wholeNumberIn } from "../../config/setting.ts";
import { adopt as adoptFile } from "../../store/archive/adopt.ts";
import type { Command } from "../command.ts";
import { databaseFlags } from "../flags/database-flags.ts";
import { fileFlag } from "../flags/file-flag.ts";
import { onInterrupt } from "../interrupt.ts";
import { print } from "../output/print.ts";
import { Progress } from "../output/progress.ts";
import { printSummary, secondsSince } from "../output/summary.ts";

const flags = {
  file: fileFlag("The restored SQLite database. It is changed in place."),
  skipIds: {
    flag: "skip-ids",
    default: "1000000",
    about: "How many ids of users, and how many of groups, to skip: the lost database may have given them.",
    ...wholeNumberIn(0, 1_000_000_000),
  },
  databaseWait: databaseFlags.databaseWait,
} as const;

export const adopt: Command = {
  flags,
  description: `A copy that a program such as Litestream has restored lacks the last writes of the lost machine, and does not know which
ids callers got for them. This command checks the file. Then, in one transaction, it skips ids of users, groups, keys,
webhooks and events, so that none is given twice, disables webhooks, and ends sessions. Only the owner can read the file afterwards.

First stop every program that uses the file. Another run is safe, and skips ids once more. Keys that were revoked in the lost
time are active again.`,
  examples: [
    "roster adopt /var/lib/roster/roster.db",
    "roster adopt /var/lib/roster/roster.db --skip-ids 50000000",
  ],

  async run(args, { env, stdout, stderr }) {
    const { file, skipIds, databaseWait } = readFlags(flags, args, env, "roster adopt --help");
    const since = performance.now();
    onInterrupt(stderr, "Interrupted. Run the same command again.");
    const progress = new Progress(stderr, ["checking"]);
    const options = { waitMs: databaseWait, skippedIds: skipIds };
    const { users, lastChange, next, disabledWebhooks } = await adoptFile(file, options, (step) =>
      progress.show(step),
    ).finally(() => progress.end());
    const figure = (value: number) => value.toLocaleString("en");
    printSummary(stdout, `Adopted ${file}.`, [
      ["users", figure(users)],
      ["last change", lastChange === undefined ? "unknown" : new Date(lastChange).toISOString()],
      ["next user", figure(next.user)],
      ["next group", figure(next.group)],
      ["next key", figure(next.key)],
      ["next webhook", figure(next.webhook)],
      ["disabled webhooks", figure(disabledWebhooks)],
      ["seconds", secondsSince(since).toFixed(1)],
    ]);
    if (disabledWebhooks > 0)
      print(stderr, "To activate a webhook again, use `roster webhooks update ID --active=true`.");
  },
};
