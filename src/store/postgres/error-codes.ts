import { SQL } from "bun";
import { DatabaseUnavailable } from "../../domain/database-unavailable.ts";
import { ProblemError } from "../../domain/problem-error.ts";

/** PostgreSQL's error code, or the driver's if the server sent none; empty for other errors. */
export function errorCode(error: unknown): string {
  if (!(error instanceof SQL.PostgresError)) return "";
  return error.errno === undefined ? error.code : String(error.errno);
}

/** Whether PostgreSQL rejected a statement; false for errors of the driver and of poolers, such as a lost connection. */
export function isServerError(error: unknown): boolean {
  return /^(?!08)[0-9A-Z]{5}$/.test(errorCode(error)) && !isLostByPgpool(error);
}

/** Pgpool's messages about a connection to PostgreSQL that it has lost, or does not get. */
const lostByPgpool = /^(unable|failed|connection) to .*\b(DB node|backend|postmaster|PostgreSQL server)\b/;

/** Pgpool reports a lost connection with the code of PostgreSQL's internal errors. Only the message tells them apart. */
function isLostByPgpool(error: unknown): boolean {
  return errorCode(error) === "XX000" && error instanceof Error && lostByPgpool.test(error.message);
}

/** PostgreSQL's codes of a server that is starting, stopping or full. Poolers use 08P01 for all their errors. */
const lostByServer = /^(57P0[1-5]|25P03|08|53300)/;
/** The driver's codes of a connection that is closed or refused, or that the driver closes: it cannot read a message. */
const lostByDriver =
  /^ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME|EXPECTED|UNEXPECTED|INVALID_MESSAGE|INVALID_BACKEND|SERVER_ERROR)/;

/** The connection is lost or refused, or the server is starting, stopping, full or read-only. */
export function isConnectionLost(error: unknown): boolean {
  const code = errorCode(error);
  return (
    lostByServer.test(code) ||
    lostByDriver.test(code) ||
    socketErrorCode(error) === "ECONNRESET" ||
    isLostByPgpool(error) ||
    isReadOnlyServer(error)
  );
}

/** The code of an error of TLS, or of the socket before TLS is ready. The driver throws such an error unchanged. */
function socketErrorCode(error: unknown): string {
  if (error instanceof SQL.PostgresError || !(error instanceof Error) || !("code" in error)) return "";
  return String(error.code);
}

/** The certificate of the server is not trusted. */
export function isCertificateError(error: unknown): boolean {
  return /CERT|TLS|VERIFY/.test(socketErrorCode(error));
}

/** The TLS handshake failed. */
export function isHandshakeError(error: unknown): boolean {
  return (
    /^(EPROTO|ERR_BORINGSSL)$/.test(socketErrorCode(error)) ||
    errorCode(error) === "ERR_POSTGRES_TLS_UPGRADE_FAILED"
  );
}

/** The server rejects the user, the password or the database, or there is no secure connection to it. */
function isSignInError(error: unknown): boolean {
  return (
    /^(28|3D000|ERR_POSTGRES_(\w*AUTHENTICATION|CHANNEL_BINDING|SASL|INVALID_SERVER|TLS))/.test(
      errorCode(error),
    ) ||
    isCertificateError(error) ||
    isHandshakeError(error)
  );
}

/** The server takes no writes, such as a standby: it rejected one, or it said so when it was asked. */
export function isReadOnlyServer(error: unknown): boolean {
  return error instanceof ReadOnlyServerError || errorCode(error) === "25006";
}

/** The server said that it takes no writes. */
export class ReadOnlyServerError extends Error {
  override readonly name = "ReadOnlyServerError";
}

/** Serialization failure or deadlock: the transaction was rolled back and can be retried. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(errorCode(error));
}

/** The schema has changed since the batch read it: see `require_schema` of the database. */
export function isSchemaChange(error: unknown): boolean {
  return errorCode(error) === "RS001";
}

/** The transaction took longer than its caller waits: see `require_time` of the database. */
export function isTooLate(error: unknown): boolean {
  return errorCode(error) === "RS002";
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
  if (isReadOnlyServer(error)) return readOnlyServer(error);
  if (isConnectionLost(error) || isSignInError(error)) {
    return unavailable("The database is not reachable. Try again shortly.", error);
  }
  if (isOverloaded(error) || isConflict(error) || isStaleStatement(error) || isTooLate(error)) {
    return new ProblemError("unavailable", "The database is overloaded. Try again shortly.", undefined, {
      cause: error,
    });
  }
  return error;
}

/** The connection was lost during COMMIT, or the time was up: nobody may repeat the write without its caller. */
export function commitInDoubt(cause: unknown): DatabaseUnavailable {
  return unavailable(
    "The connection to the database was lost. The write may or may not have been committed.",
    cause,
  );
}

export function readOnlyServer(cause?: unknown): DatabaseUnavailable {
  return unavailable("The database server is read-only, like a standby. Try again shortly.", cause);
}

export function unavailable(detail: string, cause?: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable(detail, cause);
}
