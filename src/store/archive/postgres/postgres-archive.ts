import { commandOrigin } from "../../../domain/caller.ts";
import type { Connections } from "../../postgres/connections.ts";
import type { Client, ReservedConnection } from "../../postgres/driver.ts";
import { errorCode, isDuplicate } from "../../postgres/error-codes.ts";
import { runStatements } from "../../postgres/snapshot.ts";
import { postgresTables } from "../../postgres/table-dialect.ts";
import { toStoreError } from "../../postgres/to-store-error.ts";
import { StoreError } from "../../store-error.ts";
import {
  type ArchiveStats,
  type ArchiveTarget,
  type Cell,
  emptiedTables,
  type Row,
  type SequenceName,
  SourceChangedError,
  sequences,
  type Table,
  type TableName,
  tables,
  toRows,
} from "../archive.ts";
import { moveTakenOver } from "../move-state.ts";
import * as statements from "./archive-statements.ts";
import { filledTables, LAST_POSITION, tableHooks } from "./archive-tables.ts";

type Values = readonly (readonly unknown[])[];

/**
 * `reading`: each read sees the latest rows. `snapshot`: every read sees the rows of one snapshot. `filling`: commits do
 * not wait for the disk until the end; a crash loses rows only together with their move state. `migrating`: like `filling`, when
 * other nodes have been stopped before.
 */
export type ArchiveUse = "reading" | "snapshot" | "filling" | "migrating";

/** A PostgreSQL database to read completely or to fill. */
export class PostgresArchive implements ArchiveTarget {
  readonly #connections: Connections;
  readonly #use: ArchiveUse;
  /** Statements for the transaction of `finish`. */
  readonly #finishing: readonly string[];
  readonly #sql: ReservedConnection;
  #snapshotStats: ArchiveStats | undefined;

  private constructor(
    connections: Connections,
    sql: ReservedConnection,
    readonly identity: string,
    use: ArchiveUse,
    finishing: readonly string[],
  ) {
    this.#connections = connections;
    this.#sql = sql;
    this.#use = use;
    this.#finishing = finishing;
  }

  static async open(
    connections: Connections,
    use: ArchiveUse,
    finishing: readonly string[] = [],
  ): Promise<PostgresArchive> {
    const sql = await connections.writes.reserve();
    if (use === "snapshot") {
      await sql.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      await sql.unsafe("SET LOCAL statement_timeout = 0");
      // Between two reads, the target writes a chunk, which may take long.
      await sql.unsafe("SET LOCAL idle_in_transaction_session_timeout = 0");
    } else if (connections.options.dedicatedSessions) {
      await sql.unsafe("SET statement_timeout = 0");
      if (use !== "reading") await sql.unsafe("SET synchronous_commit = off");
    }
    const [row] = await sql.unsafe("SELECT identity FROM roster.about").values();
    return new PostgresArchive(connections, sql, String(row?.[0]), use, finishing);
  }

  get displayName(): string {
    return this.#connections.options.database.displayName;
  }

  async moveState(): Promise<string | undefined> {
    const [row] = await this.#query("SELECT mark FROM roster.moving");
    return row ? String(row[0]) : undefined;
  }

  async stats(): Promise<ArchiveStats> {
    // Sequences are not part of a snapshot: their last values are those of the first call.
    if (this.#snapshotStats) return this.#snapshotStats;
    const number = async (text: string) => Number((await this.#query(text))[0]?.[0]);
    const rows = new Map<TableName, number>();
    for (const table of tables) rows.set(table.name, await number(tableHooks(table).count));
    const lastValues = new Map<SequenceName, number>();
    for (const name of sequences) lastValues.set(name, await number(statements.lastValue(name)));
    lastValues.set("event_positions", await number(LAST_POSITION));
    const [row] = await this.#query("SELECT settled_to FROM roster.about");
    const stats = { lastValues, rows, isSettled: row?.[0] === null };
    if (this.#use === "snapshot") this.#snapshotStats = stats;
    return stats;
  }

  async read(table: Table, after: Row | undefined, limit: number): Promise<Row[]> {
    const text = statements.readRows(table, after !== undefined, tableHooks(table).from);
    return toRows(table, await this.#query(text, [...(after ?? []), limit]));
  }

  async begin(from: string | undefined, to: string): Promise<void> {
    if (this.#use !== "migrating") await waitForOtherNodes(this.#sql, this.#connections);
    if (from !== undefined) return await this.updateMoveState(from, to);
    await this.#transact(async (sql) => {
      await sql.unsafe("INSERT INTO roster.moving VALUES (1, $1, '[]')", [to]);
      await dropIndexes(sql);
    });
  }

  async write(table: Table, rows: readonly Row[], from: string, to: string): Promise<void> {
    const { text, values } = tableHooks(table).copy(rows, { from, to });
    await this.#requireState(text, values);
  }

  async updateMoveState(from: string, to: string): Promise<void> {
    await this.#requireState(statements.UPDATE_STATE, [from, to]);
  }

  async clear(from: string, to: string): Promise<void> {
    await this.#transact(async (sql) => {
      await this.#requireState(statements.UPDATE_STATE, [from, to], sql);
      const emptied = emptiedTables.map((name) => `roster.${name}`);
      await sql.unsafe(`TRUNCATE ${[filledTables, ...emptied].join(", ")}`);
      for (const statement of tables.flatMap((table) => tableHooks(table).clearDerived)) {
        await sql.unsafe(statement);
      }
      await dropIndexes(sql);
    });
  }

  async createIndexes(progress: (done: number, total: number) => void): Promise<void> {
    const dropped = await this.#withStoreErrors(() => readDroppedIndexes(this.#sql));
    for (const [index, statement] of dropped.entries()) {
      progress(index, dropped.length);
      await this.#transact(async (sql) => {
        await sql.unsafe(statement);
        await sql.unsafe("UPDATE roster.moving SET indexes = $1", [JSON.stringify(dropped.slice(index + 1))]);
      });
    }
    // The planner's statistics are still those of empty tables.
    await this.#query(`ANALYZE ${filledTables}`);
    progress(dropped.length, dropped.length);
  }

  async finish(
    from: string,
    { lastValues, isSettled }: Omit<ArchiveStats, "rows">,
    restored = false,
  ): Promise<void> {
    await this.#transact(async (sql) => {
      await sql.unsafe("SET LOCAL synchronous_commit TO DEFAULT");
      await this.#requireState(statements.REMOVE_STATE, [from], sql);
      for (const [name, value] of lastValues) await this.#query(statements.raiseSequence(name), [value], sql);
      const settledTo = isSettled ? "NULL" : "0";
      await sql.unsafe(`UPDATE roster.about SET last_backup_at = NULL, settled_to = ${settledTo}`);
      for (const statement of this.#finishing) await sql.unsafe(statement);
      if (restored) await runStatements(sql, postgresTables.webhooks.disableAll("restored", commandOrigin));
    });
  }

  async close(): Promise<void> {
    await this.#sql.close({ timeout: 0 }).catch(() => undefined);
    await this.#connections.close();
  }

  /** Runs a statement that does nothing unless the move state is the expected one. */
  async #requireState(
    text: string,
    values: readonly Cell[],
    sql: ReservedConnection = this.#sql,
  ): Promise<void> {
    const [row] = await this.#query(text, values, sql);
    if (Number(row?.[0]) === 0) throw moveTakenOver();
  }

  async #query(
    text: string,
    values: readonly Cell[] = [],
    sql: ReservedConnection = this.#sql,
  ): Promise<Values> {
    // Sends numbers as text: the driver would prepare the statement again for each size of number.
    const texts = values.map((value) => (typeof value === "number" ? String(value) : value));
    return await this.#withStoreErrors(() => sql.unsafe(text, texts).values());
  }

  /** Runs work in a transaction without a statement timeout. */
  async #transact(work: (sql: ReservedConnection) => Promise<void>): Promise<void> {
    const sql = this.#sql;
    await this.#withStoreErrors(async () => {
      await sql`BEGIN`;
      try {
        await sql.unsafe("SET LOCAL statement_timeout = 0");
        await work(sql);
        await sql`COMMIT`;
      } catch (error) {
        await sql`ROLLBACK`.catch(() => undefined);
        throw error;
      }
    });
  }

  async #withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SourceChangedError) throw error;
      if (isDuplicate(error)) throw new SourceChangedError("Two rows have the same key.", { cause: error });
      if (error instanceof Error && errorCode(error) === "42501") {
        throw new StoreError(
          `This PostgreSQL user lacks privileges at ${this.displayName} (${error.message}): run this as the owner of Roster's tables.`,
          { cause: error },
        );
      }
      throw toStoreError(error, this.#connections.options.database);
    }
  }
}

/** The statements of a killed move end by themselves. A node that serves the database does not. */
export async function waitForOtherNodes(sql: Client, { options }: Connections): Promise<void> {
  const { dedicatedSessions, waitMs, database } = options;
  if (!dedicatedSessions) return;
  const deadline = performance.now() + waitMs;
  for (;;) {
    const [row]: Values = await sql.unsafe(statements.COUNT_OTHER_NODES).values();
    if (Number(row?.[0]) === 0) return;
    if (performance.now() > deadline) {
      throw new StoreError(
        `Other Roster processes are connected to ${database.displayName}: stop them first.`,
      );
    }
    await Bun.sleep(100);
  }
}

async function dropIndexes(sql: ReservedConnection): Promise<void> {
  const indexes: Values = await sql.unsafe(statements.LIST_INDEXES).values();
  for (const [name] of indexes) await sql.unsafe(`DROP INDEX ${name}`);
  const dropped = [
    ...(await readDroppedIndexes(sql)),
    ...indexes.map(([, definition]) => String(definition)),
  ];
  await sql.unsafe("UPDATE roster.moving SET indexes = $1", [JSON.stringify(dropped)]);
}

/** The CREATE INDEX statements of the dropped indexes. */
async function readDroppedIndexes(sql: ReservedConnection): Promise<string[]> {
  const [row] = await sql.unsafe("SELECT indexes FROM roster.moving").values();
  return JSON.parse(String(row?.[0] ?? "[]"));
}
