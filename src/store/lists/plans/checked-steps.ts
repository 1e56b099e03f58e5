import type { Sql } from "../../sql/sql.ts";
import { PAUSE, type SqlSteps } from "../../sql/sql-steps.ts";

/** The id of the row that says that a check failed. No row of a table has it. */
const FAILED = -1;

/** Tests in SQL that look for what a plan takes to be absent. */
export class Checks {
  readonly #tests: readonly Sql[];
  readonly #texts = new Map<string, string>();

  constructor(tests: readonly Sql[]) {
    this.#tests = tests;
  }

  get isEmpty(): boolean {
    return this.#tests.length === 0;
  }

  /** A statement that returns one more row if a test finds something. */
  addTo({ text, values }: Sql): Sql {
    let checked = this.#texts.get(text);
    if (checked === undefined) {
      const tests = this.#tests.map((test) => test.text).join(" OR ");
      checked = `SELECT * FROM (${text}) r UNION ALL SELECT ${FAILED}, NULL, NULL WHERE ${tests}`;
      this.#texts.set(text, checked);
    }
    return { text: checked, values: [...values, ...this.#tests.flatMap((test) => test.values)] };
  }
}

interface CheckOptions {
  readonly checks?: Checks;
  readonly maxStatements?: number | undefined;
}

/**
 * Runs steps, and the checks with their first statement, which has to select rows of the columns id, sort key and JSON. Undefined if
 * a check finds something, or if there are more than `maxStatements` statements.
 */
export function* checkedSteps<T>(
  steps: SqlSteps<T>,
  { checks, maxStatements = Number.POSITIVE_INFINITY }: CheckOptions = {},
): SqlSteps<{ readonly result: T; readonly statements: number } | undefined> {
  let step = steps.next();
  let statements = 0;
  while (!step.done) {
    if (step.value === PAUSE) {
      yield PAUSE;
      step = steps.next([]);
      continue;
    }
    if (++statements > maxStatements) return undefined;
    const added = statements === 1 && !checks?.isEmpty ? checks : undefined;
    const rows = yield added ? added.addTo(step.value) : step.value;
    if (added && Number(rows.at(-1)?.[0]) === FAILED) return undefined;
    step = steps.next(rows);
  }
  return { result: step.value, statements };
}
