import fc from "fast-check";
import type { GroupColumn } from "../../../src/contract/groups/group-fields.ts";
import type { ColumnField } from "../../../src/contract/users/user-fields.ts";
import { foldCase, foldEmail, foldText } from "../../../src/domain/fold.ts";
import type { ListQuery, MembershipFilter } from "../../../src/domain/lists/listing.ts";
import { fieldPath } from "../../../src/domain/lists/value-index.ts";
import { matchesNaively } from "../../support/filter/naive-filter.ts";
import { sampleGroupName } from "./sample-groups.ts";

/** Custom fields to sort by. */
const sortPaths = [
  ["level"],
  ["department"],
  ["tags"],
  ["address", "city"],
  ["address", "a.b"],
  ["nothing"],
  ["userName"],
];

export const customSort = fc.constantFrom(...sortPaths).map((names) => ({ custom: fieldPath(names) }));

/** A user or a group as a response contains it. */
export interface ModelRow {
  id: number;
  /** The groups of a user, or the members of a group. */
  memberships?: readonly number[];
  name: string;
  /** Only users have one. */
  email?: string;
  /** Only groups have it. */
  memberCount?: number;
  version: number;
  createdAt: string;
  updatedAt: string;
  [field: string]: unknown;
}

type Query = ListQuery<ColumnField | GroupColumn>;

/** The expected rows of a list, in order, computed in the simplest way. */
export function expectedList(rows: readonly ModelRow[], query: Query): ModelRow[] {
  return rows
    .filter((row) => query.filters.every((filter) => matchesFilter(row, filter)))
    .filter((row) => query.search?.every((word) => containsWord(row, word)) ?? true)
    .filter((row) => !query.expression || matchesNaively(query.expression, JSON.parse(JSON.stringify(row))))
    .sort((a, b) => compare(a, b, query));
}

function matchesFilter(row: ModelRow, filter: Query["filters"][number]): boolean {
  if (filter.kind === "membership") return matchesMembership(row, filter);
  const { kind, field, values } = filter;
  if (kind === "custom") {
    const wanted = field === "userName" ? values.map(foldEmail) : values;
    return scalarsIn(row[field]).some((value) =>
      wanted.includes(field === "userName" ? foldEmail(String(value)) : String(value)),
    );
  }
  switch (field) {
    case "id":
    case "version":
      return values.includes(row[field]);
    case "memberCount":
      return row.memberCount !== undefined && values.includes(row.memberCount);
    case "email":
      return row.email !== undefined && values.includes(foldEmail(row.email));
    case "name":
      return values.includes(foldCase(row.name));
    case "createdAt":
    case "updatedAt":
      return values.includes(Date.parse(row[field]));
  }
}

/** Groups have the names of `createSampleGroups`. */
function matchesMembership({ memberships = [] }: ModelRow, filter: MembershipFilter): boolean {
  const isWanted = (id: number) => {
    if (filter.by === "any") return true;
    return filter.by === "id" ? filter.values.includes(id) : filter.values.includes(sampleGroupName(id));
  };
  const belongs = memberships.some(isWanted);
  return belongs !== (filter.negated ?? false);
}

/** A value that is neither undefined nor an object, or the elements of an array, also of arrays in it. */
function scalarsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(scalarsIn);
  return value === undefined || (typeof value === "object" && value !== null) ? [] : [value];
}

function containsWord(row: ModelRow, word: string): boolean {
  const name = foldText(row.name);
  const email = row.email === undefined ? undefined : foldText(row.email);
  if ([...word].length >= 3) return name.includes(word) || Boolean(email?.includes(word));
  const words = name
    .split(/(?<![\p{L}\p{N}\p{M}])(?=[\p{L}\p{N}])/u)
    .map((_, i, all) => all.slice(i).join(""));
  return [name, ...words, email ?? ""].some((start) => start.startsWith(word));
}

function compare(a: ModelRow, b: ModelRow, { sort, descending }: Query): number {
  if (typeof sort === "object") return compareValues(a, b, sort.custom, descending);
  if (sort === "email" && (a.email === undefined) !== (b.email === undefined))
    return a.email === undefined ? 1 : -1;
  const bytes = (text: string) => Buffer.from(foldText(text));
  const byKey = {
    id: () => 0,
    name: () => Buffer.compare(bytes(a.name), bytes(b.name)),
    email: () => Buffer.compare(bytes(a.email ?? ""), bytes(b.email ?? "")),
    memberCount: () => (a.memberCount ?? 0) - (b.memberCount ?? 0),
    version: () => a.version - b.version,
    createdAt: () => Date.parse(a.createdAt) - Date.parse(b.createdAt),
    updatedAt: () => Date.parse(a.updatedAt) - Date.parse(b.updatedAt),
  }[sort]();
  return (descending ? -1 : 1) * (byKey || a.id - b.id);
}

/** Numbers, then text, then booleans; then the rows without such a value, in order of id. */
function compareValues(a: ModelRow, b: ModelRow, path: string, descending: boolean): number {
  const names = sortPaths.find((each) => fieldPath(each) === path);
  if (!names) throw new Error(`The model does not sort by ${path}.`);
  const sortedValue = (row: ModelRow) => (isSorted(row, names) ? memberAt(row, names) : undefined);
  const kinds = ["number", "string", "boolean"];
  const [valueA, valueB] = [sortedValue(a), sortedValue(b)];
  const [kindA, kindB] = [kinds.indexOf(typeof valueA), kinds.indexOf(typeof valueB)];
  if (kindA < 0 !== kindB < 0) return kindA < 0 ? 1 : -1;
  const order =
    kindA - kindB ||
    (kindA < 0 ? 0 : compareScalars(valueA, valueB, path === "userName" ? foldEmail : foldCase));
  return (descending ? -1 : 1) * (order || a.id - b.id);
}

/** Values in objects are not sorted if the row has too many values for the index. */
function isSorted({ crowd }: ModelRow, names: readonly string[]): boolean {
  return names.length === 1 || crowd === undefined;
}

function memberAt(value: unknown, names: readonly string[]): unknown {
  const [name, ...rest] = names;
  if (name === undefined) return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return memberAt(new Map<string, unknown>(Object.entries(value)).get(name), rest);
}

/** Text is sorted by its first 256 characters. */
function compareScalars(a: unknown, b: unknown, fold: (text: string) => string): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  const bytes = (value: unknown) =>
    Buffer.from(
      fold(String(value))
        .slice(0, 256)
        .toWellFormed()
        .replace(/\ufffd$/, ""),
    );
  return Buffer.compare(bytes(a), bytes(b));
}
