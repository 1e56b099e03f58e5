import type { SQL } from "bun";
import { LOCK_SPACE, LOCKS } from "../../events/postgres-events.ts";
import { Connections } from "../../postgres/connections.ts";
import { createTables, migrationState } from "../../postgres/migrate.ts";
import { StoreError } from "../../store-error.ts";
import { unfinishedMove } from "../../unfinished-move.ts";
import { type Row, type TableShape, tables, toRows } from "../archive.ts";
import { EarlierSource } from "../earlier/earlier-source.ts";
import { type MoveProgress, move } from "../move.ts";
import { type MoveState, parseMoveState, serializeMoveState } from "../move-state.ts";
import { lastValue, readRows } from "./archive-statements.ts";
import { PostgresArchive, waitForOtherNodes } from "./postgres-archive.ts";

/** The schema of the early tables until all their rows are copied. */
const EARLIER = "roster_earlier";
/** How long to wait for another process that copies the tables. */
const MAX_WAIT_MS = 60_000;
const PAUSE_MS = 500;
/** Running transactions of nodes that have just been stopped. */
const LOCK_TIMEOUT = "5s";

/** Whether the tables are early ones, or copying them was interrupted. */
export async function mustCarryOver(sql: SQL, displayName: string): Promise<boolean> {
  const { version, isEarlier } = await migrationState(sql, displayName);
  if (version === 0 || isEarlier) return isEarlier;
  const text = await readMoveState(sql);
  return text !== undefined && parseMoveState(text).command === "migrate";
}

/**
 * Copies early tables into new ones, and removes them at the end. After an interruption, another call continues; no node serves the
 * tables before. Fails with a `StoreError`.
 */
export async function carryOver(
  connections: Connections,
  report: (progress: MoveProgress) => void,
): Promise<void> {
  const { database, dedicatedSessions } = connections.options;
  const { displayName } = database;
  if (!dedicatedSessions) {
    throw new StoreError(
      `${displayName} has the tables of an early version: run \`roster migrate\` with a URL that leads to PostgreSQL without a pooler.`,
    );
  }
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    // Not connected while it waits: the other process requires that no node is.
    const isDone = await connections.withSeparateConnection(async (sql) => {
      if (!(await mustCarryOver(sql, displayName))) return true;
      // The lock ends with the connection, also after kill -9.
      const [row] = await sql
        .unsafe(`SELECT pg_try_advisory_lock(${LOCK_SPACE}, ${LOCKS.migration})`)
        .values();
      if (row?.[0] !== true) return false;
      await copyTables(sql, connections, report);
      return true;
    });
    if (isDone) return;
    if (performance.now() > deadline) {
      throw new StoreError(`Another process is migrating ${displayName}: start again when it has finished.`);
    }
    await Bun.sleep(PAUSE_MS);
  }
}

async function copyTables(
  sql: SQL,
  connections: Connections,
  report: (progress: MoveProgress) => void,
): Promise<void> {
  const { displayName } = connections.options.database;
  const { isEarlier } = await migrationState(sql, displayName);
  if (isEarlier) {
    await waitForOtherNodes(sql, connections);
    await setTablesAside(sql, displayName);
  }
  const source = await openEarlierTables(sql, displayName);
  const target = await PostgresArchive.open(
    await Connections.open({ ...connections.options, pool: 3 }),
    "migrating",
    [
      `INSERT INTO roster.sessions (digest, key_digest, expires_at)
     SELECT digest, key_digest, expires_at FROM ${EARLIER}.sessions`,
      `UPDATE roster.about SET identity = (SELECT identity FROM ${EARLIER}.about)`,
      `DROP SCHEMA ${EARLIER} CASCADE`,
    ],
  );
  try {
    await move(source, target, report, { command: "migrate" });
  } finally {
    await target.close();
  }
}

/** Renames the schema of the early tables, and creates new tables that are marked as incomplete. */
async function setTablesAside(sql: SQL, displayName: string): Promise<void> {
  const text = await readMoveState(sql);
  if (text !== undefined) throw unfinishedMove(displayName, text);
  const [found] = await sql.unsafe(`SELECT to_regnamespace('${EARLIER}') IS NOT NULL`).values();
  if (found?.[0] === true) {
    throw new StoreError(
      `${displayName} already has a schema ${EARLIER}: rename that schema, then try again.`,
    );
  }
  await sql.begin(async (transaction) => {
    await transaction
      .unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'; SET LOCAL statement_timeout = 0`)
      .simple();
    const [about] = await transaction.unsafe("SELECT identity FROM roster.about FOR UPDATE").values();
    // Waits for the writes of nodes that have just been stopped.
    await transaction.unsafe(
      "LOCK TABLE roster.users, roster.keys, roster.key_usage, roster.sessions, roster.outcomes IN ACCESS EXCLUSIVE MODE",
    );
    await transaction.unsafe(`ALTER SCHEMA roster RENAME TO ${EARLIER}`);
    await createTables(transaction);
    const state: MoveState = {
      sourceIdentity: String(about?.[0]),
      sourceName: "the tables of an early version",
      command: "migrate",
      run: crypto.randomUUID(),
      // The move begins with empty tables without indexes.
      stale: true,
      table: tables[0].name,
      after: undefined,
    };
    await transaction.unsafe("INSERT INTO roster.moving VALUES (1, $1, '[]')", [serializeMoveState(state)]);
  });
}

async function openEarlierTables(sql: SQL, displayName: string): Promise<EarlierSource> {
  const query = (text: string, values: Row = []): Promise<unknown[][]> =>
    sql
      .unsafe(
        text,
        values.map((value) => (typeof value === "number" ? String(value) : value)),
      )
      .values();
  const number = async (text: string) => Number((await query(text))[0]?.[0]);
  const [about] = await query(`SELECT identity FROM ${EARLIER}.about`);
  return new EarlierSource({
    displayName: `the early tables of ${displayName}`,
    identity: String(about?.[0]),
    moveState: async () => undefined,
    lastUserId: () => number(lastValue("user_ids", EARLIER)),
    count: (table) =>
      number(
        table === "users"
          ? `SELECT sum(users) FROM ${EARLIER}.user_counts`
          : `SELECT count(*) FROM ${EARLIER}.${table}`,
      ),
    read: async (table: TableShape, after: Row | undefined, limit: number) =>
      toRows(
        table,
        await query(readRows(table, after !== undefined, `${EARLIER}.${table.name}`), [
          ...(after ?? []),
          limit,
        ]),
      ),
    close: async () => undefined,
  });
}

async function readMoveState(sql: SQL): Promise<string | undefined> {
  const [row] = await sql.unsafe("SELECT mark FROM roster.moving").values();
  return row ? String(row[0]) : undefined;
}
