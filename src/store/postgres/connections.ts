import { type ReservedSQL, SQL } from "bun";
import type { PostgresDatabase } from "../../config/database-url.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import {
  isConnectionLost,
  isReadOnlyServer,
  isStaleStatement,
  toProblemError,
  unavailable,
} from "./error-codes.ts";

export interface ConnectionOptions {
  readonly database: PostgresDatabase;
  /** The most connections of this node. */
  readonly pool: number;
  /** Whether a connection is a session of our own: behind a pooler that shares sessions it is none. */
  readonly sessions: boolean;
  readonly waitMs: number;
}

/** Connections for one kind of work each: none has to wait behind another kind. */
interface Pools {
  readonly url: string;
  readonly reads: SQL;
  readonly lists: SQL;
  readonly writes: SQL;
}

/**
 * What every session is told. A plan is kept with its statement and may have been made when the tables were empty: it
 * must not be one that reads them whole.
 */
const planSettings = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
} as const;
/**
 * Lists come in the order of an index wherever there is one: how many there are to sort is only guessed. The plan does
 * not depend on what is looked for, and takes as long to make as a short list.
 */
export const listPlanSettings = {
  ...planSettings,
  enable_sort: "off",
  plan_cache_mode: "force_generic_plan",
} as const;

/** How long one who finds the server gone waits before each further try, in milliseconds. */
const RETRY_PAUSES_MS = [0, 25, 75, 150, 250];
/** PostgreSQL ends a statement this much before its caller is told, so that only a dead server is waited for in vain. */
const STATEMENT_MARGIN_MS = 250;
const HOST_CHECK_SECONDS = 2;
/** Between the round trips of a transaction is a moment's work: a node that takes longer is frozen, and holds locks. */
const IDLE_IN_TRANSACTION_MS = 2000;

/**
 * The way to PostgreSQL. The driver reconnects by itself, but it waits for ever on a server that has stopped answering,
 * and it knows one host only: both are dealt with here, by leaving the pools for new ones.
 */
export class Connections {
  #pools: Pools;
  #search: Promise<void> | undefined;
  #closed = false;

  private constructor(
    readonly options: ConnectionOptions,
    url: string,
  ) {
    this.#pools = openPools(options, url);
  }

  /** Finds the host to ask, which may be starting just now. Fails as the last one tried did. */
  static async open(options: ConnectionOptions): Promise<Connections> {
    const deadline = performance.now() + options.waitMs;
    for (;;) {
      try {
        return new Connections(options, await findHost(options));
      } catch (error) {
        const passing = isConnectionLost(error) || error instanceof ProblemError;
        if (!passing || performance.now() > deadline) throw error;
        await Bun.sleep(100);
      }
    }
  }

  get writes(): SQL {
    return this.#pools.writes;
  }

  get readConnections(): number {
    return poolSizes(this.options.pool).reads;
  }

  /**
   * Does what may be done again if it fails for want of a connection, with others under way on the same one. Whoever
   * asked has waited since then, and is answered in time, however often it is tried.
   */
  read<T>(work: (sql: SQL) => Promise<T>, since = performance.now()): Promise<T> {
    return this.#retry(since, () => this.within(work(this.#pools.reads)));
  }

  /** The same with a connection that nobody else uses meanwhile. Fails with `unavailable` when none is free for long. */
  reserved<T>(work: (sql: ReservedSQL) => Promise<T>, since = performance.now()): Promise<T> {
    return this.#retry(since, async (leftMs) => {
      const connection = await this.#reserve(this.#pools.lists, leftMs);
      try {
        // A list of many statements may be late without anything being wrong with the server: only its own is given up.
        return await withTimeout(work(connection), this.options.waitMs, () => {
          connection.close({ timeout: 0 }).catch(() => undefined);
          if (this.#hasOthers) this.#searchHosts();
        });
      } finally {
        connection.release();
      }
    });
  }

  /** A connection of its own for work that may take long, such as a change of the schema. */
  async withOwnConnection<T>(work: (sql: SQL) => Promise<T>): Promise<T> {
    const sql = connect(this.options, this.#pools.url, 1);
    try {
      return await work(sql);
    } finally {
      await sql.close({ timeout: 1 });
    }
  }

  /** Gives the server a moment, and looks for another if there are several. False when it has been tried enough. */
  async recover(error: unknown, tries: number): Promise<boolean> {
    const pause = RETRY_PAUSES_MS[tries];
    if (pause === undefined || this.#closed) return false;
    if (this.#hasOthers && isConnectionLost(error)) await this.#searchHosts();
    // Where one name stands for several servers, it may lead to another one by now.
    else if (isReadOnlyServer(error)) this.#replace(this.#pools.url);
    await Bun.sleep(pause * (0.5 + Math.random()));
    return true;
  }

  /** What is promised, or `unavailable` when it takes too long: the server is dead then, or the way to it. */
  within<T>(promise: Promise<T>): Promise<T> {
    const pools = this.#pools;
    return withTimeout(promise, this.options.waitMs, () => {
      if (this.#pools !== pools || this.#closed) return;
      this.#replace(pools.url);
      if (this.#hasOthers) this.#searchHosts();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await closePools(this.#pools, 1);
  }

  #retry<T>(since: number, work: (leftMs: number) => Promise<T>): Promise<T> {
    const left = () => Math.max(0, Math.floor(since + this.options.waitMs - performance.now()));
    const attempts = async () => {
      for (let tries = 0; ; tries++) {
        try {
          return await work(left());
        } catch (error) {
          const again =
            (isConnectionLost(error) || isStaleStatement(error)) && (await this.recover(error, tries));
          if (!again || left() === 0) throw toProblemError(error);
        }
      }
    };
    return withTimeout(attempts(), left());
  }

  async #reserve(pool: SQL, withinMs: number): Promise<ReservedSQL> {
    const signal = AbortSignal.timeout(withinMs);
    try {
      return await pool.reserve({ signal });
    } catch (error) {
      throw signal.aborted ? unavailable("Too many lists are waiting: try again shortly.", error) : error;
    }
  }

  #replace(url: string): void {
    const old = this.#pools;
    this.#pools = openPools(this.options, url);
    closePools(old, 0).catch(() => undefined);
  }

  get #hasOthers(): boolean {
    return this.options.database.urls.length > 1;
  }

  /** All who find the server gone look for another together. */
  #searchHosts(): Promise<void> {
    const search = async () => {
      try {
        const url = await findHost(this.options);
        if (url !== this.#pools.url && !this.#closed) this.#replace(url);
      } catch {
        // None takes writes just now: whoever asked has the error of the one that went away.
      } finally {
        this.#search = undefined;
      }
    };
    this.#search ??= search();
    return this.#search;
  }
}

/** Lists take longest, reads go many to a statement, and writes follow each other. */
function poolSizes(pool: number): { reads: number; lists: number; writes: number } {
  const reads = Math.max(1, Math.floor((pool - 1) / 3));
  return { reads, lists: Math.max(1, pool - 1 - reads), writes: 1 };
}

function openPools(options: ConnectionOptions, url: string): Pools {
  const { reads, lists, writes } = poolSizes(options.pool);
  return {
    url,
    reads: connect(options, url, reads, listPlanSettings),
    lists: connect(options, url, lists, listPlanSettings),
    writes: connect(options, url, writes),
  };
}

function connect(
  { database, sessions, waitMs }: ConnectionOptions,
  url: string,
  max: number,
  settings: Record<string, string> = planSettings,
): SQL {
  return new SQL(url, {
    database: database.name,
    max,
    prepare: sessions,
    connectionTimeout: Math.max(1, Math.round(waitMs / 1000)),
    ...(database.tls && { tls: database.tls }),
    ...(sessions && {
      connection: {
        ...settings,
        statement_timeout: Math.max(1, waitMs - STATEMENT_MARGIN_MS),
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      },
    }),
  });
}

/** The first host that will do, in the order of the URL. */
async function findHost(options: ConnectionOptions): Promise<string> {
  const { urls, readWrite } = options.database;
  let failure: unknown;
  for (const url of urls) {
    const looking = { ...options, waitMs: Math.min(options.waitMs, HOST_CHECK_SECONDS * 1000) };
    const sql = connect(looking, url, 1);
    try {
      const asked = sql.unsafe("SHOW transaction_read_only").values();
      const [row] = await withTimeout(asked, looking.waitMs + STATEMENT_MARGIN_MS);
      if (!readWrite || row?.[0] === "off") return url;
      failure = unavailable("No host accepts writes.");
    } catch (error) {
      failure = error;
    } finally {
      await sql.close({ timeout: 0 });
    }
  }
  throw failure;
}

/** What is promised, or `unavailable` after that time. */
function withTimeout<T>(promise: Promise<T>, ms: number, late?: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(unavailable("The database did not answer in time."));
      late?.();
    }, ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

async function closePools({ reads, lists, writes }: Pools, timeout: number): Promise<void> {
  await Promise.all([reads, lists, writes].map((sql) => sql.close({ timeout })));
}
