import { joinSql, type Sql } from "../../sql/sql.ts";
import { PAUSE, type SqlSteps } from "../../sql/sql-steps.ts";

/** The id of the row that says that a check failed. No row of a table has it. */
const FAILED = -1;

interface CheckOptions {
  /** Tests in SQL that look for what the steps take to be absent. */
  readonly checks?: readonly Sql[];
  readonly maxStatements?: number | undefined;
}

/**
 * Runs steps, and the checks with their first statement, which has to select rows of the columns id, sort key and JSON. Undefined if
 * a check finds something, or if there are more than `maxStatements` statements.
 */
export function* checkedSteps<T>(
  steps: SqlSteps<T>,
  { checks = [], maxStatements = Number.POSITIVE_INFINITY }: CheckOptions = {},
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
    const isChecked = statements === 1 && checks.length > 0;
    const rows = yield isChecked ? addChecks(step.value, checks) : step.value;
    if (isChecked && Number(rows.at(-1)?.[0]) === FAILED) return undefined;
    step = steps.next(rows);
  }
  return { result: step.value, statements };
}

/** Adds a row if a check finds something. */
function addChecks(statement: Sql, checks: readonly Sql[]): Sql {
  return joinSql(
    "SELECT * FROM (",
    statement,
    `) r UNION ALL SELECT ${FAILED}, NULL, NULL WHERE`,
    ...checks.flatMap((check, index) => (index === 0 ? [check] : ["OR", check])),
  );
}
