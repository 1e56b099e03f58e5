import type { IndexTerms } from "../../domain/user.ts";
import type { IndexedUser } from "../apply-write.ts";
import { wordStartsText } from "../lists/search-text.ts";
import { searchKeys } from "./search-keys.ts";

type Cell = string | number | null;

export function json(values: readonly Cell[]): string {
  return JSON.stringify(values);
}

/** Rows as columns, each a JSON array. */
export function toJsonColumns(rows: readonly (readonly Cell[])[], width: number): string[] {
  return Array.from({ length: width }, (_, column) => json(rows.map((row) => row[column] ?? null)));
}

export function userValueRows(id: number, values: IndexTerms["values"]): Cell[][] {
  return values.map(([field, value]) => [field, value, id]);
}

/** Its columns but `created_at`. */
export function userColumns({ row, terms }: IndexedUser): Cell[] {
  const { nameFold, nameKey, emailFold = null, emailKey = null } = terms;
  return [
    row.id,
    row.version,
    row.json,
    row.updatedAt,
    row.changedBy,
    nameFold,
    nameKey === nameFold ? null : nameKey,
    emailFold,
    emailKey,
    wordStartsText(terms),
  ];
}

export function searchKeysArray({ row, terms }: IndexedUser): string {
  return `{${[...searchKeys(row.id, terms)].join()}}`;
}
