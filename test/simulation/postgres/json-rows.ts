import type { Columns } from "../../../src/store/sql/json-statement.ts";
import type { Cell } from "./transactions.ts";

type Row = Readonly<Record<string, Cell>>;

/** What is needed of a `JsonStatement` to read its parameters. */
interface Statement<Table extends string, Scalar extends string> {
  readonly scalars: Readonly<Record<Scalar, unknown>>;
  readonly tables: { readonly [T in Table]: Pick<Columns<never>, "columns"> };
}

/** The parameters of a `JsonStatement`: its single values, and the rows of its tables. */
export class JsonRows<Table extends string, Scalar extends string> {
  readonly #scalars = new Map<string, string>();
  readonly #tables = new Map<string, readonly Row[]>();

  constructor(statement: Statement<Table, Scalar>, values: readonly (string | null)[]) {
    let next = 0;
    for (const scalar in statement.scalars) this.#scalars.set(scalar, values[next++] ?? "");
    for (const table in statement.tables) {
      const names = statement.tables[table].columns.map(({ name }) => name);
      const columns: Cell[][] = names.map(() => JSON.parse(values[next++] ?? "[]"));
      const rows = (columns[0] ?? []).map((_, index) =>
        Object.fromEntries(
          names.map((name, column): [string, Cell] => [name, columns[column]?.[index] ?? null]),
        ),
      );
      this.#tables.set(table, rows);
    }
  }

  text(scalar: Scalar): string {
    return this.#scalars.get(scalar) ?? "";
  }

  number(scalar: Scalar): number {
    return Number(this.text(scalar));
  }

  rows(table: Table): readonly Row[] {
    return this.#tables.get(table) ?? [];
  }
}
