import { sql } from "./sql.ts";
import type { SqlSteps } from "./sql-steps.ts";
import type { TableDialect } from "./table-dialect.ts";

/** The bytes of the JSON of records, by id. PostgreSQL knows the size of a long text without reading it. */
export function* measureRecords(
  { schema, elements }: TableDialect,
  table: "users" | "deleted_users" | "groups",
  ids: readonly number[],
): SqlSteps<ReadonlyMap<number, number>> {
  const rows = yield sql(
    `SELECT id, octet_length(json) FROM ${schema}${table}
     WHERE id IN (SELECT CAST(value ->> 0 AS bigint) FROM ${elements})`,
    JSON.stringify(ids.map((id) => [id])),
  );
  return new Map(rows.map(([id, bytes]) => [Number(id), Number(bytes)]));
}
