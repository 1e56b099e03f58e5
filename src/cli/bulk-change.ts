import {
  type ChangedUser,
  type Client,
  NetworkError,
  TimeoutError,
  type UserPatch,
} from "../client/index.ts";
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

/** What happens to users. */
export interface UserChange {
  readonly change:
    | { readonly patch: UserPatch }
    | { readonly delete: true }
    | { readonly addToGroup: number }
    | { readonly removeFromGroup: number };
  /** The question before the change, of users such as `3 users`. */
  readonly question: (users: string) => string;
  readonly step: string;
  /** What has happened to the users. */
  readonly done: (users: string) => string;
}

export const deletion: UserChange = {
  change: { delete: true },
  question: (users) => `Delete ${users}`,
  step: "deleting",
  done: (users) => `Deleted ${users}`,
};

export function patching(patch: UserPatch): UserChange {
  return {
    change: { patch },
    question: (users) => `Change ${users}`,
    step: "changing",
    done: (users) => `Changed ${users}`,
  };
}

/** A change of members. `name` is the id or the name of the group, as the person wrote it. */
export function joining(kind: "addToGroup" | "removeFromGroup", id: number, name: string): UserChange {
  return kind === "addToGroup"
    ? {
        change: { addToGroup: id },
        question: (users) => `Add ${users} to group ${name}`,
        step: "adding",
        done: (users) => `Added ${users} to group ${name}`,
      }
    : {
        change: { removeFromGroup: id },
        question: (users) => `Remove ${users} from group ${name}`,
        step: "removing",
        done: (users) => `Removed ${users} from group ${name}`,
      };
}

/** Changes the users with these ids. Shows the progress, and prints each user that fails; ends the process if there is one. */
export async function changeIds(
  users: Client["users"],
  ids: readonly number[],
  change: UserChange,
  context: CommandContext,
): Promise<void> {
  await runChange(users.bulk({ ids, ...change.change }), change, ids.length, context);
}

/** Changes every user that matches, as `changeIds` does. Counts them first, and asks for confirmation unless `yes`. */
export async function changeMatches(
  users: Client["users"],
  { target: { where, filter }, change, yes }: { target: Target; change: UserChange; yes: boolean },
  context: CommandContext,
): Promise<void> {
  const withValues = where && (await countUsers(users, { where, ...(filter !== undefined && { filter }) }));
  if (withValues === 0) return print(context.stderr, "No users match.");
  const expression = where ? readableExpression(where, filter) : (filter ?? "");
  const bulk = () => users.bulk({ filter: expression, ...change.change });
  const count = await bulk().count();
  if (count === 0) return print(context.stderr, "No users match.");
  if (withValues !== undefined && withValues !== count) throw otherUsers(withValues, count, expression);
  if (!yes) {
    const matches = `${formatCount(count, "user")} where ${printable(expression)}`;
    await confirm(context, `${change.question(matches)}?`);
  }
  await runChange(bulk(), change, count, context);
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

async function runChange(
  results: AsyncIterable<ChangedUser>,
  { step, done: describe }: UserChange,
  total: number,
  { stderr }: CommandContext,
): Promise<void> {
  const progress = new Progress(stderr);
  const howToContinue = "To continue, run the same command again.";
  let done = 0;
  let failed = 0;
  const ignoreInterrupts = onInterrupt(stderr, `Interrupted. ${howToContinue}`);
  try {
    for await (const { id, problem } of results) {
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
  } finally {
    ignoreInterrupts();
  }
  progress.end();
  if (failed > 0) {
    const changed = `${(done - failed).toLocaleString("en")} of ${formatCount(done, "user")}`;
    fail(`${describe(changed)}.`, exitCodes.failed.code);
  }
  printSuccess(stderr, `${describe(formatCount(done, "user"))}.`);
}

function describeFailure(id: number, reason: string): string {
  return reason.includes(`user ${id}`) ? reason : `user ${id}: ${reason}`;
}
