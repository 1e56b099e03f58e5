import type { Sql } from "../../sql/sql.ts";
import { PAUSE, type SqlSteps } from "../../sql/sql-steps.ts";
import type { AbsentEntries } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import type { ListResource } from "../list-resource.ts";

/** The id of the row that says that some of the entries exist. No row of a table has it. */
const FOUND_ENTRIES = -1;

/**
 * Runs steps that select rows of the columns id, sort key and JSON with their first statement. Undefined if they need another
 * statement, or if the index of custom fields has some of the absent entries: the same statement looks for them.
 */
export function* inOneStatement<T>(
  steps: SqlSteps<T>,
  dialect: Dialect,
  { customValues }: Pick<ListResource, "customValues">,
  absent: readonly AbsentEntries[],
): SqlSteps<T | undefined> {
  let step = steps.next();
  let statements = 0;
  while (!step.done) {
    if (step.value === PAUSE) {
      yield PAUSE;
      step = steps.next([]);
      continue;
    }
    if (++statements > 1) return undefined;
    const isChecked = absent.length > 0;
    const rows = yield isChecked
      ? addCheck(step.value, dialect.table(customValues.table), absent)
      : step.value;
    if (isChecked && Number(rows.at(-1)?.[0]) === FOUND_ENTRIES) return undefined;
    step = steps.next(rows);
  }
  return step.value;
}

/** Statements with their check. First pages of remembered lists use the same objects again. */
const checked = new WeakMap<Sql, Sql>();

function addCheck(statement: Sql, table: string, absent: readonly AbsentEntries[]): Sql {
  const known = checked.get(statement);
  if (known) return known;
  const added = withCheck(statement, table, absent);
  checked.set(statement, added);
  return added;
}

/** Adds a row if the table has some of the entries. */
function withCheck(statement: Sql, table: string, absent: readonly AbsentEntries[]): Sql {
  const tests = absent.map(({ field, value }): Sql => {
    const from = `EXISTS (SELECT 1 FROM ${table} WHERE field = ?`;
    return value === undefined
      ? { text: `${from})`, values: [field] }
      : { text: `${from} AND value = ?)`, values: [field, value] };
  });
  const check = tests.map(({ text }) => text).join(" OR ");
  return {
    text: `SELECT * FROM (${statement.text}) r UNION ALL SELECT ${FOUND_ENTRIES}, NULL, NULL WHERE ${check}`,
    values: [...statement.values, ...tests.flatMap(({ values }) => values)],
  };
}
