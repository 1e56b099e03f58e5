import { SQL } from "bun";
import { DatabaseUnavailable } from "../../domain/database-unavailable.ts";
import { ProblemError } from "../../domain/problem-error.ts";

/** PostgreSQL's error code, or the driver's if the server sent none; empty for other errors. */
export function errorCode(error: unknown): string {
  if (!(error instanceof SQL.PostgresError)) return "";
  return error.errno === undefined ? error.code : String(error.errno);
}

/** Whether the server sent the error; false for errors of the driver, such as a lost connection. */
export function isServerError(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(errorCode(error));
}

/** The connection is lost or refused, or the server is starting, stopping, full or read-only. */
export function isConnectionLost(error: unknown): boolean {
  return /^(ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)|57P0[1-5]|25P03|08(?!P01)|53300|25006)/.test(
    errorCode(error),
  );
}

/** The server takes no writes: it is a standby. */
export function isReadOnlyServer(error: unknown): boolean {
  return errorCode(error) === "25006";
}

/** Serialization failure or deadlock: the transaction was rolled back and can be retried. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(errorCode(error));
}

/** A unique index has another row with the same key. */
export function isDuplicate(error: unknown): boolean {
  return errorCode(error) === "23505";
}

/** A prepared statement of this connection is outdated. The driver has dropped it; the next try prepares it again. */
export function isStaleStatement(error: unknown): boolean {
  return ["0A000", "26000", "42P05"].includes(errorCode(error));
}

/** A timeout, or the server is out of resources. */
function isOverloaded(error: unknown): boolean {
  return /^(57014|55P03|53)/.test(errorCode(error));
}

/** Converts errors of an unreachable or overloaded database to `unavailable`. Returns other errors unchanged. */
export function toProblemError(error: unknown): unknown {
  if (isConnectionLost(error)) return unavailable("The database is not reachable. Try again shortly.", error);
  if (isOverloaded(error) || isConflict(error)) {
    return new ProblemError("unavailable", "The database is overloaded. Try again shortly.", undefined, {
      cause: error,
    });
  }
  return error;
}

export function unavailable(detail: string, cause?: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable(detail, cause);
}
