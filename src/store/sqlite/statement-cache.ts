import type { Database, Statement } from "bun:sqlite";
import type { Sql } from "../lists/sql.ts";

/** Statements that differ from list to list are kept ready up to this many. */
const MOST_STATEMENTS = 128;

/** Runs the SELECTs that lists are made of. */
export class StatementCache {
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** All rows of a SELECT, as arrays. */
  selectRows({ text, values }: Sql): unknown[][] {
    return this.#prepared(text).values(...values);
  }

  /** The one number that a SELECT gives. */
  selectNumber(text: string): number {
    return Number(this.selectRows({ text, values: [] })[0]?.[0] ?? 0);
  }

  #prepared(text: string): Statement {
    const known = this.#statements.get(text);
    if (known) return known;
    for (const [oldest, statement] of this.#statements) {
      if (this.#statements.size < MOST_STATEMENTS) break;
      statement.finalize();
      this.#statements.delete(oldest);
    }
    const statement = this.#db.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}
