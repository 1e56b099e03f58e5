import type { Database, Statement } from "bun:sqlite";
import type { Sql } from "../sql/sql.ts";

/** The most prepared statements to keep. Texts vary with filters and sort. */
const MAX_STATEMENTS = 128;

/**
 * SQLite prepares a statement with a bare `LIMIT ?` again each time it runs, because the number may change the plan. That takes
 * longer than a short list.
 */
function withStableLimit(text: string): string {
  return text.replaceAll("LIMIT ?", "LIMIT ? + 0");
}

/** Runs SELECTs and keeps their prepared statements. */
export class StatementCache {
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns rows as arrays. */
  selectRows({ text, values }: Sql): unknown[][] {
    return this.#prepare(text).values(...values);
  }

  /** Returns the number in the first column of the first row. */
  selectNumber(text: string): number {
    return Number(this.selectRows({ text, values: [] })[0]?.[0] ?? 0);
  }

  #prepare(text: string): Statement {
    const cached = this.#statements.get(text);
    if (cached) return cached;
    for (const [oldest, statement] of this.#statements) {
      if (this.#statements.size < MAX_STATEMENTS) break;
      statement.finalize();
      this.#statements.delete(oldest);
    }
    const statement = this.#db.prepare(withStableLimit(text));
    this.#statements.set(text, statement);
    return statement;
  }
}
