import type { Json } from "../../contract/json.ts";
import type { ProblemType } from "../../contract/problems.ts";
import type { UserRecord } from "../../contract/users/user.ts";
import type { MembershipResult } from "../../domain/groups/group-store.ts";
import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import type { ImportedRecord, LineResult } from "../../domain/import-row.ts";
import { type ProblemData, ProblemError } from "../../domain/problem-error.ts";
import type { RecordOfFields } from "../../domain/records/check-record.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import type { ChangedUser } from "../../domain/users/user-store.ts";

/*
 * Outcomes under idempotency keys, as stored. A repeated request has the same body, so it has the same field errors: only
 * the type of a problem is stored. This keeps an outcome small, whatever the body contains.
 */

/** The result of a create or an import, stored under its idempotency key. */
export interface StoredOutcome {
  readonly fingerprint: string;
  readonly outcome: StoredCreate | StoredImport | StoredMemberships;
  readonly expiresAt: number;
}

/** An outcome that a batch saves. */
export type SavedOutcome = IdempotencyKey & Pick<StoredOutcome, "outcome" | "expiresAt">;

export type CreatedUser = { readonly user: StoredRecord };
export type CreatedGroup = { readonly group: StoredRecord };
export type Problem = { readonly problem: ProblemData };
export type StoredCreate = CreatedUser | CreatedGroup | Problem;

export interface StoredImport {
  /**
   * Pairs of a value and a number of lines. A positive value is the id of the first of these lines; the ids of the
   * others follow it. 0 stands for skipped users. -1 stands for the first of `problems`, -2 for the second, and so on.
   */
  readonly runs: readonly number[];
  readonly problems: readonly ProblemType[];
  /** Pairs of an index and a number of lines: the users of these lines existed before. Absent if there are none. */
  readonly existing?: readonly number[];
  /** The ids of a bulk change, as pairs of an id and a number of consecutive ids. Absent if `runs` has all of them. */
  readonly ids?: readonly number[];
}

/** The results of an import of memberships: pairs of an index in `results` and a number of lines. */
export interface StoredMemberships {
  readonly results: readonly MembershipResult[];
  readonly runs: readonly number[];
}

/**
 * A line of an import that has been parsed: a record to create, a merge patch for a record that may exist, or a problem. `id` is
 * the id that the line names, if records are matched by id.
 */
export type LineAttempt<Fields = UserRecord> = ReadableAttempt<Fields> | (Problem & { readonly id?: number });
export type ReadableAttempt<Fields> = (
  | { readonly record: Fields }
  | { readonly merge: { [field: string]: Json } }
) & { readonly id?: number };

/** A record to create, or a problem. */
export type CreateAttempt = { readonly record: RecordOfFields } | Problem;

/**
 * The result for one record, as one value: threads send each other thousands of them. A number is the id of a created record, the
 * negative id of a record that existed before, or 0 for a user that was skipped. Only the functions below know this.
 */
export type PackedResult = number | ProblemData;
export type ImportResults = readonly PackedResult[];

/** A user that does not meet the condition of a bulk change. */
export const SKIPPED: PackedResult = 0;

export const packCreated = (id: number): PackedResult => id;
/** A user that existed before: changed, deleted, restored or left as it was. */
export const packExisting = (id: number): PackedResult => -id;

/** The outcome of a line of an import. */
export function toImportedRecord(result: PackedResult): LineResult<ImportedRecord> {
  if (typeof result !== "number") return { problem: result };
  return { created: result > 0, id: Math.abs(result) };
}

/** The outcome of a bulk change for the user with this id. */
export function toChangedUser(id: number, result: PackedResult): ChangedUser {
  if (typeof result !== "number") return { id, problem: result };
  return result === SKIPPED ? { id, skipped: true } : { id: Math.abs(result) };
}

/** Errors of a user that the schema does not allow. */
const MAX_STORED_ERRORS = 10;

export function toStoredCreate(outcome: StoredCreate, attempt: CreateAttempt): StoredCreate {
  if (!("problem" in outcome)) return outcome;
  const { type, detail, errors } = outcome.problem;
  // The schema may be another one when the request is repeated.
  const stored =
    "record" in attempt && type !== "email-taken" ? errors?.slice(0, MAX_STORED_ERRORS) : undefined;
  return { problem: { type, detail, ...(stored && { errors: stored }) } };
}

/** The problem of a repeated create that was refused. */
export function replayRefusal({ problem }: Problem, attempt: CreateAttempt): Problem {
  return { problem: findUserProblem(problem.type, attempt) ?? problem };
}

/** `ids` are those of a bulk change: a repeated request may have others. */
export function toStoredImport(results: ImportResults, ids?: readonly number[]): StoredImport {
  const runs: number[] = [];
  const problems: ProblemType[] = [];
  const existing: number[] = [];
  for (const [index, result] of results.entries()) {
    const value = typeof result === "number" ? Math.abs(result) : -1 - indexOrAdd(problems, result.type);
    if (typeof result === "number" && result < 0) existing.push(index);
    const [first = 0, count = 0] = runs.slice(-2);
    const isNext = count > 0 && value === (first > 0 ? first + count : first);
    if (isNext) runs[runs.length - 1] = count + 1;
    else runs.push(value, 1);
  }
  return {
    runs,
    problems,
    ...(existing.length > 0 && { existing: toRuns(existing) }),
    ...(ids && !results.every(hasId) && { ids: toRuns(ids) }),
  };
}

/** Whether the user was created or existed before. */
function hasId(result: PackedResult): boolean {
  return typeof result === "number" && result !== SKIPPED;
}

export function toStoredMemberships(lines: readonly MembershipResult[]): StoredMemberships {
  const results: MembershipResult[] = [];
  const runs: number[] = [];
  for (const line of lines) {
    const index = indexOrAdd(results, line);
    const [last, count = 0] = runs.slice(-2);
    if (index === last) runs[runs.length - 1] = count + 1;
    else runs.push(index, 1);
  }
  return { results, runs };
}

export function replayMemberships({ results, runs }: StoredMemberships): MembershipResult[] {
  const lines: MembershipResult[] = [];
  for (let run = 0; run < runs.length; run += 2) {
    const [index = 0, count = 0] = runs.slice(run, run + 2);
    for (let i = 0; i < count; i++) lines.push(results[index] ?? "internal");
  }
  return lines;
}

/** Finds the problem of this type that an attempt has. */
export type FindProblem<LineOrCreate> = (type: ProblemType, attempt: LineOrCreate) => ProblemData | undefined;

/** The results of a repeated import. `attempts` are its lines. */
export function replayImport<Line>(
  { runs, problems, existing = [] }: StoredImport,
  attempts: readonly Line[],
  findProblem: FindProblem<Line>,
): ImportResults {
  // A stored problem outlives a change of the limits: a line that was rejected stays rejected, without field errors.
  const replayProblem = (type: ProblemType, attempt: Line | undefined) =>
    (attempt && findProblem(type, attempt)) ?? new ProblemError(type).data;
  const results: PackedResult[] = [];
  for (let run = 0; run < runs.length; run += 2) {
    const [first = 0, count = 0] = runs.slice(run, run + 2);
    const type = problems[-1 - first] ?? "internal";
    for (let i = 0; i < count; i++) {
      if (first === SKIPPED) results.push(SKIPPED);
      else results.push(first > 0 ? first + i : replayProblem(type, attempts[results.length]));
    }
  }
  for (const index of fromRuns(existing)) results[index] = -Number(results[index]);
  return results;
}

/** The problem of this type that a line of users has, or a create of any record. */
export function findUserProblem(
  type: ProblemType,
  attempt: LineAttempt | (CreateAttempt & { readonly id?: undefined }),
): ProblemData | undefined {
  if ("problem" in attempt) return attempt.problem.type === type ? attempt.problem : undefined;
  if (type === "user-not-found" && attempt.id !== undefined) return userNotFound(attempt.id).data;
  // An update by id fails because of another value.
  if (type === "value-taken" && attempt.id !== undefined && "record" in attempt)
    return idTaken(attempt.id).data;
  const fields = "record" in attempt ? attempt.record : attempt.merge;
  return type === "email-taken" && fields.email !== undefined ? emailTaken(fields).data : undefined;
}

export function emailTaken({ email }: { readonly [field: string]: Json | undefined }): ProblemError {
  return new ProblemError("email-taken", undefined, [
    { pointer: "/email", detail: `${email} is already in use.` },
  ]);
}

/** The email of a deleted user was taken since. The problem does not tell it: not everyone who restores may read. */
export function restoredEmailTaken(): ProblemError {
  return new ProblemError("email-taken", undefined, [
    {
      pointer: "/email",
      detail: "Another user has this user's email now. Restore the user with another email.",
    },
  ]);
}

export function idTaken(id: number): ProblemError {
  return new ProblemError("value-taken", undefined, [{ pointer: "/id", detail: `${id} is already in use.` }]);
}

export function userNotFound(id: number): ProblemError {
  return new ProblemError("user-not-found", `There is no user ${id}.`);
}

export function deletedUserNotFound(id: number): ProblemError {
  return new ProblemError("user-not-found", `There is no deleted user ${id}.`);
}

/** The id of the user whose data an outcome contains. */
export function userIdOf({ outcome }: Pick<StoredOutcome, "outcome">): number | null {
  return "user" in outcome ? outcome.user.id : null;
}

/** Replaces the outcome of a create after its user was purged: a repeated request must not create the user again. */
export const ERASED_OUTCOME: StoredOutcome["outcome"] = {
  problem: { type: "user-not-found", detail: "The user that this request created was purged." },
};

/** Pairs of a number, and how many consecutive numbers begin with it. */
function toRuns(numbers: readonly number[]): number[] {
  const runs: number[] = [];
  for (const number of numbers) {
    const [first = 0, count = 0] = runs.slice(-2);
    if (count > 0 && number === first + count) runs[runs.length - 1] = count + 1;
    else runs.push(number, 1);
  }
  return runs;
}

export function fromRuns(runs: readonly number[]): number[] {
  const numbers: number[] = [];
  for (let run = 0; run < runs.length; run += 2) {
    const [first = 0, count = 0] = runs.slice(run, run + 2);
    for (let number = first; number < first + count; number++) numbers.push(number);
  }
  return numbers;
}

function indexOrAdd<T>(list: T[], value: T): number {
  const index = list.indexOf(value);
  return index < 0 ? list.push(value) - 1 : index;
}
