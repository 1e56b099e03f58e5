import type { Json } from "../../client/index.ts";
import { EMAIL_PATTERN, NAME_PATTERN, userLimits } from "../../contract/users/user.ts";
import { importing as texts } from "../texts/index.ts";
import type { ConflictAction } from "./import-run.ts";
import type { Target } from "./mapping.ts";
import type { FailedRow, Row, Source } from "./source.ts";

const namePattern = new RegExp(NAME_PATTERN);
const emailPattern = new RegExp(EMAIL_PATTERN);

/** A row as it will be created, with the errors that can be found without the service. */
export interface CheckedRow {
  readonly row: Row;
  /** Undefined if the row can't be parsed. */
  readonly record: ReadonlyMap<string, Json> | undefined;
  /** Errors by field. */
  readonly errors: ReadonlyMap<string, string>;
  /** An error of the whole row. */
  readonly error: string | undefined;
}

export function hasErrors({ errors, error }: CheckedRow): boolean {
  return errors.size > 0 || error !== undefined;
}

/** Checks each row of the sample. Unless rows may have the email of a user, checks that no email appears twice. */
export function checkSample(
  source: Source,
  targets: readonly Target[],
  onConflict: ConflictAction = "fail",
): CheckedRow[] {
  const rowOfEmail = new Map<string, number>();
  return source.sample.map((row) => {
    const record = source.toRecord(row, targets);
    const error = source.findRowError(row);
    if (!record || error !== undefined) return { row, record, errors: new Map(), error };
    const errors = new Map(source.findTypeErrors(row, targets));
    const email = record.get("email");
    // A row with the email of a user keeps the name of the user.
    const canLackName = onConflict === "update" && typeof email === "string" && !record.has("name");
    if (!canLackName) addError(errors, "name", nameError(record.get("name")));
    addError(errors, "email", emailError(email));
    if (onConflict === "fail" && !errors.has("email"))
      addError(errors, "email", duplicateError(email, row.number, rowOfEmail));
    return { row, record, errors, error };
  });
}

/** Adds the errors that the service found to rows without other errors. */
export function addFailures(
  rows: readonly CheckedRow[],
  failed: readonly FailedRow[],
  fields: readonly string[],
): readonly CheckedRow[] {
  if (failed.length === 0) return rows;
  const failures = new Map(failed.map((failure) => [failure.row.number, failure]));
  return rows.map((row) => {
    const failure = failures.get(row.row.number);
    if (!failure || hasErrors(row)) return row;
    const { field, reason } = failure;
    return field !== undefined && fields.includes(field)
      ? { ...row, errors: new Map([[field, reason]]) }
      : { ...row, error: reason };
  });
}

function addError(errors: Map<string, string>, field: string, error: string | undefined): void {
  if (error !== undefined) errors.set(field, error);
}

function nameError(name: Json | undefined): string | undefined {
  if (name === undefined || name === null) return texts.errors.noName;
  if (typeof name !== "string") return texts.errors.nameNoText;
  const trimmed = name.trim();
  if (trimmed === "") return texts.errors.noName;
  if (!namePattern.test(trimmed)) return texts.errors.nameControl;
  return [...trimmed].length > userLimits.nameCharacters
    ? texts.errors.nameLong(userLimits.nameCharacters)
    : undefined;
}

function emailError(email: Json | undefined): string | undefined {
  if (email === undefined || email === null) return undefined;
  if (typeof email !== "string") return texts.errors.emailNoText;
  if ([...email].length > userLimits.emailCharacters)
    return texts.errors.emailLong(userLimits.emailCharacters);
  return emailPattern.test(email) ? undefined : texts.errors.emailInvalid;
}

/** Emails are unique regardless of case. */
function duplicateError(
  email: Json | undefined,
  number: number,
  rowOfEmail: Map<string, number>,
): string | undefined {
  if (typeof email !== "string") return undefined;
  const folded = email.toLowerCase();
  const firstRow = rowOfEmail.get(folded);
  if (firstRow === undefined) rowOfEmail.set(folded, number);
  return firstRow === undefined ? undefined : texts.errors.emailDuplicate(firstRow);
}
