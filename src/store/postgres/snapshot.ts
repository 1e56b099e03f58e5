import type { ReservedSQL, SQL } from "bun";
import type { Sql } from "../lists/sql.ts";
import { runStepsAsync, type SqlSteps } from "../lists/sql-steps.ts";
import { listPlanning } from "./connections.ts";

const settings = Object.entries(listPlanning).map(
  ([name, value]) => `set_config('${name}', '${value}', true)`,
);
/** For a session that is not ours, and was told nothing when it began. */
const SET_PLANNING = `SELECT ${settings.join(", ")} WHERE $1::text <> ''`;

/** Answers each question on its own: nearly always there is but one. */
export function runWithoutTransaction<T>(sql: SQL, asking: SqlSteps<T>): Promise<T> {
  return runStepsAsync(asking, (question) => rows(sql, question));
}

/** Answers every question from one moment of the database, in one transaction that only reads. */
export async function runInSnapshot<T>(
  connection: ReservedSQL,
  sessions: boolean,
  asking: SqlSteps<T>,
): Promise<T> {
  return runInTransaction(connection, asking, () => {
    const began = [connection`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`];
    if (!sessions) began.push(connection.unsafe(SET_PLANNING, ["now"]));
    return Promise.all(began);
  });
}

/** Does all that is asked in one transaction, or nothing. */
export async function runInTransaction<T>(
  connection: ReservedSQL,
  asking: SqlSteps<T>,
  begin: () => PromiseLike<unknown> = () => connection`BEGIN`,
): Promise<T> {
  try {
    await begin();
    const result = await runWithoutTransaction(connection, asking);
    await connection`COMMIT`;
    return result;
  } catch (error) {
    await connection`ROLLBACK`.catch(() => undefined);
    throw error;
  }
}

/** Numbers go as text: the driver would prepare a statement anew for each size that a number has. */
function rows(sql: SQL, { text, values }: Sql): Promise<unknown[][]> {
  let number = 0;
  const numbered = text.replace(/\?/g, () => `$${++number}`);
  const texts = values.map((value) => (typeof value === "number" ? String(value) : value));
  return sql.unsafe(numbered, texts).values();
}
