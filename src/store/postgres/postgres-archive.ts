import type { ReservedSQL } from "bun";
import {
  type ArchiveStats,
  type ArchiveTarget,
  type Cell,
  parseUserRow,
  type Row,
  SourceChangedError,
  type Table,
  type TableName,
  tables,
  toRows,
} from "../archive.ts";
import { moveTakenOver } from "../move-state.ts";
import { StoreError } from "../store-error.ts";
import * as statements from "./archive-statements.ts";
import type { Connections } from "./connections.ts";
import { errorCode, isDuplicate } from "./error-codes.ts";
import { searchKeysArray, toJsonColumns, userColumns, userValueRows } from "./json-columns.ts";
import { toStoreError } from "./to-store-error.ts";

type Values = readonly (readonly unknown[])[];

/**
 * `reading`: whatever is there when it is read. `moment`: all as it is now, whatever is written meanwhile. `filling`: the
 * disk is waited for at the end alone; a crash takes rows away with their mark.
 */
export type ArchiveUse = "reading" | "moment" | "filling";

/** One PostgreSQL database, read whole or filled. */
export class PostgresArchive implements ArchiveTarget {
  readonly #sql: ReservedSQL;
  #ofMoment: ArchiveStats | undefined;

  private constructor(
    readonly connections: Connections,
    sql: ReservedSQL,
    readonly identity: string,
    readonly use: ArchiveUse,
  ) {
    this.#sql = sql;
  }

  static async open(connections: Connections, use: ArchiveUse): Promise<PostgresArchive> {
    const sql = await connections.writes.reserve();
    if (use === "moment") {
      await sql.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      await sql.unsafe("SET LOCAL statement_timeout = 0");
      // What is written elsewhere between two reads may take its time.
      await sql.unsafe("SET LOCAL idle_in_transaction_session_timeout = 0");
    } else if (connections.options.sessions) {
      await sql.unsafe("SET statement_timeout = 0");
      if (use === "filling") await sql.unsafe("SET synchronous_commit = off");
    }
    const [row] = await sql.unsafe("SELECT identity FROM roster.about").values();
    return new PostgresArchive(connections, sql, String(row?.[0]), use);
  }

  get shown(): string {
    return this.connections.options.database.displayName;
  }

  async moveState(): Promise<string | undefined> {
    const [row] = await this.#ask("SELECT mark FROM roster.moving");
    return row ? String(row[0]) : undefined;
  }

  async stats(): Promise<ArchiveStats> {
    // Ids are given outside of any transaction: the last one is that of when it is asked for first.
    if (this.#ofMoment) return this.#ofMoment;
    const count = async (text: string) => Number((await this.#ask(text))[0]?.[0]);
    const rows = new Map<TableName, number>();
    for (const { name } of tables) {
      const text =
        name === "users"
          ? "SELECT sum(users) FROM roster.user_counts"
          : `SELECT count(*) FROM roster.${name}`;
      rows.set(name, await count(text));
    }
    const figures = { lastId: await count(statements.LAST_ID), rows };
    if (this.use === "moment") this.#ofMoment = figures;
    return figures;
  }

  async read(table: Table, after: Row | undefined, limit: number): Promise<Row[]> {
    const text = statements.readRows(table, after !== undefined);
    return toRows(table, await this.#ask(text, [...(after ?? []), limit]));
  }

  async begin(from: string | undefined, to: string): Promise<void> {
    await this.#waitForOthers();
    if (from !== undefined) return await this.updateMoveState(from, to);
    await this.#change(async (sql) => {
      await sql.unsafe("INSERT INTO roster.moving VALUES (1, $1, '[]')", [to]);
      await leaveOutIndexes(sql);
    });
  }

  async write(table: Table, rows: readonly Row[], from: string, to: string): Promise<void> {
    if (table.name !== "users") {
      const columns = toJsonColumns(rows, Object.keys(table.columns).length);
      return await this.#marked(statements.copyRows(table), [to, from, ...columns]);
    }
    const users = rows.map(parseUserRow);
    const columns = users.map((user) => [...userColumns(user), searchKeysArray(user), user.createdAt]);
    const values = users.flatMap(({ row, terms }) => userValueRows(row.id, terms.values));
    await this.#marked(statements.COPY_USERS, [
      to,
      from,
      ...toJsonColumns(columns, 12),
      ...toJsonColumns(values, 3),
    ]);
  }

  async updateMoveState(from: string, to: string): Promise<void> {
    await this.#marked(statements.MOVE_MARK, [to, from]);
  }

  async clear(from: string, to: string): Promise<void> {
    await this.#change(async (sql) => {
      await this.#marked(statements.MOVE_MARK, [to, from], sql);
      await sql.unsafe(statements.EMPTY);
      await sql.unsafe("UPDATE roster.user_counts SET users = 0");
      await leaveOutIndexes(sql);
    });
  }

  async createIndexes(progress: (done: number, total: number) => void): Promise<void> {
    const leftOut = await this.#do(() => leftOutOf(this.#sql));
    for (const [index, statement] of leftOut.entries()) {
      progress(index, leftOut.length);
      await this.#change(async (sql) => {
        await sql.unsafe(statement);
        await sql.unsafe("UPDATE roster.moving SET indexes = $1", [JSON.stringify(leftOut.slice(index + 1))]);
      });
    }
    await this.#ask(statements.ANALYZE);
    progress(leftOut.length, leftOut.length);
  }

  async finish(from: string, lastId: number): Promise<void> {
    await this.#change(async (sql) => {
      await sql.unsafe("SET LOCAL synchronous_commit TO DEFAULT");
      await this.#marked(statements.REMOVE_MARK, [from], sql);
      await this.#ask(statements.SKIP_IDS, [lastId], sql);
    });
  }

  async close(): Promise<void> {
    await this.#sql.close({ timeout: 0 }).catch(() => undefined);
    await this.connections.close();
  }

  /** What a move that was killed has under way ends by itself; a node that serves the database does not. */
  async #waitForOthers(): Promise<void> {
    const { sessions, waitMs } = this.connections.options;
    if (!sessions) return;
    const deadline = performance.now() + waitMs;
    for (;;) {
      const [row] = await this.#ask(statements.OTHER_NODES);
      if (Number(row?.[0]) === 0) return;
      if (performance.now() > deadline) {
        throw new StoreError(`Other Roster processes are connected to ${this.shown}: stop them first.`);
      }
      await Bun.sleep(100);
    }
  }

  /** Does all of a statement, or nothing if the mark is not where it was left. */
  async #marked(text: string, values: readonly Cell[], sql: ReservedSQL = this.#sql): Promise<void> {
    const [row] = await this.#ask(text, values, sql);
    if (Number(row?.[0]) === 0) throw moveTakenOver();
  }

  async #ask(text: string, values: readonly Cell[] = [], sql: ReservedSQL = this.#sql): Promise<Values> {
    // Numbers go as text: the driver would prepare a statement anew for each size that a number has.
    const texts = values.map((value) => (typeof value === "number" ? String(value) : value));
    return await this.#do(() => sql.unsafe(text, texts).values());
  }

  /** In one transaction, for as long as it takes. */
  async #change(work: (sql: ReservedSQL) => Promise<void>): Promise<void> {
    const sql = this.#sql;
    await this.#do(async () => {
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

  async #do<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SourceChangedError) throw error;
      if (isDuplicate(error)) throw new SourceChangedError("Two rows cannot both be.", { cause: error });
      if (error instanceof Error && errorCode(error) === "42501") {
        throw new StoreError(
          `PostgreSQL lets this user do too little at ${this.shown} (${error.message}): move as the owner of Roster's tables.`,
          { cause: error },
        );
      }
      throw toStoreError(error, this.connections.options.database);
    }
  }
}

async function leaveOutIndexes(sql: ReservedSQL): Promise<void> {
  const indexes: Values = await sql.unsafe(statements.INDEXES).values();
  for (const [name] of indexes) await sql.unsafe(`DROP INDEX ${name}`);
  const all = [...(await leftOutOf(sql)), ...indexes.map(([, definition]) => String(definition))];
  await sql.unsafe("UPDATE roster.moving SET indexes = $1", [JSON.stringify(all)]);
}

/** The statements that make the indexes which are not there now. */
async function leftOutOf(sql: ReservedSQL): Promise<string[]> {
  const [row] = await sql.unsafe("SELECT indexes FROM roster.moving").values();
  return JSON.parse(String(row?.[0] ?? "[]"));
}
