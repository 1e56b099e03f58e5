import { bulkLimits } from "../../contract/bulk/bulk.ts";
import type { Json } from "../../contract/json.ts";
import { isObject } from "../../contract/json.ts";
import { INVALID_ID, isIdValue } from "../../contract/scalars.ts";
import { FieldErrors } from "../field-errors.ts";
import { FilterSyntaxError } from "../filter/filter-syntax-error.ts";
import { parseRecordExpression } from "../filter/parse-expression.ts";
import { parseUserExpression, type UserExpression } from "../lists/group-filters.ts";
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
interface FilterTarget extends UserExpression {
  readonly filter: string;
}

type Check = (value: Json, errors: FieldErrors) => BulkChange;

/** The members that say what happens to the users. */
const changes: Readonly<Record<string, Check>> = {
  patch: checkPatch,
  delete: (value, errors) => {
    if (value !== true) errors.add("/delete", "Send true to delete the users.");
    return "remove";
  },
  restore: (value, errors) => {
    if (value !== true) errors.add("/restore", "Send true to restore the users.");
    return "restore";
  },
  addToGroup: (value, errors) => ({ groupId: checkId(value, "/addToGroup", errors), isMember: true }),
  removeFromGroup: (value, errors) => ({
    groupId: checkId(value, "/removeFromGroup", errors),
    isMember: false,
  }),
};

const changeNames = "patch, delete, restore, addToGroup or removeFromGroup";

/** Checks the parsed body of a bulk change. Fails with `invalid-bulk` and every error at once. */
export async function checkBulk(body: unknown): Promise<BulkRequest> {
  const errors = new FieldErrors();
  if (!isObject(body)) {
    throw new ProblemError("invalid-bulk", "The request body must be a JSON object.", [
      { pointer: "", detail: `Send an object with ids or filter, and with ${changeNames}.` },
    ]);
  }
  const { ids, filter } = body;
  const known = ["ids", "filter", ...Object.keys(changes)];
  const unknown = Object.keys(body).filter((name) => !known.includes(name));
  for (const name of unknown.slice(0, 10)) {
    errors.add(`/${name.slice(0, 64)}`, `Unknown member. Use ids or filter, and ${changeNames}.`);
  }
  const target =
    filter === undefined ? { ids: await checkIds(ids, errors) } : checkFilter(filter, body, errors);
  const change = checkChange(body, errors);
  errors.throwIfAny("invalid-bulk");
  if (!target) throw new Error("The filter of a bulk change has an error, but no field error.");
  return { ...target, change };
}

function checkFilter(
  filter: Json,
  { ids, restore }: { readonly [name: string]: Json | undefined },
  errors: FieldErrors,
): FilterTarget | undefined {
  if (ids !== undefined) return errors.add("/filter", "Send either ids or filter.");
  if (typeof filter !== "string") return errors.add("/filter", "Send a filter expression as text.");
  try {
    // Deleted users are not members of groups.
    if (restore !== undefined) return { filter, expression: parseRecordExpression(filter), groups: [] };
    return { filter, ...parseUserExpression(filter) };
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

function checkChange(body: { readonly [name: string]: Json }, errors: FieldErrors): BulkChange {
  const sent = Object.entries(body).filter(([name]) => Object.hasOwn(changes, name));
  if (sent.length !== 1) errors.add("", `Send one of ${changeNames}.`);
  const [change = { merge: {} }] = sent.flatMap(([name, value]) => changes[name]?.(value, errors) ?? []);
  return change;
}

function checkPatch(patch: Json, errors: FieldErrors): BulkChange {
  try {
    return { merge: userCheck.patch(patch) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    for (const { pointer, detail } of error.errors ?? []) errors.add(`/patch${pointer}`, detail);
    return { merge: {} };
  }
}

function checkId(value: Json, pointer: string, errors: FieldErrors): number {
  if (isIdValue(value)) return value;
  errors.add(pointer, INVALID_ID);
  return 0;
}
