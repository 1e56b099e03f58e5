import type { Database, Statement } from "bun:sqlite";
import type { Condition, Sql, Value } from "./conditions.ts";

/** Statements that differ from list to list are kept ready up to this many. */
const MOST_STATEMENTS = 128;

/** Runs the SELECTs that lists are made of, and knows which index is best to lead one. */
export class Selects {
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();

  /** `candidates` is how many users one request may look through before it answers with what it has found. */
  constructor(
    db: Database,
    readonly candidates: number,
  ) {
    this.#db = db;
  }

  /** All rows of a SELECT, as arrays. */
  rows({ text, values }: Sql): unknown[][] {
    return this.#prepared(text).values(...values);
  }

  /** The one number that a SELECT gives. */
  figure(text: string, values: readonly Value[] = []): number {
    return Number(this.rows({ text, values })[0]?.[0] ?? 0);
  }

  /**
   * The condition whose index gets farthest in as many entries as may be looked at, and up to which id that is;
   * undefined when it has fewer than that left.
   */
  best(
    conditions: readonly Condition[],
    descending: boolean,
    after: number | undefined,
  ): { condition: Condition; last: number | undefined } {
    let best: { condition: Condition; last: number } | undefined;
    for (const condition of [...conditions].sort((a, b) => Number(b.few) - Number(a.few))) {
      const last = this.#reach(condition, descending, after);
      if (last === undefined) return { condition, last };
      if (!best || (descending ? last < best.last : last > best.last)) best = { condition, last };
    }
    if (!best) throw new Error("A list without conditions has no best one.");
    return best;
  }

  #reach(condition: Condition, descending: boolean, after: number | undefined): number | undefined {
    if (condition.few) return undefined;
    let farthest: number | undefined;
    for (const list of condition.lists) {
      const { text, values } = list({ descending, after, last: undefined });
      const last = this.rows({ text: `${text} LIMIT 1 OFFSET ${this.candidates - 1}`, values })[0]?.[0];
      if (last === undefined) return undefined;
      const id = Number(last);
      if (farthest === undefined || (descending ? id < farthest : id > farthest)) farthest = id;
    }
    return farthest;
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
