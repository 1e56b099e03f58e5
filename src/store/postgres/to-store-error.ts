import type { PostgresDatabase } from "../../config/database-url.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { StoreError } from "../store-error.ts";
import { errorCode, isCertificateError, isConnectionLost, isHandshakeError } from "./error-codes.ts";

/** Converts an error of opening a database to a `StoreError` that says what to do. */
export function toStoreError(error: unknown, { displayName }: PostgresDatabase): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  return new StoreError(describeError(error, displayName), { cause: error });
}

function describeError(error: Error, displayName: string): string {
  switch (errorCode(error)) {
    case "28P01":
    case "28000":
      return `PostgreSQL rejected the user at ${displayName}: check user, password and sslmode in DATABASE_URL (${error.message}).`;
    case "3D000":
      return `The database at ${displayName} does not exist: create it, or change DATABASE_URL.`;
    case "42501":
      return /database/.test(error.message)
        ? `This PostgreSQL user may not create tables at ${displayName}: grant the privilege (GRANT CREATE ON DATABASE), or let the database owner run \`roster migrate\`.`
        : `This PostgreSQL user lacks privileges on the tables at ${displayName} (${error.message}): let their owner GRANT the privileges listed in docs/operations.md.`;
    case "25006":
      return `The server at ${displayName} is read-only, like a standby: use the primary in DATABASE_URL.`;
    case "53300":
      return `PostgreSQL has no connection left at ${displayName}: raise max_connections, or lower ROSTER_DATABASE_POOL.`;
    case "57014":
      return `PostgreSQL at ${displayName} cancelled a statement (${error.message}): try again, or raise ROSTER_DATABASE_WAIT.`;
    case "08P01":
      return `The server at ${displayName} rejected the session settings (${error.message}): for PgBouncer, set ROSTER_DATABASE_POOLER=transaction.`;
    case "ERR_POSTGRES_TLS_NOT_AVAILABLE":
      return `PostgreSQL at ${displayName} does not support TLS: enable it there, or remove the TLS options from DATABASE_URL.`;
  }
  if (isCertificateError(error)) {
    return `The certificate of PostgreSQL at ${displayName} is not trusted (${error.message}): check sslmode and sslrootcert in DATABASE_URL.`;
  }
  if (isHandshakeError(error)) {
    return `The TLS handshake with PostgreSQL at ${displayName} failed (${error.message}): check sslrootcert, sslcert and sslkey in DATABASE_URL.`;
  }
  if (/accepts writes/.test(error.message)) {
    return `No host at ${displayName} accepts writes: promote one, or change DATABASE_URL.`;
  }
  if (isConnectionLost(error) || error instanceof ProblemError) {
    return `PostgreSQL is not reachable at ${displayName}: start it, or change DATABASE_URL.`;
  }
  return `Cannot use ${displayName}: ${error.message}.`;
}
