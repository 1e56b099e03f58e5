import type { Expression, Path } from "../../../domain/filter/expression.ts";
import { fieldPath, OVERFLOW_ROW } from "../../../domain/lists/value-index.ts";
import type { Dialect } from "../dialect.ts";
import type { CustomValues } from "../list-resource.ts";
import type { IdList } from "./id-list.ts";
import type { IndexUse } from "./known-entries.ts";
import { presentRanges, type ValueRange, valueRange } from "./value-range.ts";

/** Lists of ids that together contain every match. */
export interface ExpressionIndex {
  readonly lists: readonly IdList[];
  /** Every id in the lists matches. */
  readonly exact: boolean;
  /** How many rows it probably finds: 0 for one value, up to 2 for a whole field. */
  readonly breadth: number;
}

interface IndexOptions {
  readonly dialect: Dialect;
  readonly customValues: CustomValues;
  readonly use: IndexUse;
  /** Fields that are not custom fields. */
  readonly isColumn: (name: string) => boolean;
}

/** Finds lists of ids for expressions on custom fields. */
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
      case "present":
        return this.#findByPath(expression.path, prefix, () => presentRanges);
      case "compare":
        // Rows that do not have the value match, too.
        if (expression.operator === "ne") return undefined;
        return this.#findByPath(expression.path, prefix, (path) => comparedRanges(path, expression));
    }
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
    const [first = ""] = names;
    if (this.#options.isColumn(first) || !names.every(isIndexable)) return undefined;
    const whole = fieldPath(names);
    const ranges = rangesAt(whole);
    if (ranges.length > 0 && ranges.every(({ low }) => isIndexable(low))) {
      found.push(this.#findValues(whole, ranges));
    }
    const index = narrowest(found);
    return (
      index && { ...index, exact: index.exact && found.length === 1 && path.every(({ where }) => !where) }
    );
  }

  #findValues(path: string, ranges: readonly ValueRange[]): ExpressionIndex {
    const { use } = this.#options;
    const lists = use.namesOf(path).flatMap((field) => ranges.map((range) => this.#list(field, range)));
    if (use.hasOverflow)
      lists.push(this.#list(OVERFLOW_ROW.field, { low: OVERFLOW_ROW.value, high: undefined }));
    const breadth = ranges.length > 1 ? 2 : ranges[0]?.high === undefined ? 0 : 1;
    return { lists, exact: ranges.every(({ exact }) => exact) && !use.hasOverflow, breadth };
  }

  #list(field: string, { low, high }: Pick<ValueRange, "low" | "high">): IdList {
    const { dialect, customValues } = this.#options;
    const { ownerColumn } = customValues;
    const select = `SELECT ${ownerColumn} AS id FROM ${dialect.table(customValues.table)} WHERE field = ? AND`;
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

function comparedRanges(path: string, comparison: Extract<Expression, { kind: "compare" }>): ValueRange[] {
  const range = valueRange(path, comparison);
  return range ? [range] : [];
}

/** All of them have to hold: any one contains every match. */
function narrowest(indexes: readonly (ExpressionIndex | undefined)[]): ExpressionIndex | undefined {
  const found = indexes.filter((index) => index !== undefined).sort((a, b) => a.breadth - b.breadth)[0];
  return found && { ...found, exact: found.exact && indexes.length === 1 };
}

/** Stored text is valid UTF-8 without U+0000. No index has, and no engine accepts, other text. */
export function isIndexable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}
