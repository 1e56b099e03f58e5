import type { Condition } from "../condition.ts";
import type { IdRange } from "../id-range.ts";

/** The condition that all of these hold. One stretch of an index has the ids of each: engines read them side by side. */
export function intersect(parts: readonly Condition[]): Condition {
  return {
    test: undefined,
    testsIdOnly: true,
    selectIds(range) {
      const selects = parts.map((part) => stretchOf(part)(range));
      const order = `ORDER BY id ${range.descending ? "DESC" : "ASC"}`;
      return {
        text: `${selects.map(({ text }) => text).join(" INTERSECT ")} ${order}`,
        values: selects.flatMap(({ values }) => values),
      };
    },
    exact: parts.every(({ exact }) => exact),
    coversMatches: parts.some(({ coversMatches }) => coversMatches),
    order: "known",
    selective: false,
    parts,
    source: [],
  };
}

/** Whether `intersect` can read the ids of a condition. */
export function canIntersect({ selectStretch }: Condition): boolean {
  return selectStretch !== undefined;
}

function stretchOf({ selectStretch }: Condition): (range: IdRange) => ReturnType<Condition["selectIds"]> {
  if (!selectStretch) throw new Error("The ids of this condition are in several parts of an index.");
  return selectStretch;
}
