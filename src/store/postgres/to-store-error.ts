import type { PostgresDatabase } from "../../config/database-url.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { StoreError } from "../store-error.ts";
import { errorCode, isConnectionLost } from "./error-codes.ts";

/** Converts an error of opening a database to a `StoreError` that says what to do. */
export function toStoreError(error: unknown, { displayName: shown }: PostgresDatabase): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  return new StoreError(describeError(error, shown), { cause: error });
}

function describeError(error: Error, shown: string): string {
  switch (errorCode(error)) {
    case "28P01":
    case "28000":
      return `PostgreSQL rejected the user at ${shown}: check user, password and sslmode in DATABASE_URL (${error.message}).`;
    case "3D000":
      return `The database at ${shown} does not exist: create it, or change DATABASE_URL.`;
    case "42501":
      return /database/.test(error.message)
        ? `This PostgreSQL user may not create tables at ${shown}: grant the privilege (GRANT CREATE ON DATABASE), or let the database owner run \`roster migrate\`.`
        : `This PostgreSQL user lacks privileges on the tables at ${shown} (${error.message}): let their owner GRANT the privileges listed in docs/operations.md.`;
    case "53300":
      return `PostgreSQL has no connection left at ${shown}: raise max_connections, or lower ROSTER_DATABASE_POOL.`;
    case "08P01":
      return `The server at ${shown} rejected the session settings (${error.message}): for PgBouncer, set ROSTER_DATABASE_POOLER=transaction.`;
    case "ERR_POSTGRES_TLS_NOT_AVAILABLE":
      return `PostgreSQL at ${shown} does not support TLS: enable it there, or remove the TLS options from DATABASE_URL.`;
  }
  if ("code" in error && /CERT|TLS|VERIFY/.test(String(error.code))) {
    return `The certificate of PostgreSQL at ${shown} is not trusted (${error.message}): check sslmode and sslrootcert in DATABASE_URL.`;
  }
  if ("code" in error && /^(EPROTO|ERR_BORINGSSL)$/.test(String(error.code))) {
    return `The TLS handshake with PostgreSQL at ${shown} failed (${error.message}): check sslrootcert, sslcert and sslkey in DATABASE_URL.`;
  }
  if (/accepts writes/.test(error.message)) {
    return `No host at ${shown} accepts writes: promote one, or change DATABASE_URL.`;
  }
  if (isConnectionLost(error) || error instanceof ProblemError) {
    return `PostgreSQL is not reachable at ${shown}: start it, or change DATABASE_URL.`;
  }
  return `Cannot use ${shown}: ${error.message}.`;
}
