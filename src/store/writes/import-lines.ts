import type { ImportOptions } from "../../contract/bulk/bulk.ts";
import type { Json } from "../../contract/json.ts";
import type { Origin } from "../../domain/caller.ts";
import { foldEmail } from "../../domain/fold.ts";
import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import type { ImportLine } from "../../domain/import-row.ts";
import { parseJsonText } from "../../domain/json-text.ts";
import { type ProblemData, ProblemError } from "../../domain/problem-error.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";
import { userCheck } from "../../domain/users/check-user.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import { requestedUserName, toUniqueValue, type UniqueValue, USER_NAME } from "../schema/unique-values.ts";
import { createUser, editUser, readCurrent } from "./change-user.ts";
import {
  type ImportResults,
  idTaken,
  type LineAttempt,
  type PackedResult,
  packCreated,
  packExisting,
} from "./stored-outcome.ts";
import type { UserRow, WriteTransaction } from "./write-transaction.ts";

/** A chunk of an import as plain data. */
export interface RawImport {
  readonly kind: "import";
  readonly lines: readonly RawLine[];
  readonly options: ImportOptions;
  readonly idempotencyKey: IdempotencyKey | undefined;
  readonly by: Origin;
}

/** A line of an import: its JSON, or its problem. Bare JSON is cheaper to send to the writer thread than an object. */
type RawLine = string | ProblemData;

export function toRawLine(line: ImportLine): RawLine {
  return "json" in line ? line.json : line.problem;
}

/** A chunk of an import whose lines have been parsed and checked. */
export interface ParsedImport {
  readonly kind: "parsed-import";
  readonly attempts: readonly LineAttempt[];
  readonly options: ImportOptions;
  readonly idempotencyKey: IdempotencyKey | undefined;
  readonly by: Origin;
}

/** Parses and checks the lines. */
export function* parseImport({ lines, ...rest }: RawImport, rules: RecordRules): Steps<ParsedImport> {
  const attempts: LineAttempt[] = [];
  for (const line of lines) {
    attempts.push(parseLine(line, rest.options, rules));
    yield;
  }
  return { ...rest, kind: "parsed-import", attempts };
}

function parseLine(line: RawLine, { onConflict, match }: ImportOptions, rules: RecordRules): LineAttempt {
  if (typeof line !== "string") return { problem: line };
  try {
    const body = parseJsonText(line, "line");
    const id = match === "id" ? userCheck.id(body) : undefined;
    const named = id === undefined ? {} : { id };
    return onConflict === "update"
      ? { merge: userCheck.patch(body, id), ...named }
      : { record: userCheck.whole(body, rules), ...named };
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.data };
    throw error;
  }
}

/** Whether the users of existing emails must be read before the lines can be applied. */
export function matchesByEmail({ onConflict, match }: ImportOptions): boolean {
  return match === "email" && onConflict !== "fail";
}

/** The user name or the value of the unique custom field by which a line finds its user; undefined if users are found otherwise. */
export function matchedValue(
  attempt: Exclude<LineAttempt, { problem: unknown }>,
  { onConflict, match }: ImportOptions,
): UniqueValue | undefined {
  if (match === "email" || match === "id" || onConflict === "fail") return undefined;
  const fields: { readonly [field: string]: Json | undefined } =
    "record" in attempt ? attempt.record : attempt.merge;
  return match === USER_NAME ? requestedUserName(fields) : toUniqueValue(match, fields[match]);
}

/** Applies each line, or returns its problem. */
export function* applyLines(
  transaction: WriteTransaction,
  { attempts, options, by }: ParsedImport,
  rules: RecordRules,
): Steps<ImportResults> {
  const applyLine = (attempt: LineAttempt) => {
    if ("problem" in attempt) return attempt.problem;
    const existing = findExisting(transaction, attempt, options, rules);
    if (existing) {
      if (options.onConflict === "fail") return idTaken(existing.id).data;
      if ("merge" in attempt) editUser(transaction, existing, attempt, by, rules);
      return packExisting(existing.id);
    }
    const record = "record" in attempt ? attempt.record : userCheck.whole(attempt.merge, rules);
    const outcome = createUser(transaction, { record }, by, rules);
    return "user" in outcome ? packCreated(outcome.user.id) : outcome.problem;
  };
  const results: PackedResult[] = [];
  for (const attempt of attempts) {
    results.push(problemOr(() => applyLine(attempt)));
    yield;
  }
  return results;
}

/** The result, or the problem that it fails with. */
export function problemOr<T>(getResult: () => T): T | ProblemData {
  try {
    return getResult();
  } catch (error) {
    if (error instanceof ProblemError) return error.data;
    throw error;
  }
}

/** The user that a line matches. A line with an unknown id fails with `user-not-found`. */
function findExisting(
  transaction: WriteTransaction,
  attempt: Exclude<LineAttempt, { problem: unknown }>,
  options: ImportOptions,
  { uniqueFields = [] }: RecordRules,
): UserRow | undefined {
  if (attempt.id !== undefined) return readCurrent(transaction, attempt.id);
  const value = matchedValue(attempt, options);
  if (value && value.field !== USER_NAME && !uniqueFields.includes(value.field)) {
    throw new ProblemError("invalid-user", undefined, [
      { pointer: `/${value.field}`, detail: "This field is not unique any more: the schema has changed." },
    ]);
  }
  if (value) return transaction.findByValue(value);
  const emailKey = matchesByEmail(options) ? emailKeyOf(attempt) : undefined;
  return emailKey === undefined ? undefined : transaction.findByEmail(emailKey);
}

/** The folded email of a line. */
export function emailKeyOf(attempt: LineAttempt): string | undefined {
  if ("problem" in attempt) return undefined;
  const { email } = "record" in attempt ? attempt.record : attempt.merge;
  return typeof email === "string" ? foldEmail(email) : undefined;
}
