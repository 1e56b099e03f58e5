import { DatabaseUnavailable } from "../domain/database-unavailable.ts";
import { describeCause } from "./describe-cause.ts";
import type { Log } from "./log.ts";

type Access = "read" | "write";
/** Writes the line of a failed request. */
type WriteLine = (level: "error" | "debug") => void;

/** After the last failed write, and without any new write, the database counts as back this many waits later. */
const WRITE_WAITS = 2;
const MARGIN_MS = 1000;

/**
 * Logs one line when the database is lost and one when it is back, however many requests fail in between. The key ring
 * reads from the database a few times a second: these reads detect the end of an outage. After a failed write, a commit
 * must succeed as well: a locked or full database can still be read.
 */
export class OutageLog {
  #lostAt: number | undefined;
  #backAt = Number.NEGATIVE_INFINITY;
  #failedRequests = 0;
  #lastFailure = Number.NEGATIVE_INFINITY;
  #lastFailedWrite = Number.NEGATIVE_INFINITY;
  /** When the last successful read started. */
  #lastRead = Number.NEGATIVE_INFINITY;
  #lastCommit = Number.NEGATIVE_INFINITY;
  /** Failed reads that may belong to an outage. */
  #undecided: { readonly failedAt: number; readonly write: WriteLine }[] = [];

  readonly #log: Log;
  readonly #waitMs: number;
  readonly #now: () => number;

  /** `waitMs`: how long a request waits for the database. */
  constructor(log: Log, waitMs: number, now: () => number) {
    this.#log = log;
    this.#waitMs = waitMs;
    this.#now = now;
  }

  /**
   * Counts a request that failed because the database was unavailable, and writes its line at level `debug`. If only this
   * request failed, its line has level `error`. This is known at once, or with the next read of the key ring.
   */
  requestFailed(error: DatabaseUnavailable, access: Access, start: number, write: WriteLine): void {
    // Either only this request failed, or the database is lost now: it has responded since the request started.
    const isUncertain = access === "read" && (this.#lastRead > start || error.noConnection);
    if (this.#isKnown(error, start)) write("debug");
    else if (isUncertain && this.#lostAt === undefined)
      this.#undecided.push({ failedAt: this.#now(), write });
    else if (isUncertain) this.#count(write);
    else {
      this.failed(error, access, start);
      this.#count(write);
    }
  }

  failed(error: unknown, access: Access, start: number): void {
    if (this.#isKnown(error, start)) return;
    this.#lastFailure = this.#now();
    if (access === "write") this.#lastFailedWrite = this.#lastFailure;
    if (this.#lostAt === undefined) {
      this.#lostAt = this.#lastFailure;
      this.#failedRequests = 0;
      this.#log.write("error", "database lost", { cause: describeCause(error) });
    }
    if (access === "read") for (const { write } of this.#undecided.splice(0)) this.#count(write);
  }

  readSucceeded(start: number): void {
    this.#lastRead = start;
    if (this.#undecided.length > 0) this.#writeFailedBefore(start);
    if (this.#lostAt === undefined || start < this.#lastFailure) return;
    const now = this.#now();
    const writesWork =
      this.#lastCommit > this.#lastFailedWrite ||
      now - this.#lastFailedWrite > WRITE_WAITS * this.#waitMs + MARGIN_MS;
    if (!writesWork) return;
    this.#log.write("info", "database back", {
      seconds: Math.round((now - this.#lostAt) / 100) / 10,
      failedRequests: this.#failedRequests,
    });
    this.#lostAt = undefined;
    this.#backAt = now;
  }

  committed(): void {
    this.#lastCommit = this.#now();
  }

  /** Writes the lines that still wait for a read of the key ring. */
  flush(): void {
    this.#writeFailedBefore(Number.POSITIVE_INFINITY);
  }

  /** Whether the store has reported the cause, or the access started during an outage that has ended. */
  #isKnown(error: unknown, start: number): boolean {
    return start < this.#backAt || (error instanceof DatabaseUnavailable && error.reported);
  }

  #count(write: WriteLine): void {
    this.#failedRequests++;
    write("debug");
  }

  /** Only these requests failed: the database has responded to a read that started after they failed. */
  #writeFailedBefore(time: number): void {
    const { before = [], after = [] } = Object.groupBy(this.#undecided, ({ failedAt }) =>
      failedAt < time ? "before" : "after",
    );
    this.#undecided = after;
    for (const { write } of before) write("error");
  }
}
