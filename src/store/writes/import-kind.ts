import type { ImportOptions } from "../../contract/bulk/bulk.ts";
import type { Json } from "../../contract/json.ts";
import type { Origin } from "../../domain/caller.ts";
import { type ProblemData, ProblemError } from "../../domain/problem-error.ts";
import type { RecordCheck, RecordOfFields } from "../../domain/records/check-record.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import type { FindProblem, LineAttempt, PackedResult, ReadableAttempt } from "./stored-outcome.ts";
import type { WriteTransaction } from "./write-transaction.ts";

/** How lines of an import become records of one kind. */
export interface ImportedKind<Fields extends RecordOfFields, Row extends { readonly id: number }> {
  readonly check: RecordCheck<Fields>;
  /** The record that a line matches. A line with an unknown id fails. */
  readonly findExisting: (
    transaction: WriteTransaction,
    attempt: ReadableAttempt<Fields>,
    options: ImportOptions,
    rules: RecordRules,
  ) => Row | undefined;
  readonly edit: (
    transaction: WriteTransaction,
    row: Row,
    change: { readonly merge: { [field: string]: Json } },
    by: Origin,
    rules: RecordRules,
  ) => void;
  readonly create: (
    transaction: WriteTransaction,
    record: Fields,
    by: Origin,
    rules: RecordRules,
  ) => PackedResult;
  readonly findProblem: FindProblem<LineAttempt<Fields>>;
}

/** The fields of a line that could be read. */
export function fieldsOf(attempt: ReadableAttempt<RecordOfFields>): {
  readonly [field: string]: Json | undefined;
} {
  return "record" in attempt ? attempt.record : attempt.merge;
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
