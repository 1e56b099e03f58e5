import { foldCase, foldEmail, foldText } from "../../../src/domain/fold.ts";
import type { UserListQuery } from "../../../src/domain/users/user-list-fields.ts";

/** A user as a response contains it. */
export interface ModelUser {
  id: number;
  name: string;
  email?: string;
  version: number;
  createdAt: string;
  updatedAt: string;
  [field: string]: unknown;
}

/** The expected users of a list, in order, computed in the simplest way. */
export function expectedList(users: readonly ModelUser[], query: UserListQuery): ModelUser[] {
  return users
    .filter((user) => query.filters.every((filter) => matchesFilter(user, filter)))
    .filter((user) => query.search?.every((word) => containsWord(user, word)) ?? true)
    .sort((a, b) => compare(a, b, query));
}

function matchesFilter(user: ModelUser, filter: UserListQuery["filters"][number]): boolean {
  const { kind, field, values } = filter;
  if (kind === "custom") {
    return scalarsIn(user[field]).some((value) => values.includes(String(value)));
  }
  switch (field) {
    case "id":
    case "version":
      return values.includes(user[field]);
    case "email":
      return user.email !== undefined && values.includes(foldEmail(user.email));
    case "name":
      return values.includes(foldCase(user.name));
    case "createdAt":
    case "updatedAt":
      return values.includes(Date.parse(user[field]));
  }
}

/** A value that is neither undefined nor an object, or the elements of an array, also of arrays in it. */
function scalarsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(scalarsIn);
  return value === undefined || (typeof value === "object" && value !== null) ? [] : [value];
}

function containsWord(user: ModelUser, word: string): boolean {
  const name = foldText(user.name);
  const email = user.email === undefined ? undefined : foldText(user.email);
  if ([...word].length >= 3) return name.includes(word) || Boolean(email?.includes(word));
  const words = name
    .split(/(?<![\p{L}\p{N}\p{M}])(?=[\p{L}\p{N}])/u)
    .map((_, i, all) => all.slice(i).join(""));
  return [name, ...words, email ?? ""].some((start) => start.startsWith(word));
}

function compare(a: ModelUser, b: ModelUser, { sort, descending }: UserListQuery): number {
  if (typeof sort === "object") throw new Error("The model does not sort by custom fields.");
  if (sort === "email" && (a.email === undefined) !== (b.email === undefined))
    return a.email === undefined ? 1 : -1;
  const bytes = (text: string) => Buffer.from(foldText(text));
  const byKey = {
    id: () => 0,
    name: () => Buffer.compare(bytes(a.name), bytes(b.name)),
    email: () => Buffer.compare(bytes(a.email ?? ""), bytes(b.email ?? "")),
    version: () => a.version - b.version,
    createdAt: () => Date.parse(a.createdAt) - Date.parse(b.createdAt),
    updatedAt: () => Date.parse(a.updatedAt) - Date.parse(b.updatedAt),
  }[sort]();
  return (descending ? -1 : 1) * (byKey || a.id - b.id);
}
