import type { Comparison, Expression, Path } from "../../../domain/filter/expression.ts";
import { fieldPath, OVERFLOW_ROW } from "../../../domain/lists/value-index.ts";
import type { Dialect } from "../dialect.ts";
import type { ListResource } from "../list-resource.ts";
import { columnList } from "./column-lists.ts";
import type { IdList } from "./id-list.ts";
import type { IndexUse } from "./known-entries.ts";
import { isAlwaysIndexed, isIndexable, presentRanges, type ValueRange, valueRange } from "./value-range.ts";

/** Lists of ids that together contain every match. */
export interface ExpressionIndex {
  readonly lists: readonly IdList[];
  /** Every id in the lists matches. */
  readonly exact: boolean;
  /** How many rows it probably finds: 0 for a unique value, less than 1 for any value, 1 for a range, 2 for a whole field. */
  readonly breadth: number;
}

interface IndexOptions {
  readonly dialect: Dialect;
  readonly resource: ListResource;
  readonly use: IndexUse;
}

/** Finds lists of ids for expressions: on custom fields, and on columns together with these. */
export class ExpressionIndexes {
  readonly #options: IndexOptions;

  constructor(options: IndexOptions) {
    this.#options = options;
  }

  /** Undefined if no index finds all matches. */
  find(expression: Expression): ExpressionIndex | undefined {
    const index = this.#find(expression, []);
    return index && { ...index, lists: this.#pad(index.lists) };
  }

  /** Adds lists without ids: few different numbers of lists are few prepared statements. */
  #pad(lists: readonly IdList[]): IdList[] {
    return [true, false].flatMap((sorted) => {
      const same = lists.filter((list) => list.sorted === sorted);
      const size = same.length === 0 ? 0 : 2 ** Math.ceil(Math.log2(same.length));
      const absent = this.#list("", { low: "", high: sorted ? undefined : "" });
      return [...same, ...Array.from({ length: size - same.length }, () => absent)];
    });
  }

  /** `prefix` leads to the elements that the expression is about. */
  #find(expression: Expression, prefix: readonly string[]): ExpressionIndex | undefined {
    switch (expression.kind) {
      case "and":
        return narrowest(expression.operands.map((operand) => this.#find(operand, prefix)));
      case "or":
        return this.#findAny(expression.operands, prefix);
      case "not":
        return undefined;
      case "element":
        return this.#findByPath(expression.path, prefix, () => []);
      case "fits":
      case "same":
        return undefined;
      case "present":
        return this.#findByPath(expression.path, prefix, () => presentRanges);
      case "compare":
        // Rows that do not have the value match, too.
        if (expression.operator === "ne") return undefined;
        return this.#findCompared(expression, expression.ofRecord ? [] : prefix);
    }
  }

  #findCompared(comparison: Comparison, prefix: readonly string[]): ExpressionIndex | undefined {
    const { dialect, resource } = this.#options;
    const ofColumn = prefix.length === 0 ? columnList(dialect, resource, comparison) : undefined;
    if (ofColumn) {
      const { list, exact, isUnique } = ofColumn;
      return { lists: [list], exact, breadth: isUnique ? 0 : list.sorted ? 0.5 : 1 };
    }
    if (comparison.direct && prefix.length === 0) return this.#findDirect(comparison);
    return this.#findByPath(comparison.path, prefix, (path) => comparedRanges(path, comparison));
  }

  #findDirect(comparison: Comparison): ExpressionIndex | undefined {
    const names = comparison.path.map(({ name }) => name);
    const whole = fieldPath(names);
    const ranges = comparedRanges(whole, comparison);
    if (!this.#isIndexed(names, ranges)) return undefined;
    return this.#findValues([whole], ranges, !isAlwaysIndexed(comparison));
  }

  /** Whether the index has custom fields with these names, and values in these ranges: at least one. */
  #isIndexed(names: readonly string[], ranges: readonly ValueRange[]): boolean {
    const [first = ""] = names;
    const { columns } = this.#options.resource;
    if (Object.hasOwn(columns, first) || !names.every(isIndexable)) return false;
    return ranges.length > 0 && ranges.every(({ low }) => isIndexable(low));
  }

  #findAny(operands: readonly Expression[], prefix: readonly string[]): ExpressionIndex | undefined {
    const found: ExpressionIndex[] = [];
    for (const operand of operands) {
      const index = this.#find(operand, prefix);
      if (!index) return undefined;
      found.push(index);
    }
    return {
      lists: found.flatMap(({ lists }) => lists),
      exact: found.every(({ exact }) => exact),
      breadth: Math.max(...found.map(({ breadth }) => breadth)),
    };
  }

  /** The values at the end of a path, or what one of its steps demands of elements. */
  #findByPath(
    path: Path,
    prefix: readonly string[],
    rangesAt: (path: string) => readonly ValueRange[],
  ): ExpressionIndex | undefined {
    const names = [...prefix];
    const found: (ExpressionIndex | undefined)[] = [];
    for (const { name, where } of path) {
      names.push(name);
      if (where) found.push(this.#find(where, names));
    }
    const whole = fieldPath(names);
    const ranges = rangesAt(whole);
    if (this.#isIndexed(names, ranges)) {
      found.push(this.#findValues(this.#options.use.namesOf(whole), ranges, true));
    }
    const index = narrowest(found);
    return (
      index && { ...index, exact: index.exact && found.length === 1 && path.every(({ where }) => !where) }
    );
  }

  /** `mayBeMissing`: the index may not have the values of some rows. */
  #findValues(
    fields: readonly string[],
    ranges: readonly ValueRange[],
    mayBeMissing: boolean,
  ): ExpressionIndex {
    const lists = fields.flatMap((field) => ranges.map((range) => this.#list(field, range)));
    const hasOverflow = mayBeMissing && this.#options.use.hasOverflow;
    if (hasOverflow) lists.push(this.#list(OVERFLOW_ROW.field, { low: OVERFLOW_ROW.value, high: undefined }));
    return { lists, exact: ranges.every(({ exact }) => exact) && !hasOverflow, breadth: breadthOf(ranges) };
  }

  #list(field: string, { low, high }: Pick<ValueRange, "low" | "high">): IdList {
    const { dialect, resource } = this.#options;
    const { table, ownerColumn } = resource.customValues;
    const select = `SELECT ${ownerColumn} AS id FROM ${dialect.table(table)} WHERE field = ? AND`;
    return high === undefined
      ? {
          select: { text: `${select} value = ? AND`, values: [field, low] },
          idColumn: ownerColumn,
          sorted: true,
        }
      : {
          select: { text: `${select} value >= ? AND value < ? AND`, values: [field, low, high] },
          idColumn: ownerColumn,
          sorted: false,
        };
  }
}

/** Longer values are probably rarer: more users have "work" than one address. */
function breadthOf([first, ...others]: readonly ValueRange[]): number {
  if (others.length > 0 || !first) return 2;
  return first.high === undefined ? 1 / (1 + first.low.length) : 1;
}

function comparedRanges(path: string, comparison: Extract<Expression, { kind: "compare" }>): ValueRange[] {
  const range = valueRange(path, comparison);
  return range ? [range] : [];
}

/** All of them have to hold: any one contains every match. */
function narrowest(indexes: readonly (ExpressionIndex | undefined)[]): ExpressionIndex | undefined {
  const found = indexes.filter((index) => index !== undefined).sort((a, b) => a.breadth - b.breadth)[0];
  return found && { ...found, exact: found.exact && indexes.length === 1 };
}
