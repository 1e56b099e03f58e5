import {
  type ArchiveSource,
  type ArchiveStats,
  type Row,
  type RowCounts,
  sequences,
  type Table,
  type TableName,
  type TableShape,
  tables,
} from "../archive.ts";
import { convertOutcome } from "./earlier-outcome.ts";
import { convertUser } from "./earlier-user.ts";

/** How an engine reads the tables of an early database. */
export interface EarlierTables
  extends Pick<ArchiveSource, "displayName" | "identity" | "moveState" | "close"> {
  /** The last id that was given to a user. */
  lastUserId(): Promise<number>;
  count(table: string): Promise<number>;
  read(table: TableShape, after: Row | undefined, limit: number): Promise<Row[]>;
}

/** The columns that early databases lack. */
const newColumns: Partial<Record<TableName, readonly string[]>> = {
  users: ["user_name_key"],
  outcomes: ["user_id"],
};
/** The tables that early databases have. All others are new. */
const earlierTables: ReadonlySet<TableName> = new Set(["users", "keys", "key_usage", "outcomes"]);

/** An early database, read as if it had the tables of today. */
export class EarlierSource implements ArchiveSource {
  readonly #earlier: EarlierTables;

  constructor(earlier: EarlierTables) {
    this.#earlier = earlier;
  }

  get displayName(): string {
    return this.#earlier.displayName;
  }

  get identity(): string {
    return this.#earlier.identity;
  }

  moveState(): Promise<string | undefined> {
    return this.#earlier.moveState();
  }

  async stats(): Promise<ArchiveStats> {
    const rows = new Map<TableName, number>();
    for (const { name } of tables)
      rows.set(name, earlierTables.has(name) ? await this.#earlier.count(name) : 0);
    const lastUserId = await this.#earlier.lastUserId();
    const lastValues = new Map(sequences.map((name) => [name, name === "user_ids" ? lastUserId : 0]));
    return { lastValues, rows: rows satisfies RowCounts, isSettled: false };
  }

  async read(table: Table, after: Row | undefined, limit: number): Promise<Row[]> {
    if (!earlierTables.has(table.name)) return [];
    const missing = newColumns[table.name] ?? [];
    const columns = Object.entries(table.columns).filter(([name]) => !missing.includes(name));
    const rows = await this.#earlier.read({ ...table, columns: Object.fromEntries(columns) }, after, limit);
    if (table.name === "users") return rows.map(convertUserRow);
    return table.name === "outcomes" ? rows.map(convertOutcomeRow) : rows;
  }

  close(): Promise<void> {
    return this.#earlier.close();
  }
}

function convertUserRow([id = 0, version = 0, json, ...rest]: Row): Row {
  return [id, version, convertUser(String(json)), ...rest, null];
}

function convertOutcomeRow([caller = "", key = "", fingerprint = "", outcome, expiresAt = 0]: Row): Row {
  const { text, userId } = convertOutcome(String(outcome));
  return [caller, key, fingerprint, text, expiresAt, userId];
}
