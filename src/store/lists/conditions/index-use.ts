import { OVERFLOW_ROW, type ValueRow } from "../../../domain/lists/value-index.ts";
import type { SqlSteps } from "../../sql/sql-steps.ts";
import type { AbsentEntries } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import type { CustomValues } from "../list-resource.ts";

export type IndexKey = Pick<ValueRow, "field" | "value">;

/** What the index of custom fields contains. Most fields hold no arrays, and most numbers never occur as text. */
export interface IndexUse {
  /** False if no entry has this field and value. */
  mayHave(key: IndexKey): boolean;
  /** Whether some rows have values in arrays and objects that are not indexed. */
  readonly hasOverflow: boolean;
  /** The keys that do not occur. */
  readonly absent: readonly AbsentEntries[];
}

/** Finds out which of these keys occur. One statement looks up all of them. */
export function* findIndexUse(
  dialect: Dialect,
  { table }: CustomValues,
  keys: readonly IndexKey[],
): SqlSteps<IndexUse> {
  const probed = [OVERFLOW_ROW, ...keys];
  const isUsed = `CASE WHEN EXISTS (SELECT 1 FROM ${dialect.table(table)} WHERE field = ? AND value = ?) THEN 1 ELSE 0 END`;
  const [row = []] = yield {
    text: `SELECT ${probed.map(() => isUsed).join(", ")}`,
    values: probed.flatMap(({ field, value }) => [field, value]),
  };
  const absent = probed.filter((_, index) => Number(row[index]) === 0);
  const unused = new Set(absent.map(toText));
  return {
    absent,
    mayHave: (key) => !unused.has(toText(key)),
    hasOverflow: !unused.has(toText(OVERFLOW_ROW)),
  };
}

function toText({ field, value }: IndexKey): string {
  return `${field}\u0000${value}`;
}
