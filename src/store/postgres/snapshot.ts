import type { TurnOptions } from "../../domain/scheduling/loop-share.ts";
import type { Sql } from "../sql/sql.ts";
import { runStepsAsync, type SqlSteps } from "../sql/sql-steps.ts";
import { listPlanSettings } from "./connection-pools.ts";
import type { Client, ReservedConnection } from "./driver.ts";
import { commitInDoubt, isConnectionLost, unavailable } from "./error-codes.ts";

const settings = Object.entries(listPlanSettings).map(
  ([name, value]) => `set_config('${name}', '${value}', true)`,
);
/** Sets the planner settings for one transaction: behind a pooler, callers share sessions. */
const SET_PLANNING = `SELECT ${settings.join(", ")} WHERE $1::text <> ''`;

/** Runs each statement on its own, outside of a transaction unless one is open. */
export function runStatements<T>(sql: Client, steps: SqlSteps<T>, options?: TurnOptions): Promise<T> {
  return runStepsAsync(steps, (statement) => queryRows(sql, statement), options);
}

/** Runs all statements in one read-only transaction with one snapshot. */
export async function runInSnapshot<T>(
  connection: ReservedConnection,
  dedicatedSessions: boolean,
  steps: SqlSteps<T>,
  options?: TurnOptions,
): Promise<T> {
  return withRollback(connection, async () => {
    const statements = [connection`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`];
    if (!dedicatedSessions) statements.push(connection.unsafe(SET_PLANNING, ["now"]));
    await Promise.all(statements);
    const result = await runStatements(connection, steps, options);
    await connection`COMMIT`;
    return result;
  });
}

/**
 * A statement for just before COMMIT. Fails if the transaction has taken longer than this many milliseconds: PostgreSQL may have been
 * frozen, and the caller refused.
 */
export const REQUIRE_TIME = "SELECT roster.require_time($1::bigint)";

/** What is known about the COMMIT of a transaction whose caller gives up. */
export interface CommitState {
  /** Whether PostgreSQL may have committed. */
  inDoubt: boolean;
}

/** Runs all statements in one transaction. If one fails, none takes effect. Sends no COMMIT after the time that is left. */
export async function runInTransaction<T>(
  connection: ReservedConnection,
  steps: SqlSteps<T>,
  leftMs: () => number,
  state: CommitState,
): Promise<T> {
  return withRollback(connection, async () => {
    await connection`BEGIN`;
    const allowedMs = Math.floor(leftMs());
    const result = await runStatements(connection, steps, { first: true });
    if (leftMs() <= 0) throw unavailable("The database did not respond in time. The write was not made.");
    state.inDoubt = true;
    const committing = [connection.unsafe(REQUIRE_TIME, [String(allowedMs)]), connection`COMMIT`];
    await Promise.all(committing).catch((error: unknown) => {
      if (isConnectionLost(error)) throw commitInDoubt(error);
      state.inDoubt = false;
      throw error;
    });
    return result;
  });
}

async function withRollback<T>(connection: ReservedConnection, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await connection`ROLLBACK`.catch(() => undefined);
    throw error;
  }
}

export function queryRows(sql: Client, statement: Sql): Promise<unknown[][]> {
  // Numbers are sent as text: the driver would prepare another statement for each size of number.
  const texts = statement.values.map((value) => (typeof value === "number" ? String(value) : value));
  return sql.unsafe(numberParameters(statement.text), texts).values();
}

/** The most texts to keep. */
const MAX_TEXTS = 256;
const numbered = new Map<string, string>();

/** `$1`, `$2` and so on instead of `?`. */
function numberParameters(text: string): string {
  const known = numbered.get(text);
  if (known !== undefined) return known;
  let count = 0;
  const converted = text.replace(/\?/g, () => `$${++count}`);
  if (numbered.size >= MAX_TEXTS) numbered.clear();
  numbered.set(text, converted);
  return converted;
}
