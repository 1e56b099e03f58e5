import type { Json } from "../../client/index.ts";
import { EMAIL_PATTERN, NAME_PATTERN, userLimits } from "../../contract/user.ts";
import { importing as texts } from "../texts/index.ts";
import type { Target } from "./mapping.ts";
import type { Row, Source } from "./source.ts";

const namePattern = new RegExp(NAME_PATTERN);
const emailPattern = new RegExp(EMAIL_PATTERN);

/** A row as it will be created, and what the service will find wrong with it as far as that can be told from here. */
export interface CheckedRow {
  readonly row: Row;
  /** Undefined where the row cannot be told apart. */
  readonly record: ReadonlyMap<string, Json> | undefined;
  /** By field. */
  readonly errors: ReadonlyMap<string, string>;
  /** What is wrong with the row as a whole. */
  readonly error: string | undefined;
}

export function hasErrors({ errors, error }: CheckedRow): boolean {
  return errors.size > 0 || error !== undefined;
}

/** The sample, checked: each row by itself, and emails among each other. */
export function checkSample(source: Source, targets: readonly Target[]): CheckedRow[] {
  const rowOfEmail = new Map<string, number>();
  return source.sample.map((row) => {
    const record = source.toRecord(row, targets);
    const error = source.findRowError(row);
    if (!record || error !== undefined) return { row, record, errors: new Map(), error };
    const errors = new Map<string, string>();
    addError(errors, "name", nameError(record.get("name")));
    const email = record.get("email");
    addError(errors, "email", emailError(email) ?? twice(email, row.number, rowOfEmail));
    return { row, record, errors, error };
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
  return emailPattern.test(email) ? undefined : texts.errors.emailShape;
}

/** Emails are unique without regard to case. */
function twice(email: Json | undefined, number: number, rowOfEmail: Map<string, number>): string | undefined {
  if (typeof email !== "string") return undefined;
  const folded = email.toLowerCase();
  const before = rowOfEmail.get(folded);
  if (before === undefined) rowOfEmail.set(folded, number);
  return before === undefined ? undefined : texts.errors.emailTwice(before);
}
