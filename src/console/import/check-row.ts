import type { Json } from "../../client/index.ts";
import { EMAIL, limits, NAME } from "../../contract/user.ts";
import { importing as texts } from "../texts/index.ts";
import type { Target } from "./mapping.ts";
import type { Row, Source } from "./source.ts";

const namePattern = new RegExp(NAME);
const emailPattern = new RegExp(EMAIL);

/** A row as it will be created, and what the service will find wrong with it as far as that can be told from here. */
export interface CheckedRow {
  readonly row: Row;
  /** Undefined where the row cannot be told apart. */
  readonly record: ReadonlyMap<string, Json> | undefined;
  /** By field. */
  readonly faults: ReadonlyMap<string, string>;
  /** What is wrong with the row as a whole. */
  readonly fault: string | undefined;
}

export function isFaulty({ faults, fault }: CheckedRow): boolean {
  return faults.size > 0 || fault !== undefined;
}

/** The sample, checked: each row by itself, and emails among each other. */
export function checkSample(source: Source, targets: readonly Target[]): CheckedRow[] {
  const rowOfEmail = new Map<string, number>();
  return source.sample.map((row) => {
    const record = source.toRecord(row, targets);
    const fault = source.shapeFault(row);
    if (!record || fault !== undefined) return { row, record, faults: new Map(), fault };
    const faults = new Map<string, string>();
    addFault(faults, "name", nameFault(record.get("name")));
    const email = record.get("email");
    addFault(faults, "email", emailFault(email) ?? twice(email, row.number, rowOfEmail));
    return { row, record, faults, fault };
  });
}

function addFault(faults: Map<string, string>, field: string, fault: string | undefined): void {
  if (fault !== undefined) faults.set(field, fault);
}

function nameFault(name: Json | undefined): string | undefined {
  if (name === undefined || name === null) return texts.faults.noName;
  if (typeof name !== "string") return texts.faults.nameNoText;
  const trimmed = name.trim();
  if (trimmed === "") return texts.faults.noName;
  if (!namePattern.test(trimmed)) return texts.faults.nameControl;
  return [...trimmed].length > limits.nameCharacters
    ? texts.faults.nameLong(limits.nameCharacters)
    : undefined;
}

function emailFault(email: Json | undefined): string | undefined {
  if (email === undefined || email === null) return undefined;
  if (typeof email !== "string") return texts.faults.emailNoText;
  if ([...email].length > limits.emailCharacters) return texts.faults.emailLong(limits.emailCharacters);
  return emailPattern.test(email) ? undefined : texts.faults.emailShape;
}

/** Emails are unique without regard to case. */
function twice(email: Json | undefined, number: number, rowOfEmail: Map<string, number>): string | undefined {
  if (typeof email !== "string") return undefined;
  const folded = email.toLowerCase();
  const before = rowOfEmail.get(folded);
  if (before === undefined) rowOfEmail.set(folded, number);
  return before === undefined ? undefined : texts.faults.emailTwice(before);
}
