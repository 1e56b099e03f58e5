import type { ImportOptions } from "../../contract/bulk/bulk.ts";
import type { GroupRecord } from "../../contract/groups/group.ts";
import type { UserRecord } from "../../contract/users/user.ts";
import type { Origin } from "../../domain/caller.ts";
import { groupCheck } from "../../domain/groups/check-group.ts";
import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import type { ImportLine } from "../../domain/import-row.ts";
import { parseJsonText } from "../../domain/json-text.ts";
import { type ProblemData, ProblemError } from "../../domain/problem-error.ts";
import type { RecordCheck, RecordOfFields } from "../../domain/records/check-record.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";
import { userCheck } from "../../domain/users/check-user.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import { groupLines } from "./import-groups.ts";
import { type ImportedKind, problemOr } from "./import-kind.ts";
import { userLines } from "./import-users.ts";
import {
  type ImportResults,
  idTaken,
  type LineAttempt,
  type PackedResult,
  packExisting,
  replayImport,
  type StoredImport,
} from "./stored-outcome.ts";
import type { WriteTransaction } from "./write-transaction.ts";

/** A chunk of an import as plain data. */
export interface RawImport extends ImportFacts {
  readonly kind: "import";
  readonly records: "users" | "groups";
  readonly lines: readonly RawLine[];
}

interface ImportFacts {
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
export type ParsedImport = ParsedLines<"users", UserRecord> | ParsedLines<"groups", GroupRecord>;

interface ParsedLines<Records, Fields> extends ImportFacts {
  readonly kind: "parsed-import";
  readonly records: Records;
  readonly attempts: readonly LineAttempt<Fields>[];
}

/** Parses and checks the lines. */
export function* parseImport(
  { lines, records, ...facts }: RawImport,
  rules: RecordRules,
): Steps<ParsedImport> {
  const { options } = facts;
  const kind = "parsed-import";
  return records === "users"
    ? { ...facts, kind, records, attempts: yield* parseLines(lines, options, userCheck, rules) }
    : { ...facts, kind, records, attempts: yield* parseLines(lines, options, groupCheck, rules) };
}

function* parseLines<Fields extends RecordOfFields>(
  lines: readonly RawLine[],
  options: ImportOptions,
  check: RecordCheck<Fields>,
  rules: RecordRules,
): Steps<LineAttempt<Fields>[]> {
  const attempts: LineAttempt<Fields>[] = [];
  for (const line of lines) {
    attempts.push(parseLine(line, options, check, rules));
    yield;
  }
  return attempts;
}

function parseLine<Fields extends RecordOfFields>(
  line: RawLine,
  { onConflict, match }: ImportOptions,
  check: RecordCheck<Fields>,
  rules: RecordRules,
): LineAttempt<Fields> {
  if (typeof line !== "string") return { problem: line };
  try {
    const body = parseJsonText(line, "line", check.invalid);
    const id = match === "id" ? check.id(body) : undefined;
    const named = id === undefined ? {} : { id };
    return onConflict === "update"
      ? { merge: check.patch(body, id), ...named }
      : { record: check.whole(body, rules), ...named };
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.data };
    throw error;
  }
}

/** Applies each line, or returns its problem. */
export function applyLines(
  transaction: WriteTransaction,
  write: ParsedImport,
  rules: RecordRules,
): Steps<ImportResults> {
  return write.records === "users"
    ? applyEach(transaction, write, userLines, rules)
    : applyEach(transaction, write, groupLines, rules);
}

function* applyEach<Fields extends RecordOfFields, Row extends { readonly id: number }>(
  transaction: WriteTransaction,
  { attempts, options, by }: ParsedLines<unknown, Fields>,
  { check, findExisting, edit, create }: ImportedKind<Fields, Row>,
  rules: RecordRules,
): Steps<ImportResults> {
  const applyLine = (attempt: LineAttempt<Fields>) => {
    if ("problem" in attempt) return attempt.problem;
    const existing = findExisting(transaction, attempt, options, rules);
    if (existing) {
      if (options.onConflict === "fail") return idTaken(existing.id).data;
      if ("merge" in attempt) edit(transaction, existing, attempt, by, rules);
      return packExisting(existing.id);
    }
    const record = "record" in attempt ? attempt.record : check.whole(attempt.merge, rules);
    return create(transaction, record, by, rules);
  };
  const results: PackedResult[] = [];
  for (const attempt of attempts) {
    results.push(problemOr(() => applyLine(attempt)));
    yield;
  }
  return results;
}

/** The results of a repeated import of these lines. */
export function replayLines(stored: StoredImport, write: ParsedImport): ImportResults {
  return write.records === "users"
    ? replayImport(stored, write.attempts, userLines.findProblem)
    : replayImport(stored, write.attempts, groupLines.findProblem);
}
