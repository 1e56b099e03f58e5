import { SQL } from "bun";

/** An error that the server sends, with PostgreSQL's code. */
export function serverError(errno: string, message: string): SQL.PostgresError {
  return new SQL.PostgresError(message, { code: "ERR_POSTGRES_SERVER_ERROR", errno });
}

/** An error of the driver: no answer will come. */
export function driverError(event: "CLOSED" | "TIMEOUT"): SQL.PostgresError {
  return new SQL.PostgresError(`The connection is ${event.toLowerCase()}.`, {
    code: `ERR_POSTGRES_CONNECTION_${event}`,
  });
}
