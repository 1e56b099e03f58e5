import { Database } from "bun:sqlite";
import { SQL } from "bun";
import type { Engine } from "../engines.ts";

const BYTES = "coalesce(sum(octet_length(changes) + octet_length(record) + 80), 0)";

/** Queries that return by how many bytes the count of events is wrong. Each is one snapshot, so it can run while others write. */
export const EVENT_BYTES_ERROR = {
  sqlite: `SELECT bytes - (SELECT ${BYTES} FROM events) FROM event_usage`,
  postgres: `
    SELECT (SELECT coalesce(sum(bytes), 0) FROM roster.event_usage) - ${BYTES}
    FROM roster.events, roster.about WHERE (position > uncounted_after AND position <= uncounted_to) IS NOT TRUE`,
} as const satisfies Record<Engine, string>;

/** By how many bytes the count of events is wrong. */
export async function eventBytesError(engine: Engine, url: string): Promise<number> {
  if (engine === "sqlite") {
    using db = new Database(url, { readonly: true });
    return Number(db.query(EVENT_BYTES_ERROR.sqlite).values()[0]?.[0]);
  }
  await using sql = new SQL(url, { max: 1 });
  return Number((await sql.unsafe(EVENT_BYTES_ERROR.postgres).values())[0]?.[0]);
}
