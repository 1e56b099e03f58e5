import { ELEMENT_MARKER, OVERFLOW_ROW } from "../../../domain/lists/value-index.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { AbsentEntries } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import type { CustomValues } from "../list-resource.ts";

/** Whether custom fields hold arrays. Most never do: then the conditions of a list are simpler. */
export interface ArrayUse {
  /** Whether the path (`fieldPath`) has elements in the index. */
  hasElements(path: string): boolean;
  /** Whether some rows have values in arrays and objects that are not indexed. */
  readonly hasOverflow: boolean;
  /** The fields without entries in the index. */
  readonly absent: readonly AbsentEntries[];
}

/** For short lists, which do not take longer with all conditions than to find out. */
export const anyArrays: ArrayUse = { hasElements: () => true, hasOverflow: true, absent: [] };

export function* findArrayUse(
  dialect: Dialect,
  { table }: CustomValues,
  paths: readonly string[],
): SqlSteps<ArrayUse> {
  const names = [OVERFLOW_ROW.field, ...new Set(paths.map((path) => path + ELEMENT_MARKER))];
  // Few different numbers of names are few prepared statements.
  const size = 2 ** Math.ceil(Math.log2(names.length));
  while (names.length < size) names.push("");
  const isUsed = `CASE WHEN EXISTS (SELECT 1 FROM ${dialect.table(table)} WHERE field = ?) THEN 1 ELSE 0 END`;
  const [row = []] = yield { text: `SELECT ${names.map(() => isUsed).join(", ")}`, values: names };
  const used = new Set(names.filter((_, index) => Number(row[index]) === 1));
  return {
    absent: names.filter((field) => field !== "" && !used.has(field)).map((field) => ({ field })),
    hasElements: (path) => used.has(path + ELEMENT_MARKER),
    hasOverflow: used.has(OVERFLOW_ROW.field),
  };
}

/** The names in the index that have the values at a path. */
export function indexedNames({ hasElements }: ArrayUse, path: string): string[] {
  return hasElements(path) ? [path, path + ELEMENT_MARKER] : [path];
}
