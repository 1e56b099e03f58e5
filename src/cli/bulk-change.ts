import { type BulkChange, type Client, NetworkError, TimeoutError, type UserPatch } from "../client/index.ts";
import { ConfigError } from "../config/config.ts";
import { FilterSyntaxError } from "../domain/filter/filter-syntax-error.ts";
import { parseExpression } from "../domain/filter/parse-expression.ts";
import type { CommandContext } from "./command.ts";
import { countUsers } from "./count-users.ts";
import { describeProblem } from "./describe-error.ts";
import { exitCodes } from "./exit-codes.ts";
import { fail } from "./fail.ts";
import { filterOption } from "./flags/filter-flag.ts";
import type { Target } from "./flags/target-flags.ts";
import { toExpression, type Where } from "./flags/where-flag.ts";
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

/** A change without the users. */
type Change = { readonly patch: UserPatch } | { readonly delete: true };

/** Changes every user that matches. Counts them first, and asks for confirmation unless `yes`. */
export async function changeMatches(
  users: Client["users"],
  { where, filter }: Target,
  change: Change,
  yes: boolean,
  context: CommandContext,
): Promise<void> {
  const withValues = where && (await countUsers(users, { where, ...(filter !== undefined && { filter }) }));
  if (withValues === 0) return print(context.stderr, "No users match.");
  const expression = where ? readableExpression(where, filter) : (filter ?? "");
  const changes = { filter: expression, ...change };
  const count = await users.bulk(changes).count();
  if (count === 0) return print(context.stderr, "No users match.");
  if (withValues !== undefined && withValues !== count) throw otherUsers(withValues, count, expression);
  const { question } = wordsFor(changes);
  if (!yes)
    await confirm(context, `${question} ${formatCount(count, "user")} where ${printable(expression)}?`);
  await changeMany(users, changes, count, context);
}

/** The service changes users by an expression only. Throws a `ConfigError` if it is too long. */
function readableExpression(where: Where, filter: string | undefined): string {
  const expression = toExpression(where, filter);
  try {
    parseExpression(expression);
    return expression;
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
    throw new ConfigError(`--where has too many values for one change. ${error.message}`);
  }
}

/** Nothing else may be changed than what a list with the same --where shows. */
function otherUsers(withValues: number, count: number, expression: string): ConfigError {
  const found = count.toLocaleString("en");
  return new ConfigError(
    `--where finds ${formatCount(withValues, "user")}, but the expression that the service would apply finds ${found}: it ignores case, and counts an absent field as null. Nothing was changed. Use ids, or for all ${found}: ${filterOption(expression)}`,
  );
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
