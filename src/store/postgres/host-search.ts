import {
  type ConnectionOptions,
  clockOf,
  isReadOnly,
  openForCheck,
  STATEMENT_MARGIN_MS,
  withTimeout,
} from "./connection-pools.ts";
import type { Pool } from "./driver.ts";
import { isConnectionLost, unavailable } from "./error-codes.ts";

const HOST_CHECK_MS = 2000;
/** A primary counts its timeline up when it is promoted. */
const READ_TIMELINE = "SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)";

/**
 * Finds the host to use. Asks all hosts at once, so a host that is dead does not delay the others. A search that begins while an
 * earlier one waits for a dead host asks the others again: one of them may accept writes by now.
 */
export class HostSearch {
  readonly #options: ConnectionOptions;
  /** A connection to each host that has responded, until the search is over. */
  readonly #pools = new Map<string, Pool>();
  /** The questions without an answer: whether a host accepts writes. */
  readonly #checks = new Map<string, Promise<boolean>>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /**
   * The first host that says that it accepts writes. If the node may use a standby: the first in the order of the URL that responds.
   * Fails with the error of the last host.
   */
  async find(): Promise<string> {
    const { urls, readWrite } = this.#options.database;
    const url = await (readWrite
      ? firstToSucceed(urls.map((each) => this.#requireWrites(each)))
      : firstInOrder(urls.map((each) => this.#acceptsWrites(each).then(() => each))));
    this.close();
    return url;
  }

  /**
   * A host that was promoted after this one. A former primary that nobody has stopped still accepts writes, and lacks those of its
   * successor.
   */
  async findSuccessor(url: string): Promise<string | undefined> {
    const others = this.#options.database.urls.filter((other) => other !== url);
    const answers = others.map((other) => this.#requireWrites(other));
    const found = await firstToSucceed(answers).catch(() => undefined);
    if (found === undefined) return undefined;
    const [timeline, ownTimeline] = await Promise.all([this.#readTimeline(found), this.#readTimeline(url)]);
    this.close();
    return timeline > ownTimeline ? found : undefined;
  }

  /** Closes the connections. Questions without an answer fail. */
  close(): void {
    for (const url of this.#pools.keys()) this.#closePool(url);
    this.#checks.clear();
  }

  /** Returns the URL of a host that accepts writes. */
  async #requireWrites(url: string): Promise<string> {
    if (!(await this.#acceptsWrites(url))) throw unavailable("No host accepts writes.");
    return url;
  }

  #acceptsWrites(url: string): Promise<boolean> {
    const running = this.#checks.get(url);
    if (running) return running;
    const check = this.#ask(url, async (sql) => !(await isReadOnly(sql)));
    this.#checks.set(url, check);
    const end = () => {
      if (this.#checks.get(url) === check) this.#checks.delete(url);
    };
    check.then(end, end);
    return check;
  }

  #readTimeline(url: string): Promise<number> {
    return this.#ask(url, async (sql) => {
      const [row] = await sql.unsafe(READ_TIMELINE).values();
      return Number.parseInt(String(row?.[0]), 16);
    });
  }

  /** Repeats the question on a new connection if an earlier one was lost, such as by a restart of the host. */
  async #ask<T>(url: string, question: (sql: Pool) => Promise<T>): Promise<T> {
    const waitMs = Math.min(this.#options.waitMs, HOST_CHECK_MS);
    const kept = this.#pools.get(url);
    const sql = kept ?? openForCheck({ ...this.#options, waitMs }, url);
    this.#pools.set(url, sql);
    try {
      const ms = waitMs + STATEMENT_MARGIN_MS;
      return await withTimeout(question(sql), { ms, clock: clockOf(this.#options) });
    } catch (error) {
      const isOver = this.#pools.get(url) !== sql;
      if (!isOver) this.#closePool(url);
      if (isOver || !kept || !isConnectionLost(error)) throw error;
    }
    return this.#ask(url, question);
  }

  #closePool(url: string): void {
    const sql = this.#pools.get(url);
    this.#pools.delete(url);
    sql?.close({ timeout: 0 }).catch(() => undefined);
  }
}

function firstToSucceed(answers: readonly Promise<string>[]): Promise<string> {
  return Promise.any(answers).catch((error: unknown) => {
    throw error instanceof AggregateError ? error.errors.at(-1) : error;
  });
}

async function firstInOrder(answers: readonly Promise<string>[]): Promise<string> {
  // A host that fails before its turn must not count as an unhandled rejection.
  for (const answer of answers) answer.catch(() => undefined);
  let failure: unknown;
  for (const answer of answers) {
    try {
      return await answer;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
