import type { Expression } from "../../../domain/filter/expression.ts";
import type { Condition } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import { type FilterColumn, type ListResource, ofField } from "../list-resource.ts";
import { columnFilter } from "./build-conditions.ts";
import { comparedText, isInRange, rangeList } from "./column-lists.ts";
import { columnAt, columnRange } from "./column-test.ts";
import { unionOfLists } from "./id-list.ts";
import { type IntegerRange, intersect } from "./integer-range.ts";

/**
 * Turns comparisons of columns into conditions: integers and times in a range, a text that is equal, or that starts with or
 * contains another. `rest` are the expressions that the conditions do not cover; some of them also have a condition.
 */
export function columnConditions(
  dialect: Dialect,
  resource: ListResource,
  expressions: readonly Expression[],
): { found: Condition[]; rest: Expression[] } {
  const ranges = new Map<string, { range: IntegerRange; source: Expression[] }>();
  const found: Condition[] = [];
  const rest: Expression[] = [];
  for (const expression of expressions) {
    const compared = columnComparison(resource, expression);
    if (!compared) {
      rest.push(expression);
      continue;
    }
    const { name, type, comparison } = compared;
    const { operator, value } = comparison;
    if (typeof type === "string") {
      const range = columnRange(type, operator, value);
      if (range) {
        const { range: others = range, source = [] } = ranges.get(name) ?? {};
        ranges.set(name, { range: intersect(others, range), source: [...source, expression] });
      } else rest.push(expression);
      continue;
    }
    const text = comparedText(comparison);
    if (operator === "eq" && text !== undefined) {
      const column = ofField(resource.columns, name);
      const values = [type.fold(text)];
      found.push(columnFilter(dialect, resource.table, column, { values, source: [expression] }));
      continue;
    }
    rest.push(expression);
    if (operator === "co" && text !== undefined && SEARCHABLE.test(text)) {
      found.push(dialect.search(resource.search, [text.toLowerCase()], [expression]));
    }
  }
  for (const [name, { range, source }] of ranges)
    found.push({ ...rangeCondition(dialect, resource, ofField(resource.columns, name), range), source });
  return { found, rest };
}

/** Folding leaves these characters alone, so that a text that contains them does so after folding, too. */
const SEARCHABLE = /^[\x21-\x7e]([\x20-\x7e]{1,98})[\x21-\x7e]$/;

/** A comparison of a column, whose values the column has as they are compared. */
function columnComparison(resource: ListResource, expression: Expression) {
  if (expression.kind !== "compare" || expression.exact || expression.prefix !== undefined) return undefined;
  const column = columnAt(resource, expression.path);
  return column && { name: column.name, type: column.type, comparison: expression };
}

function rangeCondition(
  dialect: Dialect,
  resource: ListResource,
  filterColumn: FilterColumn,
  range: IntegerRange,
): Omit<Condition, "source"> {
  const { column } = filterColumn;
  const { text, values } = isInRange(range);
  return {
    ...unionOfLists(dialect, [rangeList(dialect, resource.table, { filterColumn, range })]),
    test: { text: `u.${column} ${text}`, values },
    testsIdOnly: column === "id",
    exact: true,
    selective: range.low > range.high,
  };
}
