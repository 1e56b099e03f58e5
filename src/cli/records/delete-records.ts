import { ApiError } from "../../client/index.ts";
import type { CommandContext } from "../command.ts";
import { describeError } from "../describe-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { fail } from "../fail.ts";
import { formatCount } from "../output/format-count.ts";
import { print, printSuccess } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { confirm } from "../prompt.ts";
import type { RecordAccess, RecordCalls } from "./record-access.ts";
import type { AnyRecord } from "./record-kind.ts";

/** A record to delete, if it still has this version. */
interface VersionedRecord {
  readonly id: number;
  readonly version: number | undefined;
}

interface Deletion<Calls> {
  readonly calls: Calls;
  readonly targets: readonly VersionedRecord[];
  /** Do not ask for confirmation. */
  readonly yes: boolean;
}

/** Deletes records one by one. Asks for confirmation, and deletes each only in the version that the question showed. */
export async function deleteRecords<Item extends AnyRecord, Input, Patch>(
  { kind, describe }: Pick<RecordAccess<Item, Input, Patch, unknown>, "kind" | "describe">,
  { calls, targets, yes }: Deletion<RecordCalls<Item, Input, Patch>>,
  context: CommandContext,
): Promise<void> {
  const count = targets.length;
  const confirmed = yes ? targets : await confirmVersions();
  const failed = await deleteAll(calls, confirmed, context);
  if (failed > 0)
    fail(`Deleted ${count - failed} of ${formatCount(count, kind.one)}.`, exitCodes.failed.code);
  const what = count === 1 ? `${kind.one} ${targets[0]?.id}` : formatCount(count, kind.one);
  printSuccess(context.stderr, `Deleted ${what}.`);

  /** Asks for confirmation, and returns the records in the versions that the prompt showed. */
  async function confirmVersions(): Promise<VersionedRecord[]> {
    const forGood = kind.isRestorable ? "" : " for good";
    const shown: Item[] = [];
    for (const { id } of targets) shown.push(await calls.get(id));
    const [only, ...more] = shown;
    if (only && more.length === 0) await confirm(context, `Delete ${describe(only)}${forGood}?`);
    else {
      if (context.stderr.isTTY) for (const record of shown) print(context.stderr, `  ${describe(record)}`);
      await confirm(context, `Delete these ${shown.length} ${kind.many}${forGood}?`);
    }
    return shown.map(({ id, version }, index) => ({ id, version: targets[index]?.version ?? version }));
  }
}

/** Deletes records and prints those that could not be deleted. Returns their number. With a single record, throws its error. */
async function deleteAll(
  calls: Pick<RecordCalls<AnyRecord, never, never>, "delete">,
  targets: readonly VersionedRecord[],
  { stderr }: CommandContext,
): Promise<number> {
  let failed = 0;
  for (const { id, version } of targets) {
    try {
      await calls.delete(id, version === undefined ? {} : { ifMatch: version });
    } catch (error) {
      const onlyThisOne = error instanceof ApiError && [404, 409, 412].includes(error.status);
      if (targets.length === 1 || !onlyThisOne) throw error;
      failed++;
      print(stderr, printable(describeError(error)));
    }
  }
  return failed;
}
