import type { SQL } from "bun";
import type { Clock, Timer } from "../../domain/clock.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { RunningTimeout } from "../../domain/running-timeout.ts";
import { FairSlots } from "../../domain/scheduling/fair-slots.ts";
import {
  type ConnectionOptions,
  clockOf,
  closePools,
  connectSeparately,
  isReadOnly,
  openPools,
  type Pools,
  poolSizes,
  withTimeout,
} from "./connection-pools.ts";
import type { Pool, ReservedConnection } from "./driver.ts";
import {
  errorCode,
  isConnectionLost,
  isReadOnlyServer,
  isStaleStatement,
  ReadOnlyServerError,
  toProblemError,
  unavailable,
} from "./error-codes.ts";
import { HostSearch } from "./host-search.ts";

/** When a read began, and whose read it is: a key or an address. Reads without an owner are those of one owner. */
export interface ReadOrigin {
  readonly since?: number;
  readonly owner?: string | undefined;
}

interface ReservedWork extends ReadOrigin {
  /** The work also writes. */
  readonly writes?: boolean;
}

/** How often the server is asked whether it still takes writes. */
const CHECK_MS = 500;
/** Pauses before the retries after a lost connection. */
const RETRY_PAUSES_MS = [0, 25, 75, 150, 250];

/**
 * The connection pools. The driver reconnects by itself, but waits forever for a server that does not respond, knows only one host,
 * and does not notice that a server has become a standby, which lacks the newest writes. This class handles all three by replacing
 * the pools.
 */
export class Connections {
  readonly clock: Clock;
  #pools: Pools;
  readonly #hosts: HostSearch;
  /** Whether the server of the pools took writes when it was last asked, and no connection has closed since. */
  #takesWrites = false;
  #closedConnections = 0;
  #check: Promise<void> | undefined;
  readonly #checkTimer: Timer;
  #runningReads = 0;
  #reserved = 0;
  #closed = false;
  /** As many as there are connections for lists: the driver lets those wait in the order of their calls. */
  readonly #listSlots: FairSlots;

  private constructor(
    readonly options: ConnectionOptions,
    url: string,
    hosts: HostSearch,
  ) {
    this.clock = clockOf(options);
    this.#hosts = hosts;
    this.#listSlots = new FairSlots(poolSizes(options.pool).lists);
    this.#pools = this.#open(url);
    this.#checkTimer = this.clock.every(CHECK_MS, () => this.#checkServer());
  }

  /** Connects to a usable host. Waits for hosts that are starting. Fails with the error of the last host. */
  static async open(options: ConnectionOptions): Promise<Connections> {
    const hosts = new HostSearch(options);
    try {
      return await waitForServer(options, async () => new Connections(options, await hosts.find(), hosts));
    } catch (error) {
      hosts.close();
      throw error;
    }
  }

  get writes(): Pool {
    return this.#pools.writes;
  }

  get readConnections(): number {
    return poolSizes(this.options.pool).reads;
  }

  /** Number of connections that read. Several reads may share one. */
  get readsInUse(): number {
    return Math.min(this.#runningReads, this.readConnections) + this.#reserved;
  }

  /**
   * Runs work that can be repeated, on a connection shared with other reads. Retries after a lost connection until
   * `waitMs` after `since`.
   */
  async read<T>(work: (sql: Pool) => Promise<T>, since = this.clock.running()): Promise<T> {
    this.#runningReads++;
    try {
      return await this.#retry(since, () => this.withDeadline(work(this.#pools.reads)));
    } finally {
      this.#runningReads--;
    }
  }

  /**
   * Like `read`, with a reserved connection. Owners take turns if all connections are in use. Fails with `unavailable` if none
   * becomes free in time.
   */
  withReserved<T>(
    work: (sql: ReservedConnection, leftMs: () => number) => Promise<T>,
    { since = this.clock.running(), owner = "", writes = false }: ReservedWork = {},
  ): Promise<T> {
    return this.#retry(since, async (leftMs) => {
      const connection = await this.#reserve(owner, leftMs());
      const pools = this.#pools;
      this.#reserved++;
      try {
        const onTimeout = () => {
          // The driver would cancel the statement. A COMMIT that waits for a standby would then become visible without it.
          if (writes) return this.#leave(pools);
          // A list of many statements may be late although the server is fine: close only this connection.
          connection.close({ timeout: 0 }).catch(() => undefined);
          if (this.#hasOtherHosts) this.#searchHosts();
        };
        return await withTimeout(work(connection, leftMs), { ms: leftMs(), clock: this.clock, onTimeout });
      } finally {
        this.#reserved--;
        connection.release();
        this.#listSlots.leave();
      }
    });
  }

  /** Runs long work, such as a migration, on a separate connection. */
  async withSeparateConnection<T>(work: (sql: SQL) => Promise<T>): Promise<T> {
    const sql = connectSeparately(this.options, this.#pools.url);
    try {
      return await work(sql);
    } finally {
      await sql.close({ timeout: 1 });
    }
  }

  /** Pauses before a retry, and looks for another host if there are several. Returns false after the last retry. */
  async recover(error: unknown, tries: number): Promise<boolean> {
    const pause = RETRY_PAUSES_MS[tries];
    if (pause === undefined || this.#closed) return false;
    if (this.#hasOtherHosts && isConnectionLost(error)) await this.#searchHosts();
    // A host name that stands for several servers may lead to the primary by now.
    else if (isReadOnlyServer(error)) this.#replace(this.#pools.url);
    await this.clock.sleep(pause * (0.5 + Math.random()));
    return true;
  }

  /** Rejects with `unavailable` after `waitMs`, and then replaces the pools: the server or the network is dead. */
  withDeadline<T>(promise: Promise<T>): Promise<T> {
    const pools = this.#pools;
    const onTimeout = () => this.#leave(pools);
    return withTimeout(promise, { ms: this.options.waitMs, clock: this.clock, onTimeout });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#checkTimer.clear();
    this.#hosts.close();
    await closePools(this.#pools, 1);
  }

  #retry<T>(since: number, work: (leftMs: () => number) => Promise<T>): Promise<T> {
    const leftMs = () => Math.max(0, Math.floor(since + this.options.waitMs - this.clock.running()));
    const attempts = async () => {
      for (let tries = 0; ; tries++) {
        try {
          if (!this.#takesWrites) await this.#requirePrimary();
          return await work(leftMs);
        } catch (error) {
          const canRetry =
            (isConnectionLost(error) || isStaleStatement(error)) && (await this.recover(error, tries));
          if (!canRetry || leftMs() === 0) throw toProblemError(error);
        }
      }
    };
    return withTimeout(attempts(), { ms: leftMs(), clock: this.clock });
  }

  /** The caller releases the connection and leaves its place in `#listSlots`. */
  async #reserve(owner: string, timeoutMs: number): Promise<ReservedConnection> {
    const controller = new AbortController();
    const { signal } = controller;
    const timeout = new RunningTimeout(() => controller.abort(), timeoutMs, this.clock);
    let hasSlot = false;
    try {
      await this.#listSlots.enter(owner, signal);
      hasSlot = true;
      return await this.#pools.lists.reserve({ signal });
    } catch (error) {
      if (hasSlot) this.#listSlots.leave();
      if (!signal.aborted) throw error;
      const failure = unavailable("Too many lists are waiting. Try again shortly.", error);
      failure.noConnection = true;
      throw failure;
    } finally {
      timeout.clear();
    }
  }

  /** Replaces pools whose server does not respond, unless they have been replaced already. */
  #leave(pools: Pools): void {
    if (this.#pools !== pools || this.#closed) return;
    this.#replace(pools.url);
    if (this.#hasOtherHosts) this.#searchHosts();
  }

  #replace(url: string): void {
    const old = this.#pools;
    this.#pools = this.#open(url);
    closePools(old, 0).catch(() => undefined);
  }

  #open(url: string): Pools {
    this.#takesWrites = false;
    // The driver reconnects, and may find another server, or one that has become a standby.
    const pools = openPools(this.options, url, () => {
      if (this.#pools !== pools) return;
      this.#takesWrites = false;
      this.#closedConnections++;
    });
    return pools;
  }

  /** Looks for another host while the server does not say that it takes writes, and for its successor while it does. */
  #checkServer(): void {
    const isSilent = this.#check !== undefined || !this.#takesWrites;
    if (this.#hasOtherHosts && this.options.database.readWrite)
      void (isSilent ? this.#searchHosts() : this.#followSuccessor());
    this.#requirePrimary().catch(() => undefined);
  }

  /**
   * Asks the server whether it takes writes, unless the node may use a standby. If it does not, looks for another one, and fails.
   * Concurrent callers share one question.
   */
  #requirePrimary(): Promise<void> {
    const check = async () => {
      const pools = this.#pools;
      const closed = this.#closedConnections;
      const isSame = () => this.#pools === pools && this.#closedConnections === closed;
      try {
        const canLackWrites =
          this.options.database.readWrite && (await this.withDeadline(isReadOnly(pools.reads)));
        if (canLackWrites) throw new ReadOnlyServerError("The server takes no writes.");
        if (isSame()) this.#takesWrites = true;
      } catch (error) {
        if (isSame()) this.#takesWrites = false;
        if (isReadOnlyServer(error) && this.#hasOtherHosts) this.#searchHosts();
        throw error;
      } finally {
        this.#check = undefined;
      }
    };
    this.#check ??= check();
    return this.#check;
  }

  get #hasOtherHosts(): boolean {
    return this.options.database.urls.length > 1;
  }

  /** Looks for another host, and uses it. Does not fail: the caller already has an error to report. */
  #searchHosts(): Promise<void> {
    return this.#useFound(() => this.#hosts.find());
  }

  /** Leaves a server that accepts writes although another one was promoted: it lacks the newest writes. */
  #followSuccessor(): Promise<void> {
    return this.#useFound((url) => this.#hosts.findSuccessor(url));
  }

  async #useFound(search: (url: string) => Promise<string | undefined>): Promise<void> {
    const { url } = this.#pools;
    const found = await search(url).catch(() => undefined);
    // Another search may have found a host since. This answer is older.
    const isCurrent = this.#pools.url === url && !this.#closed;
    if (found !== undefined && found !== url && isCurrent) this.#replace(found);
  }
}

/** Repeats what a server that is starting or stopping rejects, for as long as requests wait for the database. */
export async function waitForServer<T>(
  options: Pick<ConnectionOptions, "waitMs" | "clock">,
  work: () => Promise<T>,
): Promise<T> {
  const clock = clockOf(options);
  const deadline = clock.running() + options.waitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      // A pooler that rejects the session settings, with 08P01, does so each time.
      const isTemporary =
        (isConnectionLost(error) && errorCode(error) !== "08P01" && !isReadOnlyServer(error)) ||
        error instanceof ProblemError;
      if (!isTemporary || clock.running() > deadline) throw error;
      await clock.sleep(100);
    }
  }
}
