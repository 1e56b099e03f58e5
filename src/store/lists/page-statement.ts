import type { Sql, SqlValue } from "../sql/sql.ts";

/** What differs between the pages of a list. */
interface PageValues {
  /** The page starts after the row with this id and sort key. */
  readonly id: SqlValue;
  readonly key: SqlValue;
  /** The last id to read. */
  readonly last: SqlValue;
  /** The number of rows. */
  readonly count: SqlValue;
  /** What the rows belong to. */
  readonly other: SqlValue;
}

/** Stand for these values while the statement is built. All other numbers in statements are whole ones. */
export const slots = {
  id: Number.MIN_VALUE,
  key: 2 * Number.MIN_VALUE,
  last: 3 * Number.MIN_VALUE,
  count: 4 * Number.MIN_VALUE,
  other: 5 * Number.MIN_VALUE,
} as const satisfies Record<keyof PageValues, number>;

const slotNames: ReadonlyMap<SqlValue, keyof PageValues> = new Map([
  [slots.id, "id"],
  [slots.key, "key"],
  [slots.last, "last"],
  [slots.count, "count"],
  [slots.other, "other"],
]);

/** A statement for all pages of a list: to build its text takes as long as to run it. */
export class PageStatement {
  readonly #sql: Sql;
  readonly #filled: readonly (readonly [index: number, name: keyof PageValues])[];

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#filled = sql.values.flatMap((value, index) => {
      const name = slotNames.get(value);
      return name ? [[index, name] as const] : [];
    });
  }

  /** The statement of one page. */
  fill(page: PageValues): Sql {
    const values = [...this.#sql.values];
    for (const [index, name] of this.#filled) values[index] = page[name];
    return { text: this.#sql.text, values };
  }
}
