import type { ReservedSQL, SQL } from "bun";
import { ProblemError } from "../../domain/problem-error.ts";
import type { RecordRules } from "../../domain/record-rules.ts";
import { applyWrite, type ParsedWrite, parseImport, type Write, type WriteOutcome } from "../apply-write.ts";
import { Batch } from "./batch.ts";
import type { Connections } from "./connections.ts";
import {
  isConflict,
  isConnectionLost,
  isDuplicate,
  isStaleStatement,
  toProblemError,
  unavailable,
} from "./error-codes.ts";
import { type BatchLookup, InMemoryBatch, OutOfIds } from "./in-memory-batch.ts";
import { CLEAR_OUTCOMES } from "./write-statements.ts";

/** In how many parts the count of users is kept. */
const COUNT_PARTS = 32;
const OUTCOMES_CLEARED = 10_000;
const CLEARED_EVERY_MS = 1000;

/** The connection was lost while PostgreSQL was committing: it may have done so or not. */
class Uncertain extends Error {
  override readonly name = "Uncertain";
}

/** Applies batches of writes, each in one durable transaction. The only code that changes users. */
export class Writer {
  #connection: { readonly pool: SQL; readonly sql: ReservedSQL } | undefined;
  #clearedAt = 0;

  constructor(
    readonly connections: Connections,
    readonly recordRules: RecordRules,
  ) {}

  /**
   * One outcome a write. What another node got in the way of is tried again. Should a batch fail as a whole for the
   * sake of one of its writes, it is halved until that one is alone, so that none can spoil another's.
   */
  apply(writes: readonly Write[]): Promise<WriteOutcome[]> {
    return this.#apply(writes.map((write) => parseImport(write, this.recordRules)));
  }

  async close(): Promise<void> {
    if (this.#connection) await this.#forget(this.#connection.sql);
  }

  /** With `treatEmailsAsTaken`, every email that is asked for counts as taken: the unique index has said so. */
  async #apply(writes: readonly ParsedWrite[], treatEmailsAsTaken = false): Promise<WriteOutcome[]> {
    const deadline = performance.now() + this.connections.options.waitMs;
    for (let tries = 0; ; tries++) {
      try {
        return await this.connections.within(this.#transact(writes, treatEmailsAsTaken));
      } catch (error) {
        // What did not answer in time may still be done, too.
        if (error instanceof Uncertain || error instanceof ProblemError) {
          throw unavailable("The database went away meanwhile: the write may have been done or not.", error);
        }
        const late = () => performance.now() > deadline;
        if (isConnectionLost(error) || isStaleStatement(error)) {
          if ((await this.connections.recover(error, tries)) && !late()) continue;
          throw toProblemError(error);
        }
        if (late()) throw toProblemError(error);
        if (isConflict(error)) {
          await Bun.sleep(Math.random() * 10 * 2 ** Math.min(tries, 6));
          continue;
        }
        // Whoever was first has been: the second look finds what it left.
        if (isDuplicate(error) && tries < 3) continue;
        const problem = toProblemError(error);
        if (problem !== error) throw problem;
        return this.#isolate(writes, error, treatEmailsAsTaken);
      }
    }
  }

  async #isolate(
    writes: readonly ParsedWrite[],
    error: unknown,
    treatEmailsAsTaken: boolean,
  ): Promise<WriteOutcome[]> {
    if (writes.length > 1) {
      const middle = Math.ceil(writes.length / 2);
      const first = await this.#apply(writes.slice(0, middle));
      return [...first, ...(await this.#apply(writes.slice(middle)))];
    }
    if (isDuplicate(error) && !treatEmailsAsTaken) return this.#apply(writes, true);
    return [
      { kind: "failure", failure: error instanceof Error ? (error.stack ?? error.message) : String(error) },
    ];
  }

  async #transact(writes: readonly ParsedWrite[], treatEmailsAsTaken: boolean): Promise<WriteOutcome[]> {
    const connection = await this.#reserve();
    const batch = new Batch(connection);
    try {
      const now = Date.now();
      const looked = await batch.begin(writes, now);
      const known = { ...looked, treatEmailsAsTaken };
      const { outcomes, changes } = await this.#work(batch, writes, known, now);
      if (!changes) {
        await batch.rollback();
        return outcomes;
      }
      await batch.commit(changes, now, Math.floor(Math.random() * COUNT_PARTS));
      if (changes.kept.length > 0) this.#clearOutcomes(now);
      return outcomes;
    } catch (error) {
      if (!isConnectionLost(error)) await batch.rollback().catch(() => this.#forget(connection));
      else {
        await this.#forget(connection);
        if (batch.inDoubt) throw new Uncertain("The connection was lost while committing.", { cause: error });
      }
      throw error;
    }
  }

  async #work(batch: Batch, writes: readonly ParsedWrite[], looked: BatchLookup, now: number) {
    const attempt = (ids: readonly number[]) => {
      const workspace = new InMemoryBatch({ ...looked, ids }, now);
      const outcomes = writes.map((write) => applyWrite(workspace, write, this.recordRules));
      return { outcomes, changes: workspace.changes() };
    };
    try {
      return attempt(looked.ids);
    } catch (error) {
      if (!(error instanceof OutOfIds)) throw error;
      return attempt([...looked.ids, ...(await batch.takeIds(writes.length))]);
    }
  }

  /** One connection of its own, for as long as it lasts. */
  async #reserve(): Promise<ReservedSQL> {
    const pool = this.connections.writes;
    if (this.#connection?.pool !== pool) {
      await this.close();
      this.#connection = { pool, sql: await pool.reserve() };
    }
    return this.#connection.sql;
  }

  /** A batch that was given up may end later, when another connection is in use already. */
  async #forget(connection: ReservedSQL): Promise<void> {
    if (this.#connection?.sql === connection) this.#connection = undefined;
    await connection.close({ timeout: 0 }).catch(() => undefined);
  }

  /** Not worth anybody's waiting; what is left now is cleared later. */
  #clearOutcomes(now: number): void {
    if (now - this.#clearedAt < CLEARED_EVERY_MS) return;
    this.#clearedAt = now;
    const values = [String(now), String(OUTCOMES_CLEARED)];
    this.connections.list((sql) => sql.unsafe(CLEAR_OUTCOMES, values)).catch(() => undefined);
  }
}
