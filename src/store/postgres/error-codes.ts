import { SQL } from "bun";
import { ProblemError } from "../../domain/problem-error.ts";

/** PostgreSQL's own code of what went wrong, or the driver's where the server said nothing. */
export function errorCode(error: unknown): string {
  if (!(error instanceof SQL.PostgresError)) return "";
  return error.errno === undefined ? error.code : String(error.errno);
}

/** Whether the server itself said it, and not the driver of a server that is no longer there. */
export function isServerError(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(errorCode(error));
}

/**
 * The connection is gone, cannot be made, or leads to a server that is not the one to ask: going down, coming up, full,
 * or taking no writes.
 */
export function isConnectionLost(error: unknown): boolean {
  return /^(ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)|57P0[1-5]|25P03|08(?!P01)|53300|25006)/.test(
    errorCode(error),
  );
}

/** The server takes no writes: it is a standby, or has become one. */
export function isReadOnlyServer(error: unknown): boolean {
  return errorCode(error) === "25006";
}

/** Two transactions were in each other's way, and this one was rolled back: it may be tried again as it is. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(errorCode(error));
}

/** A unique index found another row. */
export function isDuplicate(error: unknown): boolean {
  return errorCode(error) === "23505";
}

/** A statement prepared on this connection is of another time: it has been forgotten, and the next try prepares it anew. */
export function isStaleStatement(error: unknown): boolean {
  return ["0A000", "26000", "42P05"].includes(errorCode(error));
}

/** It took too long, or the server has run out of something: nothing is wrong with what was asked. */
function isOverloaded(error: unknown): boolean {
  return /^(57014|55P03|53)/.test(errorCode(error));
}

/** What a caller is told, where the database is at fault; anything else stays as it is. */
export function toProblemError(error: unknown): unknown {
  if (isConnectionLost(error)) return unavailable("The database is away: try again shortly.", error);
  if (isOverloaded(error) || isConflict(error)) {
    return unavailable("The database is too busy just now: try again shortly.", error);
  }
  return error;
}

export function unavailable(detail: string, cause?: unknown): ProblemError {
  return new ProblemError("unavailable", detail, undefined, { cause });
}
