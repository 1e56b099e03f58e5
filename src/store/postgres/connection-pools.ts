import { SQL } from "bun";
import type { PostgresDatabase } from "../../config/database-url.ts";
import { RunningTimeout } from "../../domain/running-timeout.ts";
import type { DatabaseOptions } from "../store-options.ts";
import { unavailable } from "./error-codes.ts";

export interface ConnectionOptions extends DatabaseOptions {
  readonly database: PostgresDatabase;
  /** Most connections of this node. */
  readonly pool: number;
}

/** One pool per kind of work: no kind waits for another. */
export interface Pools {
  readonly url: string;
  readonly reads: SQL;
  readonly lists: SQL;
  readonly writes: SQL;
}

/**
 * Planner settings of every session. A cached plan may date from empty tables, and must not scan whole tables later.
 */
const planSettings = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
} as const;
/**
 * Lists read in the order of an index if there is one, because the planner only guesses how many rows it would sort.
 * Generic plans: the plan does not depend on the values, and planning takes as long as a short list.
 */
export const listPlanSettings = {
  ...planSettings,
  enable_sort: "off",
  plan_cache_mode: "force_generic_plan",
} as const;

/** PostgreSQL cancels a statement this long before `withDeadline` does, which then only happens with a dead server. */
const STATEMENT_MARGIN_MS = 250;
const HOST_CHECK_SECONDS = 2;
/** Round trips of a transaction follow each other within milliseconds. A node that pauses longer is frozen and holds locks. */
const IDLE_IN_TRANSACTION_MS = 2000;

/** Most connections go to lists, which take longest. Reads share statements, and writes run one batch at a time. */
export function poolSizes(pool: number): { reads: number; lists: number; writes: number } {
  const reads = Math.max(1, Math.floor((pool - 1) / 3));
  return { reads, lists: Math.max(1, pool - 1 - reads), writes: 1 };
}

/** `onClose` is called when one of the connections has closed. The driver then opens another one by itself. */
export function openPools(options: ConnectionOptions, url: string, onClose: () => void): Pools {
  const { reads, lists, writes } = poolSizes(options.pool);
  return {
    url,
    reads: connect(options, url, reads, listPlanSettings, onClose),
    lists: connect(options, url, lists, listPlanSettings, onClose),
    writes: connect(options, url, writes, planSettings, onClose),
  };
}

export function connect(
  { database, dedicatedSessions, waitMs }: ConnectionOptions,
  url: string,
  max: number,
  settings: Record<string, string> = planSettings,
  onClose: () => void = () => undefined,
): SQL {
  return new SQL(url, {
    onclose: onClose,
    database: database.name,
    max,
    prepare: dedicatedSessions,
    connectionTimeout: Math.max(1, Math.round(waitMs / 1000)),
    ...(database.tls && { tls: database.tls }),
    ...(dedicatedSessions && {
      connection: {
        ...settings,
        statement_timeout: Math.max(1, waitMs - STATEMENT_MARGIN_MS),
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      },
    }),
  });
}

/** Whether the server rejects writes now. */
export async function isReadOnly(sql: SQL): Promise<boolean> {
  const [row] = await sql.unsafe("SHOW transaction_read_only").values();
  return row?.[0] === "on";
}

/** Finds the first usable host, in the order of the URL. */
export async function findHost(options: ConnectionOptions): Promise<string> {
  const { urls, readWrite } = options.database;
  let failure: unknown;
  for (const url of urls) {
    const checkOptions = { ...options, waitMs: Math.min(options.waitMs, HOST_CHECK_SECONDS * 1000) };
    const sql = connect(checkOptions, url, 1);
    try {
      const readOnly = isReadOnly(sql);
      const takesNoWrites = await withTimeout(readOnly, checkOptions.waitMs + STATEMENT_MARGIN_MS);
      if (!readWrite || !takesNoWrites) return url;
      failure = unavailable("No host accepts writes.");
    } catch (error) {
      failure = error;
    } finally {
      await sql.close({ timeout: 0 });
    }
  }
  throw failure;
}

/** Rejects with `unavailable` after this time. */
export function withTimeout<T>(promise: Promise<T>, ms: number, onTimeout?: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timeout = new RunningTimeout(() => {
      reject(unavailable("The database did not respond in time."));
      onTimeout?.();
    }, ms);
    promise.then(resolve, reject).finally(() => timeout.clear());
  });
}

export async function closePools({ reads, lists, writes }: Pools, timeout: number): Promise<void> {
  await Promise.all([reads, lists, writes].map((sql) => sql.close({ timeout })));
}
