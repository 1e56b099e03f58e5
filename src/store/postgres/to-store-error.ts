import type { PostgresDatabase } from "../../config/database-url.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { StoreError } from "../store-error.ts";
import { errorCode, isConnectionLost } from "./error-codes.ts";

/** Why a database cannot be opened, as a `StoreError` whose message says what to do. */
export function toStoreError(error: unknown, { displayName: shown }: PostgresDatabase): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  return new StoreError(sentence(error, shown), { cause: error });
}

function sentence(error: Error, shown: string): string {
  switch (errorCode(error)) {
    case "28P01":
    case "28000":
      return `PostgreSQL refuses this user at ${shown}: check user, password and sslmode in DATABASE_URL (${error.message}).`;
    case "3D000":
      return `There is no such database at ${shown}: create it, or change DATABASE_URL.`;
    case "42501":
      return /database/.test(error.message)
        ? `PostgreSQL lets this user make no tables at ${shown}: GRANT CREATE ON DATABASE to it, or have its owner run \`roster migrate\`.`
        : `PostgreSQL keeps this user from the tables at ${shown} (${error.message}): have their owner GRANT what docs/operations.md lists.`;
    case "53300":
      return `PostgreSQL has no connection left at ${shown}: raise max_connections, or lower ROSTER_DATABASE_POOL.`;
    case "08P01":
      return `What answers at ${shown} does not take what is said at the start of a session (${error.message}): for PgBouncer, set ROSTER_DATABASE_POOLER=transaction.`;
    case "ERR_POSTGRES_TLS_NOT_AVAILABLE":
      return `PostgreSQL at ${shown} speaks no TLS: turn it on there, or take what is about TLS out of DATABASE_URL.`;
  }
  if ("code" in error && /CERT|TLS|VERIFY/.test(String(error.code))) {
    return `The certificate of PostgreSQL at ${shown} is not to be trusted (${error.message}): check sslmode and sslrootcert in DATABASE_URL.`;
  }
  if ("code" in error && /^(EPROTO|ERR_BORINGSSL)$/.test(String(error.code))) {
    return `PostgreSQL at ${shown} and this node find no way to TLS (${error.message}): check sslrootcert, sslcert and sslkey in DATABASE_URL.`;
  }
  if (/takes writes/.test(error.message)) {
    return `None of the hosts at ${shown} takes writes: promote one, or change DATABASE_URL.`;
  }
  if (isConnectionLost(error) || error instanceof ProblemError) {
    return `PostgreSQL does not answer at ${shown}: start it, or change DATABASE_URL.`;
  }
  return `Cannot use ${shown}: ${error.message}.`;
}
