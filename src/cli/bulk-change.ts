import { type BulkChange, type Client, NetworkError, TimeoutError } from "../client/index.ts";
import type { CommandContext } from "./command.ts";
import { describeProblem } from "./describe-error.ts";
import { exitCodes } from "./exit-codes.ts";
import { fail } from "./fail.ts";
import { onInterrupt } from "./interrupt.ts";
import { formatCount } from "./output/format-count.ts";
import { print, printSuccess } from "./output/print.ts";
import { printable } from "./output/printable.ts";
import { Progress } from "./output/progress.ts";
import { confirm } from "./prompt.ts";

const words = {
  patch: { question: "Change", step: "changing", done: "Changed" },
  delete: { question: "Delete", step: "deleting", done: "Deleted" },
} as const;

/** Changes every user that matches. Counts them first, and asks for confirmation unless `yes`. */
export async function changeMatches(
  users: Client["users"],
  change: BulkChange & { readonly filter: string },
  yes: boolean,
  context: CommandContext,
): Promise<void> {
  const count = await users.bulk(change).count();
  if (count === 0) return print(context.stderr, "No users match.");
  const { question } = wordsFor(change);
  if (!yes)
    await confirm(context, `${question} ${formatCount(count, "user")} where ${printable(change.filter)}?`);
  await changeMany(users, change, count, context);
}

/** Changes users in one call. Shows the progress, and prints each user that fails; ends the process if there is one. */
export async function changeMany(
  users: Client["users"],
  change: BulkChange,
  total: number,
  { stderr }: CommandContext,
): Promise<void> {
  const { step, done: verb } = wordsFor(change);
  const progress = new Progress(stderr);
  const howToContinue = "To continue, run the same command again.";
  let done = 0;
  let failed = 0;
  onInterrupt(stderr, `Interrupted. ${howToContinue}`);
  try {
    for await (const { id, problem } of users.bulk(change)) {
      if (problem) {
        failed++;
        if (stderr.isTTY) stderr.rewriteLine("");
        print(stderr, printable(describeFailure(id, describeProblem(problem))));
      }
      progress.show({ step, done: ++done, total, unit: "users" });
    }
  } catch (error) {
    progress.end();
    if (done > 0 || error instanceof NetworkError || error instanceof TimeoutError) {
      print(stderr, `The change ended after ${formatCount(done, "user")}. ${howToContinue}`);
    }
    throw error;
  }
  progress.end();
  if (failed > 0) {
    fail(
      `${verb} ${(done - failed).toLocaleString("en")} of ${formatCount(done, "user")}.`,
      exitCodes.failed.code,
    );
  }
  printSuccess(stderr, `${verb} ${formatCount(done, "user")}.`);
}

function wordsFor(change: BulkChange) {
  return change.delete ? words.delete : words.patch;
}

function describeFailure(id: number, reason: string): string {
  return reason.includes(`user ${id}`) ? reason : `user ${id}: ${reason}`;
}
