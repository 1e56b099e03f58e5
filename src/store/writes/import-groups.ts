import type { ImportOptions } from "../../contract/bulk/bulk.ts";
import type { GroupRecord } from "../../contract/groups/group.ts";
import { foldEmail } from "../../domain/fold.ts";
import { groupCheck } from "../../domain/groups/check-group.ts";
import { groupNotFound } from "../../domain/groups/group.ts";
import { createGroup, editGroup, nameTaken, readGroup } from "./change-group.ts";
import { fieldsOf, type ImportedKind } from "./import-kind.ts";
import { idTaken, packCreated, type ReadableAttempt } from "./stored-outcome.ts";
import type { GroupRow } from "./write-transaction.ts";

/** How lines become groups. A line with an unknown id fails with `group-not-found`. */
export const groupLines: ImportedKind<GroupRecord, GroupRow> = {
  check: groupCheck,
  findExisting(transaction, attempt, options) {
    if (attempt.id !== undefined) return readGroup(transaction, attempt.id, undefined);
    const name = matchesByName(options) ? uniqueNameOf(attempt) : undefined;
    return name === undefined ? undefined : transaction.groups.findByName(name);
  },
  edit: editGroup,
  create(transaction, record, by) {
    const outcome = createGroup(transaction, { record }, by);
    return "group" in outcome ? packCreated(outcome.group.id) : outcome.problem;
  },
  findProblem(type, attempt) {
    if ("problem" in attempt) return attempt.problem.type === type ? attempt.problem : undefined;
    const { id } = attempt;
    if (type === "group-not-found" && id !== undefined) return groupNotFound(id).data;
    if (type !== "value-taken") return undefined;
    // An update by id fails because of its name.
    if (id !== undefined && "record" in attempt) return idTaken(id).data;
    const { name } = fieldsOf(attempt);
    return typeof name === "string" ? nameTaken(name.trim()).data : undefined;
  },
};

/** Whether the groups of existing names must be read before the lines can be applied. */
export function matchesByName({ onConflict, match }: ImportOptions): boolean {
  return match === "name" && onConflict !== "fail";
}

/** The name of a line as the unique index has it. */
export function uniqueNameOf(attempt: ReadableAttempt<GroupRecord>): string | undefined {
  const { name } = fieldsOf(attempt);
  return typeof name === "string" ? foldEmail(name.trim()) : undefined;
}
