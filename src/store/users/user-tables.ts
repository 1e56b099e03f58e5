import { sql } from "../sql/sql.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import type { TableDialect } from "../sql/table-dialect.ts";

/** Statements on the table of users that are the same on any engine. */
export class UserTables {
  readonly #dialect: TableDialect;

  constructor(dialect: TableDialect) {
    this.#dialect = dialect;
  }

  measure(ids: readonly number[]): SqlSteps<ReadonlyMap<number, number>> {
    return measureUsers(this.#dialect, "users", ids);
  }

  *count(): SqlSteps<number> {
    const [row] = yield sql(this.#dialect.countUsers);
    return Number(row?.[0]);
  }
}

/** The bytes of the JSON of users, by id. PostgreSQL knows the size of a long text without reading it. */
export function* measureUsers(
  { schema, elements }: TableDialect,
  table: "users" | "deleted_users",
  ids: readonly number[],
): SqlSteps<ReadonlyMap<number, number>> {
  const rows = yield sql(
    `SELECT id, octet_length(json) FROM ${schema}${table}
     WHERE id IN (SELECT CAST(value ->> 0 AS bigint) FROM ${elements})`,
    JSON.stringify(ids.map((id) => [id])),
  );
  return new Map(rows.map(([id, bytes]) => [Number(id), Number(bytes)]));
}
