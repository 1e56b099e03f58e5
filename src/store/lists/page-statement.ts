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
}

/** Stand for these values while the statement is built. No text of a list has U+0000. */
export const slots = {
  id: "\u0000id",
  key: "\u0000key",
  last: "\u0000last",
  count: "\u0000count",
} as const satisfies Record<keyof PageValues, string>;

export type Slot = (typeof slots)[keyof typeof slots];

const slotNames: ReadonlyMap<SqlValue, keyof PageValues> = new Map([
  [slots.id, "id"],
  [slots.key, "key"],
  [slots.last, "last"],
  [slots.count, "count"],
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
