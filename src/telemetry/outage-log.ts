import { DatabaseUnavailable } from "../domain/database-unavailable.ts";
import { describeCause } from "./describe-cause.ts";
import type { Log } from "./log.ts";

type Access = "read" | "write";

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
  #failedRequests = 0;
  #lastFailure = Number.NEGATIVE_INFINITY;
  #lastFailedWrite = Number.NEGATIVE_INFINITY;
  /** When the last successful read started. */
  #lastRead = Number.NEGATIVE_INFINITY;
  #lastCommit = Number.NEGATIVE_INFINITY;

  /** `waitMs`: how long a request waits for the database. */
  constructor(
    readonly log: Log,
    readonly waitMs: number,
    readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Counts a request that failed because the database was unavailable. Returns false if only this request failed: the
   * database has responded to another read since the request started.
   */
  requestFailed(error: unknown, access: Access, start: number): boolean {
    if (isReported(error)) return true;
    if (access === "read" && this.#lastRead > start) return false;
    this.failed(error, access);
    this.#failedRequests++;
    return true;
  }

  failed(error: unknown, access: Access): void {
    if (isReported(error)) return;
    this.#lastFailure = this.now();
    if (access === "write") this.#lastFailedWrite = this.#lastFailure;
    if (this.#lostAt !== undefined) return;
    this.#lostAt = this.#lastFailure;
    this.#failedRequests = 0;
    this.log.write("error", "database lost", { cause: describeCause(error) });
  }

  readSucceeded(start: number): void {
    this.#lastRead = start;
    if (this.#lostAt === undefined || start < this.#lastFailure) return;
    const now = this.now();
    const writesWork =
      this.#lastCommit > this.#lastFailedWrite ||
      now - this.#lastFailedWrite > WRITE_WAITS * this.waitMs + MARGIN_MS;
    if (!writesWork) return;
    this.log.write("info", "database back", {
      seconds: Math.round((now - this.#lostAt) / 100) / 10,
      failedRequests: this.#failedRequests,
    });
    this.#lostAt = undefined;
  }

  committed(): void {
    this.#lastCommit = this.now();
  }
}

function isReported(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && error.reported;
}
