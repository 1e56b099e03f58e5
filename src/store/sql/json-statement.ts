type Cell = string | number | null;
type SqlType = "bigint" | "integer" | "text" | "bigint[]" | "integer[]";

/** A column of the rows that a statement takes. */
export interface Column<Row> {
  readonly name: string;
  readonly type: SqlType;
  readonly value: (row: Row, index: number) => Cell;
}

/** Columns of rows that go to PostgreSQL as JSON arrays, one parameter per column: the cheapest form for both sides. */
export class Columns<Row> {
  constructor(readonly columns: readonly Column<Row>[]) {}

  get names(): string {
    return this.columns.map(({ name }) => name).join(", ");
  }

  /** The columns as a SELECT list, cast from text to their types. */
  get selection(): string {
    return this.columns.map(({ name, type }) => cast(name, type)).join(", ");
  }

  /** The columns of `t` as a SET list of an UPDATE. */
  get assignments(): string {
    return this.columns.map(({ name, type }) => `${name} = ${cast(`t.${name}`, type)}`).join(", ");
  }

  /** The rows `t` as a FROM item. The parameters start at this number. */
  rowsFrom(firstParameter: number): string {
    const lists = this.columns.map(
      (_, index) => `json_array_elements_text($${firstParameter + index}::text::json)`,
    );
    return `ROWS FROM (${lists.join(", ")}) AS t (${this.names})`;
  }

  toParameters(rows: readonly Row[]): string[] {
    return this.columns.map(({ value }) => JSON.stringify(rows.map((row, index) => value(row, index))));
  }
}

type ScalarTypes<Scalar extends string> = Readonly<Record<Scalar, SqlType>>;

/** A statement whose parameters are single values and the columns of rows, numbered in that order. */
export class JsonStatement<Tables extends Record<string, unknown>, Scalar extends string> {
  readonly text: string;

  /** `write` returns the SQL: `value` gives the parameter of a single value, and `rows` a FROM item named `t`. */
  constructor(
    readonly scalars: ScalarTypes<Scalar>,
    readonly tables: { readonly [T in keyof Tables]: Columns<Tables[T]> },
    write: (value: (scalar: Scalar) => string, rows: (table: keyof Tables) => string) => string,
  ) {
    const positions = new Map<PropertyKey, number>();
    let next = 1;
    for (const scalar in scalars) positions.set(scalar, next++);
    for (const table in tables) {
      positions.set(table, next);
      next += tables[table].columns.length;
    }
    const position = (name: PropertyKey) => positions.get(name) ?? 0;
    this.text = write(
      (scalar) => `$${position(scalar)}::${scalars[scalar]}`,
      (table) => tables[table].rowsFrom(position(table)),
    );
  }

  parameters(
    values: Readonly<Record<Scalar, string>>,
    rows: { readonly [T in keyof Tables]: readonly Tables[T][] },
  ): string[] {
    const parameters: string[] = [];
    for (const scalar in this.scalars) parameters.push(values[scalar]);
    for (const table in this.tables) parameters.push(...this.tables[table].toParameters(rows[table]));
    return parameters;
  }
}

export function cast(value: string, type: SqlType): string {
  return type === "text" ? value : `${value}::${type}`;
}
