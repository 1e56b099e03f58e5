import { bulkLimits } from "../../contract/bulk/bulk.ts";
import type { Json } from "../../contract/json.ts";
import { isObject } from "../../contract/json.ts";
import { INVALID_ID, isIdValue } from "../../contract/scalars.ts";
import { FieldErrors } from "../field-errors.ts";
import type { Expression } from "../filter/expression.ts";
import { FilterSyntaxError } from "../filter/filter-syntax-error.ts";
import { parseRecordExpression } from "../filter/parse-expression.ts";
import { ProblemError } from "../problem-error.ts";
import { loopShare } from "../scheduling/loop-share.ts";
import { userCheck } from "../users/check-user.ts";
import type { BulkChange } from "../users/user-store.ts";

/** A bulk change: the users, and what happens to each of them. */
export type BulkRequest = (IdTarget | FilterTarget) & { readonly change: BulkChange };

/** The users with these ids. */
interface IdTarget {
  readonly ids: readonly number[];
}

/** The users that match a filter expression. */
interface FilterTarget {
  readonly filter: string;
  readonly expression: Expression;
}

const members = ["ids", "filter", "patch", "delete", "restore"];

/** Checks the parsed body of a bulk change. Fails with `invalid-bulk` and every error at once. */
export async function checkBulk(body: unknown): Promise<BulkRequest> {
  const errors = new FieldErrors();
  if (!isObject(body)) {
    throw new ProblemError("invalid-bulk", "The request body must be a JSON object.", [
      { pointer: "", detail: "Send an object with ids or filter, and with patch, delete or restore." },
    ]);
  }
  const { ids, filter } = body;
  const unknown = Object.keys(body).filter((name) => !members.includes(name));
  for (const name of unknown.slice(0, 10)) {
    errors.add(`/${name.slice(0, 64)}`, "Unknown member. Use ids or filter, and patch, delete or restore.");
  }
  const target =
    filter === undefined ? { ids: await checkIds(ids, errors) } : checkFilter(filter, ids, errors);
  const change = checkChange(body, errors);
  errors.throwIfAny("invalid-bulk");
  if (!target) throw new Error("The filter of a bulk change has an error, but no field error.");
  return { ...target, change };
}

function checkFilter(filter: Json, ids: Json | undefined, errors: FieldErrors): FilterTarget | undefined {
  if (ids !== undefined) return errors.add("/filter", "Send either ids or filter.");
  if (typeof filter !== "string") return errors.add("/filter", "Send a filter expression as text.");
  try {
    return { filter, expression: parseRecordExpression(filter) };
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
    return errors.add("/filter", error.message, error.position);
  }
}

async function checkIds(ids: Json | undefined, errors: FieldErrors): Promise<number[]> {
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > bulkLimits.ids) {
    errors.add("/ids", `Send an array of 1 to ${bulkLimits.ids} ids, or a filter.`);
    return [];
  }
  const checked: number[] = [];
  for (const [index, id] of ids.entries()) {
    if (errors.full) break;
    if (index % 1000 === 0 && loopShare.isSpent) await loopShare.nextTurn();
    if (isIdValue(id)) checked.push(id);
    else errors.add(`/ids/${index}`, INVALID_ID);
  }
  return checked;
}

function checkChange(
  { patch, delete: remove, restore }: { [name: string]: Json },
  errors: FieldErrors,
): BulkChange {
  if ([patch, remove, restore].filter((member) => member !== undefined).length !== 1) {
    errors.add("", "Send one of patch, delete and restore.");
  } else if (remove !== undefined) {
    if (remove !== true) errors.add("/delete", "Send true to delete the users.");
    return "remove";
  } else if (restore !== undefined) {
    if (restore !== true) errors.add("/restore", "Send true to restore the users.");
    return "restore";
  }
  try {
    return { merge: patch === undefined ? {} : userCheck.patch(patch) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    for (const { pointer, detail } of error.errors ?? []) errors.add(`/patch${pointer}`, detail);
    return { merge: {} };
  }
}
