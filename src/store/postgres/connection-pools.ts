import { SQL } from "bun";
import type { PostgresDatabase } from "../../config/database-url.ts";
import { type Clock, systemClock } from "../../domain/clock.ts";
import { RunningTimeout } from "../../domain/running-timeout.ts";
import type { DatabaseOptions } from "../store-options.ts";
import type { Pool, PoolOptions } from "./driver.ts";
import { unavailable } from "./error-codes.ts";

export interface ConnectionOptions extends DatabaseOptions {
  readonly database: PostgresDatabase;
  /** Most connections of this node. */
  readonly pool: number;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /** Opens a pool. Default: with Bun's driver. Only the simulator replaces it. */
  readonly openPool?: (url: string, options: PoolOptions) => Pool;
}

/** The clock of the service that these options are for. */
export function clockOf({ clock = systemClock }: Pick<ConnectionOptions, "clock">): Clock {
  return clock;
}

/** One pool per kind of work: no kind waits for another. */
export interface Pools {
  readonly url: string;
  readonly reads: Pool;
  readonly lists: Pool;
  readonly writes: Pool;
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
 * They fetch each row once: to keep it for a second time takes a fifth of the time of a page.
 * Generic plans: the plan does not depend on the values, and planning takes as long as a short list.
 */
export const listPlanSettings = {
  ...planSettings,
  enable_sort: "off",
  enable_memoize: "off",
  plan_cache_mode: "force_generic_plan",
} as const;

/** PostgreSQL cancels a statement this long before `withDeadline` does, which then only happens with a dead server. */
export const STATEMENT_MARGIN_MS = 250;
/** Round trips of a transaction follow each other within milliseconds. A node that pauses longer is frozen and holds locks. */
const IDLE_IN_TRANSACTION_MS = 2000;

/**
 * Most connections go to lists, which take longest. Reads share statements. Writes run one batch at a time, and one batch of bulk writes
 * beside it if there are enough connections.
 */
export function poolSizes(pool: number): { reads: number; lists: number; writes: 1 | 2 } {
  const reads = Math.max(1, Math.floor((pool - 1) / 3));
  const writes = pool > SMALLEST_POOL ? 2 : 1;
  return { reads, lists: Math.max(1, pool - writes - reads), writes };
}

/** One connection for each kind of work. */
const SMALLEST_POOL = 3;

/** `onClose` is called when one of the connections has closed. The driver then opens another one by itself. */
export function openPools(options: ConnectionOptions, url: string, onClose: () => void): Pools {
  const { reads, lists, writes } = poolSizes(options.pool);
  return {
    url,
    reads: connect(options, url, { max: reads, settings: listPlanSettings, onClose }),
    lists: connect(options, url, { max: lists, settings: listPlanSettings, onClose }),
    writes: connect(options, url, { max: writes, onClose }),
  };
}

/** Opens a connection for work that needs more of Bun's driver than the store does. */
export function connectSeparately(options: ConnectionOptions, url: string): SQL {
  return new SQL(url, poolOptions(options, { max: 1 }));
}

/** Opens one connection, to ask a host whether it can be used. */
export function openForCheck(options: ConnectionOptions, url: string): Pool {
  return connect(options, url, { max: 1 });
}

/** What differs between pools. */
interface PoolKind {
  readonly max: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly onClose?: () => void;
}

function connect(options: ConnectionOptions, url: string, kind: PoolKind): Pool {
  const driverOptions = poolOptions(options, kind);
  return options.openPool ? options.openPool(url, driverOptions) : new SQL(url, driverOptions);
}

function poolOptions(
  { database, dedicatedSessions, waitMs }: ConnectionOptions,
  { max, settings = planSettings, onClose = () => undefined }: PoolKind,
) {
  return {
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
  };
}

export const SHOW_READ_ONLY = "SHOW transaction_read_only";

/** Whether the server rejects writes now. */
export async function isReadOnly(sql: Pool): Promise<boolean> {
  const [row] = await sql.unsafe(SHOW_READ_ONLY).values();
  return row?.[0] === "on";
}

interface TimeoutOptions {
  readonly ms: number;
  readonly clock: Clock;
  readonly onTimeout?: () => void;
}

/** Rejects with `unavailable` after this time. */
export function withTimeout<T>(promise: Promise<T>, { ms, clock, onTimeout }: TimeoutOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => {
      reject(unavailable("The database did not respond in time."));
      onTimeout?.();
    };
    const timeout = new RunningTimeout(expire, ms, clock);
    promise.then(resolve, reject).finally(() => timeout.clear());
  });
}

export async function closePools({ reads, lists, writes }: Pools, timeout: number): Promise<void> {
  await Promise.all([reads, lists, writes].map((sql) => sql.close({ timeout })));
}
