export type Cell = string | number | null;
/** Values in the order of the table's columns. */
export type Row = readonly Cell[];

export interface TableShape {
  readonly name: string;
  readonly columns: Readonly<Record<string, "integer" | "text">>;
  /** The primary key is this many columns, from the first. */
  readonly keyColumns: number;
}

/**
 * Every table that a move copies, in this order. A new table needs one entry here. A table whose rows also fill an index
 * or a count has an entry in the `archive-tables.ts` of each engine as well.
 */
export const tables = [
  {
    name: "users",
    columns: {
      id: "integer",
      version: "integer",
      json: "text",
      created_at: "integer",
      updated_at: "integer",
      changed_by: "integer",
      user_name_key: "text",
    },
    keyColumns: 1,
  },
  {
    name: "groups",
    columns: {
      id: "integer",
      version: "integer",
      json: "text",
      created_at: "integer",
      updated_at: "integer",
      changed_by: "integer",
    },
    keyColumns: 1,
  },
  {
    name: "deleted_users",
    columns: { id: "integer", version: "integer", json: "text", deleted_at: "integer" },
    keyColumns: 1,
  },
  {
    name: "schema_versions",
    columns: { version: "integer", json: "text", created_at: "integer", created_by: "integer" },
    keyColumns: 1,
  },
  {
    name: "unique_values",
    columns: { field: "text", value: "text", user_id: "integer" },
    keyColumns: 2,
  },
  {
    name: "daily_users",
    columns: { day: "text", part: "integer", created: "integer", deleted: "integer", restored: "integer" },
    keyColumns: 2,
  },
  {
    name: "events",
    columns: {
      position: "integer",
      subject_type: "text",
      subject_id: "integer",
      action: "text",
      version: "integer",
      actor: "integer",
      request_id: "text",
      changes: "text",
      record: "text",
    },
    keyColumns: 1,
  },
  {
    name: "keys",
    columns: {
      id: "integer",
      name: "text",
      prefix: "text",
      digest: "text",
      scopes: "text",
      created_at: "integer",
      created_by: "integer",
      lifetime: "integer",
      expires_at: "integer",
      revoked_at: "integer",
      revoked_by: "integer",
      rate_requests: "integer",
      rate_seconds: "integer",
      quota: "integer",
      change: "integer",
    },
    keyColumns: 1,
  },
  {
    name: "key_usage",
    columns: { key_id: "integer", month: "text", requests: "integer", last_used_at: "integer" },
    keyColumns: 2,
  },
  {
    name: "daily_key_usage",
    columns: { key_id: "integer", day: "text", requests: "integer" },
    keyColumns: 2,
  },
  {
    name: "webhooks",
    columns: {
      id: "integer",
      url: "text",
      types: "text",
      description: "text",
      filter: "text",
      active: "integer",
      secret: "text",
      previous_secret: "text",
      previous_until: "integer",
      created_at: "integer",
      updated_at: "integer",
      version: "integer",
      position: "integer",
      failing_since: "integer",
      disabled_reason: "text",
    },
    keyColumns: 1,
  },
  {
    name: "webhook_deliveries",
    columns: {
      webhook_id: "integer",
      position: "integer",
      type: "text",
      subject_id: "integer",
      state: "text",
      attempts: "text",
      failures: "integer",
      next_attempt_at: "integer",
      attempted_at: "integer",
    },
    keyColumns: 2,
  },
  {
    name: "webhook_responses",
    columns: {
      webhook_id: "integer",
      position: "integer",
      user_id: "integer",
      attempted_at: "integer",
      body: "text",
      is_cut: "integer",
    },
    keyColumns: 2,
  },
  {
    name: "webhook_hours",
    columns: { webhook_id: "integer", hour: "integer", accepted: "integer", failed: "integer" },
    keyColumns: 2,
  },
  {
    name: "outcomes",
    columns: {
      caller: "text",
      key: "text",
      fingerprint: "text",
      outcome: "text",
      expires_at: "integer",
      user_id: "integer",
    },
    keyColumns: 2,
  },
] as const satisfies readonly TableShape[];

/** Tables that a move empties and does not copy: no session of the old keys may stay valid, and no lease of a node. */
export const emptiedTables = ["sessions", "webhook_work"] as const;

/** Every id sequence that a move carries over, by the name it has on PostgreSQL. */
export const sequences = ["user_ids", "group_ids", "event_positions", "webhook_ids"] as const;

export type Table = (typeof tables)[number];
export type TableName = Table["name"];
export type SequenceName = (typeof sequences)[number];
export type RowCounts = ReadonlyMap<TableName, number>;
/** The last value that each sequence gave. The row with that value may have been deleted since. */
export type LastValues = ReadonlyMap<SequenceName, number>;

export interface ArchiveStats {
  readonly lastValues: LastValues;
  readonly rows: RowCounts;
  /** Whether a start has nothing to move in users (domain/users/settle-user.ts). */
  readonly isSettled: boolean;
}

/** The source changed during the move: its rows contradict each other, or differ from the copied ones. */
export class SourceChangedError extends Error {
  override readonly name = "SourceChangedError";
}

/** A database to read completely, in the order of primary keys. Every method fails with a `StoreError`. */
export interface ArchiveSource {
  /** Name of the database for people, without its password. */
  readonly displayName: string;
  /** Random id of the database: the same under each of its addresses. */
  readonly identity: string;
  /** State of an unfinished move into this database; undefined if there is none. */
  moveState(): Promise<string | undefined>;
  stats(): Promise<ArchiveStats>;
  /** Rows after this key, or the first rows. */
  read(table: Table, after: Row | undefined, limit: number): Promise<Row[]>;
  close(): Promise<void>;
}

/**
 * A database to fill with the rows of another one. Each change also replaces the move state `from` by `to`, in the same
 * transaction. If the state is no longer `from`, another process has taken over the move, and nothing is changed.
 */
export interface ArchiveTarget extends ArchiveSource {
  /**
   * Requires that no other process uses the database, and sets the move state; `from` is undefined for a new move.
   * Drops the indexes until `createIndexes`: filling tables without them is much faster.
   */
  begin(from: string | undefined, to: string): Promise<void>;
  /** Can be called before the previous write has finished. Also fails with `SourceChangedError`. */
  write(table: Table, rows: readonly Row[], from: string, to: string): Promise<void>;
  updateMoveState(from: string, to: string): Promise<void>;
  /** Removes every row, and drops the indexes again. */
  clear(from: string, to: string): Promise<void>;
  /** Creates the dropped indexes. Also fails with `SourceChangedError`. */
  createIndexes(progress: (done: number, total: number) => void): Promise<void>;
  /**
   * Removes the move state, and the time of the last backup. Sequences continue after the last values of the source, and after every
   * value this database ever gave. If the source is not settled, the next start settles all users. With `restored`, disables all
   * webhooks.
   */
  finish(from: string, source: Omit<ArchiveStats, "rows">, restored?: boolean): Promise<void>;
}

export function primaryKey(table: Table, row: Row): Row {
  return row.slice(0, table.keyColumns);
}

/** Converts rows from a database driver: PostgreSQL's returns a bigint as text. */
export function toRows(
  { columns }: Pick<TableShape, "columns">,
  rows: readonly (readonly unknown[])[],
): Row[] {
  const types = Object.values(columns);
  return rows.map((values) =>
    types.map((type, index) => {
      const value = values[index] ?? null;
      return value === null ? null : type === "integer" ? Number(value) : String(value);
    }),
  );
}
