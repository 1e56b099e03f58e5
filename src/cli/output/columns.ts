import type { Json, User } from "../../client/index.ts";
import type { Column } from "../flags/output-flag.ts";

export function readColumn(user: User, [field = "", ...names]: Column): Json | undefined {
  let value = Object.hasOwn(user, field) ? user[field] : undefined;
  for (const name of names) {
    if (!isObject(value)) return undefined;
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/** The user with only these columns. Values inside fields stay inside them. */
export function pickColumns(user: User, columns: readonly Column[]): Json {
  const picked: { [field: string]: Json } = {};
  for (const column of columns) {
    const value = readColumn(user, column);
    if (value === undefined) continue;
    let target = picked;
    for (const name of column.slice(0, -1)) {
      const existing = target[name];
      const inner = isObject(existing) ? existing : {};
      target[name] = inner;
      target = inner;
    }
    target[column.at(-1) ?? ""] = value;
  }
  return picked;
}

function isObject(value: Json | undefined): value is { [field: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
