import { type IndexTerms, indexTerms, parseUser } from "../domain/user.ts";
import type { UserRow } from "./apply-write.ts";

export type Cell = string | number | null;
/** In the order of the table's columns. */
export type Row = readonly Cell[];

interface TableShape {
  readonly name: string;
  readonly columns: Readonly<Record<string, "integer" | "text">>;
  /** How many of the columns, from the first on, tell rows apart and put them in order. */
  readonly key: number;
}

/**
 * Every table that a move copies, in this order, as both engines have it. Sessions stay behind: one signs in again. A
 * new table needs an entry here and nothing
 * else, unless there is more to write for a row than the row itself, as there is for a user.
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
    },
    key: 1,
  },
  {
    name: "removals",
    columns: { user_id: "integer", removed_at: "integer", removed_by: "integer" },
    key: 1,
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
    key: 1,
  },
  {
    name: "key_usage",
    columns: { key_id: "integer", month: "text", requests: "integer", last_used_at: "integer" },
    key: 2,
  },
  {
    name: "outcomes",
    columns: { caller: "text", key: "text", fingerprint: "text", outcome: "text", expires_at: "integer" },
    key: 2,
  },
] as const satisfies readonly TableShape[];

export type Table = (typeof tables)[number];
export type TableName = Table["name"];
export type RowCounts = ReadonlyMap<TableName, number>;

export interface ArchiveStats {
  /** The last id given to a user, who may be gone. */
  readonly lastId: number;
  readonly rows: RowCounts;
}

/** Two rows that cannot both be: they were not in the source at the same time. */
export class SourceChangedError extends Error {
  override readonly name = "Clash";
}

/** A database whose every row is to be read, in order of its key. Any method fails with a `StoreError`. */
export interface ArchiveSource {
  /** For people to read: no password. */
  readonly shown: string;
  /** Tells the database from every other, by whatever name it is reached. */
  readonly identity: string;
  /** How far a move into this database has come; undefined when none is unfinished. */
  moveState(): Promise<string | undefined>;
  stats(): Promise<ArchiveStats>;
  /** The rows that follow this key; from the first one if there is none. */
  read(table: Table, after: Row | undefined, limit: number): Promise<Row[]>;
  close(): Promise<void>;
}

/**
 * A database that is filled with another's rows, by nobody else meanwhile. What changes it also moves the mark on from
 * what it is said to be, both or neither; if it is another, somebody else has gone on with the move, and nothing is done.
 */
export interface ArchiveTarget extends ArchiveSource {
  /**
   * Makes sure that nobody else uses the database, and marks it: anew, or from where an earlier run has left the mark.
   * Its indexes are left out until `makeIndexes`, for to keep them meanwhile takes much longer.
   */
  begin(from: string | undefined, to: string): Promise<void>;
  /** May be called before the last one has ended. Fails with `Clash`, too. */
  write(table: Table, rows: readonly Row[], from: string, to: string): Promise<void>;
  updateMoveState(from: string, to: string): Promise<void>;
  /** Removes every row, and leaves out the indexes again. */
  clear(from: string, to: string): Promise<void>;
  /** Makes those indexes that are left out; fails with `Clash`, too. */
  createIndexes(progress: (done: number, total: number) => void): Promise<void>;
  /** Removes the mark. No id up to this one will be given, and none that this database has given already. */
  finish(from: string, lastId: number): Promise<void>;
}

/** What makes two rows the same one. */
export function keyOf(table: Table, row: Row): Row {
  return row.slice(0, table.key);
}

/** Rows as an engine's driver gives them. */
export function toRows({ columns }: Table, rows: readonly (readonly unknown[])[]): Row[] {
  const types = Object.values(columns);
  return rows.map((values) =>
    types.map((type, index) => {
      const value = values[index] ?? null;
      return value === null ? null : type === "integer" ? Number(value) : String(value);
    }),
  );
}

/** A row of `users`, with what is indexed of it. */
export function parseUserRow(row: Row): { row: UserRow; createdAt: number; terms: IndexTerms } {
  const [id, version, text, createdAt, updatedAt, by = null] = row;
  const json = String(text);
  const changedBy = by === null ? null : Number(by);
  return {
    row: { id: Number(id), version: Number(version), json, updatedAt: Number(updatedAt), changedBy },
    createdAt: Number(createdAt),
    terms: indexTerms(parseUser(json).record),
  };
}
