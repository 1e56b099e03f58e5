import type { Json, Problem } from "../../client/index.ts";
import { unescapeName } from "../../contract/json.ts";
import { truncate } from "../texts/format.ts";
import { importing as texts } from "../texts/import.ts";
import { fieldLabel, formatValue } from "../users/fields.ts";
import type { FailedRow, RowError } from "./source.ts";

/** Errors of one kind. */
export interface ErrorKind {
  readonly field: string | undefined;
  readonly text: string;
  /** Rows with such an error. */
  readonly count: number;
  /** The first different values, each with its first row and the number of its rows. */
  readonly values: ReadonlyMap<string, { readonly row: number; readonly count: number }>;
}

interface CountedKind extends ErrorKind {
  count: number;
  readonly values: Map<string, { row: number; count: number }>;
}

/** Limit for the text of the rows kept in memory. */
const MAX_CHARACTERS = 16_777_216;
/** Further kinds are counted together. */
const MAX_KINDS = 100;
const MAX_VALUES = 10;

/** The rows of a file that can't be imported: how many, why, and the first of them. */
export class Failures {
  /** How many rows are kept for the download. */
  static readonly maxRows = 10_000;
  count = 0;
  /** The first rows. */
  readonly rows: FailedRow[] = [];
  readonly #kinds = new Map<string, CountedKind>();
  #characters = 0;

  /** The most frequent kind first. */
  get kinds(): readonly ErrorKind[] {
    return [...this.#kinds.values()].sort((a, b) => b.count - a.count);
  }

  add({ row, errors }: FailedRow): void {
    if (this.rows.length < Failures.maxRows && this.#characters < MAX_CHARACTERS) {
      for (const cell of row.cells) this.#characters += cell.length;
      // Copy the cells: substrings would keep the whole file text in memory.
      this.rows.push(structuredClone({ row, errors }));
    }
    this.countOnly(row.number, errors);
  }

  /** Counts a row without keeping it. */
  countOnly(row: number, errors: readonly RowError[]): void {
    this.count++;
    const kinds = new Map<string, RowError>();
    for (const error of errors) {
      const key = JSON.stringify([error.field, error.kind]);
      if (this.#kinds.size < MAX_KINDS || this.#kinds.has(key)) kinds.set(key, error);
      else kinds.set("", { ...error, field: undefined, kind: texts.errors.other });
    }
    for (const [key, { field, kind, value }] of kinds) {
      const known = this.#kinds.get(key) ?? { field, text: kind, count: 0, values: new Map() };
      known.count++;
      this.#kinds.set(key, known);
      // The value of a row that is not kept is not known.
      if (value !== undefined) countValue(known.values, truncate(value), row);
    }
  }
}

function countValue(values: CountedKind["values"], value: string, row: number): void {
  const known = values.get(value);
  if (known) known.count++;
  else if (values.size < MAX_VALUES) values.set(value, { row, count: 1 });
}

/** Why the service rejects a row: what is wrong with each field. */
export function toRowErrors({ type, status, title, detail, errors = [] }: Problem): readonly RowError[] {
  // The detail has the value: no group has the name "Sales".
  const missing = status === 404 ? /\/(group|user)-not-found$/.exec(type)?.[1] : undefined;
  if (missing !== undefined) return [{ kind: `${title}.`, reason: detail, field: missing }];
  if (errors.length === 0) return [{ kind: detail, reason: detail }];
  return errors.map((error) => ({
    // The detail of a conflict has the value.
    kind: status === 409 ? `${title}.` : error.detail,
    reason: error.detail,
    field: unescapeName(error.pointer?.split("/")[1] ?? "") || undefined,
  }));
}

/** The errors with the values of the row. */
export function withValues(
  errors: readonly RowError[],
  record: ReadonlyMap<string, Json> | undefined,
): readonly RowError[] {
  return errors.map((error) => ({
    value: error.field === undefined ? "" : formatValue(record?.get(error.field)),
    ...error,
  }));
}

/** What is wrong with a row, in one text. */
export function describeErrors(errors: readonly RowError[]): string {
  return errors
    .map(({ field, reason }) => (field === undefined ? reason : `${fieldLabel(field)}: ${reason}`))
    .join(" ");
}
