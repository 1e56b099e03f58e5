import type { SQL } from "bun";
import type { PostgresDatabase } from "../../config/database-url.ts";
import { monthOf } from "../../domain/keys/key-ring.ts";
import type { DatabaseContents, DatabaseFacts, InspectOptions } from "../database-facts.ts";
import { isOutdated } from "../migration.ts";
import { runStepsAsync } from "../sql/sql-steps.ts";
import { unfinishedMove } from "../unfinished-move.ts";
import { findMovingValues, type MovingFields } from "../users/moving-values.ts";
import { Connections } from "./connections.ts";
import { findTableProblems, migrationState } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";
import { queryRows, runStatements } from "./snapshot.ts";
import { postgresTableDialect, postgresTables } from "./table-dialect.ts";
import { toStoreError } from "./to-store-error.ts";

export interface ServerFacts extends DatabaseFacts {
  readonly engine: "postgres";
  /** Like 18.1 and 180001. */
  readonly version: string;
  readonly versionNumber: number;
  readonly encoding: string;
  readonly user: string;
  /** Whether the connection is encrypted. */
  readonly encrypted: boolean;
  /** Whether the server rejects writes. */
  readonly readOnly: boolean;
  /** Number of connections that are still free. */
  readonly freeConnections: number;
  /** How far the server's clock is ahead of this machine's, and the possible error of that measurement. */
  readonly clockAheadMs: number;
  readonly clockErrorMs: number;
  /** Privileges that this user lacks, like `INSERT ON roster.users`. */
  readonly missingPrivileges: readonly string[];
}

/** Number of clock comparisons. The fastest response gives the smallest error. */
const CLOCK_SAMPLES = 3;

/** Inspects a server without changing it. Fails with a `StoreError`. */
export async function inspectServer(
  database: PostgresDatabase,
  { waitMs, dedicatedSessions }: InspectOptions,
): Promise<ServerFacts> {
  try {
    const connections = await Connections.open({ database, waitMs, dedicatedSessions, pool: 3 });
    try {
      return await connections.withSeparateConnection(async (sql) => {
        const facts = await connections.withDeadline(readFacts(sql, database));
        return { ...facts, moving: await readMoving(connections, sql, facts) };
      });
    } finally {
      await connections.close();
    }
  } catch (error) {
    throw toStoreError(error, database);
  }
}

/** Reads all users: each step has a deadline of its own. */
async function readMoving(
  connections: Connections,
  sql: SQL,
  { schema, tableProblems }: Pick<ServerFacts, "schema" | "tableProblems">,
): Promise<MovingFields | undefined> {
  if (!schema || tableProblems.length > 0) return undefined;
  return await runStepsAsync(findMovingValues(postgresTableDialect, schema, migrations), (statement) =>
    connections.withDeadline(queryRows(sql, statement)),
  );
}

async function readFacts(sql: SQL, database: PostgresDatabase): Promise<Omit<ServerFacts, "moving">> {
  const [row = []]: unknown[][] = await sql
    .unsafe(
      `SELECT current_setting('server_version'), current_setting('server_version_num'), current_setting('server_encoding'),
         current_user, (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), current_setting('transaction_read_only'),
         current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')`,
    )
    .values();
  const [version, versionNumber, encoding, user, encrypted, readOnly, freeConnections] = row;
  const missingPrivileges = await findMissingPrivileges(sql);
  // Without the privileges, reading the schema would fail.
  const schema = missingPrivileges.length === 0 ? await migrationState(sql, database.displayName) : undefined;
  const isUpToDate = schema !== undefined && !isOutdated(schema);
  const tableProblems = isUpToDate ? await findTableProblems(sql) : [];
  return {
    engine: "postgres",
    schema,
    tableProblems,
    version: String(version).split(" ")[0] ?? "",
    versionNumber: Number(versionNumber),
    encoding: String(encoding),
    user: String(user),
    encrypted: encrypted === true,
    readOnly: readOnly === "on",
    freeConnections: Number(freeConnections),
    ...(await compareClocks(sql)),
    missingPrivileges,
    contents: isUpToDate && tableProblems.length === 0 ? await readContents(sql, database) : undefined,
  };
}

/** Checks the privileges listed in docs/operations.md, or the privilege to create the schema. */
async function findMissingPrivileges(sql: SQL): Promise<string[]> {
  const [database]: unknown[][] = await sql
    .unsafe(
      `SELECT to_regnamespace('roster') IS NOT NULL, has_database_privilege(current_database(), 'CREATE'),
         current_database()`,
    )
    .values();
  const [exists, canCreate, name] = database ?? [];
  if (exists !== true) return canCreate === true ? [] : [`CREATE ON DATABASE ${name}`];
  const rows: unknown[][] = await sql
    .unsafe(
      `SELECT 'USAGE ON SCHEMA roster' WHERE NOT has_schema_privilege('roster', 'USAGE')
       UNION ALL
       SELECT privilege || ' ON roster.' || relname
       FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) privilege
       WHERE relnamespace = to_regnamespace('roster')
         AND CASE relkind WHEN 'r' THEN NOT has_table_privilege(oid, privilege) END
       UNION ALL
       SELECT 'USAGE ON roster.' || relname FROM pg_class
       WHERE relnamespace = to_regnamespace('roster')
         AND CASE relkind WHEN 'S' THEN NOT has_sequence_privilege(oid, 'USAGE') END`,
    )
    .values();
  return rows.map(([privilege]) => String(privilege));
}

async function compareClocks(sql: SQL): Promise<Pick<ServerFacts, "clockAheadMs" | "clockErrorMs">> {
  let best = { clockAheadMs: 0, clockErrorMs: Number.POSITIVE_INFINITY };
  for (let i = 0; i < CLOCK_SAMPLES; i++) {
    const sentAt = Date.now();
    const [row] = await sql.unsafe("SELECT extract(epoch FROM clock_timestamp()) * 1000").values();
    const clockErrorMs = (Date.now() - sentAt) / 2;
    if (clockErrorMs < best.clockErrorMs) {
      best = { clockAheadMs: Number(row?.[0]) - sentAt - clockErrorMs, clockErrorMs };
    }
  }
  return best;
}

async function readContents(sql: SQL, { displayName }: PostgresDatabase): Promise<DatabaseContents> {
  const value = async (text: string) => (await sql.unsafe(text).values())[0]?.[0] ?? undefined;
  const moveState = await value("SELECT mark FROM roster.moving");
  const lastChange = await value("SELECT max(updated_at) FROM roster.users");
  return {
    unfinishedMove:
      moveState === undefined ? undefined : unfinishedMove(displayName, String(moveState)).message,
    lastChange: lastChange === undefined ? undefined : Number(lastChange),
    keys: await runStatements(sql, postgresTables.keys.list(0, Number.MAX_SAFE_INTEGER, monthOf(Date.now()))),
  };
}
