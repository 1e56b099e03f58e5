import type { ListQuery } from "../../domain/listing.ts";
import { ELEMENT_MARKER, OVERFLOW_ROW } from "../../domain/value-index.ts";
import type { Dialect } from "./dialect.ts";
import type { CustomValues } from "./list-resource.ts";
import type { SqlSteps } from "./sql-steps.ts";

/** Whether custom fields hold arrays. Most never do: then the conditions of a list are simpler. */
export interface ArrayUse {
  /** Whether this field has elements in the index. */
  hasElements(field: string): boolean;
  /** Whether some rows have values in arrays and objects that are not indexed. */
  readonly hasOverflow: boolean;
}

/** For short lists, which do not take longer with all conditions than to find out. */
export const anyArrays: ArrayUse = { hasElements: () => true, hasOverflow: true };

export function* findArrayUse(
  dialect: Dialect,
  { table }: CustomValues,
  filters: ListQuery<string, string>["filters"],
): SqlSteps<ArrayUse> {
  const fields = filters.flatMap(({ kind, field }) => (kind === "custom" ? field : []));
  const names = [OVERFLOW_ROW.field, ...fields.map((field) => field + ELEMENT_MARKER)];
  const isUsed = `CASE WHEN EXISTS (SELECT 1 FROM ${dialect.table(table)} WHERE field = ?) THEN 1 ELSE 0 END`;
  const [row = []] = yield { text: `SELECT ${names.map(() => isUsed).join(", ")}`, values: names };
  const used = new Set(names.filter((_, index) => Number(row[index]) === 1));
  return {
    hasElements: (field) => used.has(field + ELEMENT_MARKER),
    hasOverflow: used.has(OVERFLOW_ROW.field),
  };
}
