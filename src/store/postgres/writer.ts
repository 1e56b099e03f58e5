import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../domain/clock.ts";
import { errorText } from "../../domain/error-text.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { runInTurns } from "../../domain/scheduling/steps.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import { ANY_SCHEMA } from "../events/postgres-events.ts";
import { SchemaRules } from "../schema/schema-state.ts";
import { applyWrites, type ParsedWrite, type Write, type WriteOutcome } from "../writes/apply-write.ts";
import { parseImport } from "../writes/import-lines.ts";
import { type BatchLookup, InMemoryBatch } from "../writes/in-memory-batch.ts";
import { noGroups } from "../writes/in-memory-groups.ts";
import { OutOfIdsError } from "../writes/out-of-ids-error.ts";
import { StaleLookupError } from "../writes/stale-lookup-error.ts";
import { type BatchWrite, RefusedWriteError, type WriteBatch, withLeftOut } from "../writes/write-batch.ts";
import { collectLookups } from "../writes/write-lookups.ts";
import { Batch, type LockedSchema } from "./batch.ts";
import type { Connections } from "./connections.ts";
import type { Pool, ReservedConnection } from "./driver.ts";
import {
  commitInDoubt,
  isConflict,
  isConnectionLost,
  isDuplicate,
  isSchemaChange,
  isStaleStatement,
  isTooLate,
  toProblemError,
} from "./error-codes.ts";
import { CLEAR_OUTCOMES } from "./write-statements.ts";

/** Number of rows that share the count of users: nodes that write at the same time rarely wait for each other. */
const COUNT_PARTS = 32;
const MAX_OUTCOMES_PER_CLEANUP = 10_000;
const CLEANUP_INTERVAL_MS = 1000;

/** The connection was lost during COMMIT: PostgreSQL may or may not have committed. */
class CommitInDoubtError extends Error {
  override readonly name = "CommitInDoubtError";
}

/** Another node changed which fields are unique: the batch has not read the values that its writes need. The next try does. */
class UniqueFieldsChangedError extends Error {
  override readonly name = "UniqueFieldsChangedError";
}

/** Applies batches of writes, each in one durable transaction. The only code of a service that changes users. */
export class Writer {
  readonly #connections: Connections;
  readonly #clock: Clock;
  #connection: { readonly pool: Pool; readonly sql: ReservedConnection } | undefined;
  #lastCleanup = 0;
  readonly #schema: SchemaRules;
  /** The change of the schema that `#schema` is at; undefined if the next batch must read the schema. */
  #schemaChange: number | undefined;

  constructor(connections: Connections, recordRules: RecordRules) {
    this.#connections = connections;
    this.#clock = connections.clock;
    this.#schema = new SchemaRules(recordRules);
  }

  /**
   * Returns one outcome per write; null for writes that were refused in the meantime. Retries conflicts with other nodes. If one
   * write makes the whole batch fail, the batch is halved until that write is alone: no write fails because of another one.
   */
  async apply(batch: WriteBatch<Write>): Promise<(WriteOutcome | null)[]> {
    const writes: BatchWrite<ParsedWrite>[] = [];
    for (const [index, write] of batch.writes.entries()) {
      const parsed =
        write.kind === "import" ? await runInTurns(parseImport(write, this.#schema.rules)) : write;
      writes.push({ index, write: parsed });
    }
    return this.#apply(writes, batch);
  }

  /** Returns the connection to its pool. To close it here would cancel a COMMIT, as in `Connections.withReserved`. */
  async close(): Promise<void> {
    const connection = this.#connection?.sql;
    this.#connection = undefined;
    await connection?.release().catch(() => undefined);
  }

  /** With `treatAsTaken`, every requested email, user name and unique value counts as already in use. */
  async #apply(
    writes: readonly BatchWrite<ParsedWrite>[],
    batch: WriteBatch<Write>,
    treatAsTaken = false,
  ): Promise<(WriteOutcome | null)[]> {
    const deadline = this.#clock.running() + this.#connections.options.waitMs;
    for (let tries = 0; ; tries++) {
      const open = writes.filter(({ index }) => batch.isOpen(index));
      if (open.length === 0) return writes.map(() => null);
      try {
        const transaction = this.#transact(open, batch, treatAsTaken);
        return withLeftOut(writes, open, await this.#connections.withDeadline(transaction));
      } catch (error) {
        if (error instanceof CommitInDoubtError) throw commitInDoubt(error);
        // The timeout of `withDeadline`. The transaction does not begin a COMMIT any more, but may have sent one.
        if (error instanceof ProblemError) {
          throw open.some(({ index }) => batch.refusals.isCommitting(index)) ? commitInDoubt(error) : error;
        }
        if (error instanceof RefusedWriteError || isTooLate(error)) continue;
        const isLate = () => this.#clock.running() > deadline;
        if (isConnectionLost(error) || isStaleStatement(error)) {
          if ((await this.#connections.recover(error, tries)) && !isLate()) continue;
          throw toProblemError(error);
        }
        if (isLate()) throw toProblemError(error);
        if (isSchemaChange(error)) this.#schemaChange = undefined;
        if (isSchemaChange(error) || error instanceof UniqueFieldsChangedError) continue;
        if (isConflict(error) || error instanceof StaleLookupError) {
          await this.#clock.sleep(Math.random() * 10 * 2 ** Math.min(tries, 6));
          continue;
        }
        // Another node inserted the same row first. The next try reads it.
        if (isDuplicate(error) && tries < 3) continue;
        const problem = toProblemError(error);
        if (problem !== error) throw problem;
        return this.#isolate(writes, batch, error, treatAsTaken);
      }
    }
  }

  async #isolate(
    writes: readonly BatchWrite<ParsedWrite>[],
    batch: WriteBatch<Write>,
    error: unknown,
    treatAsTaken: boolean,
  ): Promise<(WriteOutcome | null)[]> {
    if (writes.length > 1) {
      const middle = Math.ceil(writes.length / 2);
      const first = await this.#apply(writes.slice(0, middle), batch);
      return [...first, ...(await this.#apply(writes.slice(middle), batch))];
    }
    if (isDuplicate(error) && !treatAsTaken) return this.#apply(writes, batch, true);
    return [{ kind: "failure", failure: errorText(error) }];
  }

  async #transact(
    open: readonly BatchWrite<ParsedWrite>[],
    whole: WriteBatch<Write>,
    treatAsTaken: boolean,
  ): Promise<WriteOutcome[]> {
    const indexes = open.map(({ index }) => index);
    const writes = open.map(({ write }) => write);
    const connection = await this.#reserve();
    const { rules } = this.#schema;
    const knownChange = this.#schemaChange;
    const lookups = await runInTurns(collectLookups(writes, rules));
    const batch = new Batch(connection, () => whole.leftMs(indexes));
    try {
      const now = this.#clock.now();
      const { schema, ...found } = await batch.begin(lookups, now, rules, knownChange === undefined);
      const current = schema ? await this.#updateSchema(batch, schema) : rules;
      if (!isDeepStrictEqual(rules.uniqueFields, current.uniqueFields)) throw new UniqueFieldsChangedError();
      const schemaChange = knownChange ?? ANY_SCHEMA;
      const lookup = { ...found, rules: current, treatAsTaken };
      const { outcomes, changes } = await this.#applyInMemory(batch, writes, lookup, now);
      if (!changes) {
        await batch.end(schemaChange);
        return outcomes;
      }
      const facts = { now, part: Math.floor(Math.random() * COUNT_PARTS), schemaChange };
      await batch.commit(changes, facts, () => whole.refusals.beginCommit(indexes));
      if (changes.outcomes.length > 0) this.#deleteExpiredOutcomes(now);
      return outcomes;
    } catch (error) {
      if (!isConnectionLost(error)) await batch.rollback().catch(() => this.#discard(connection));
      else {
        await this.#discard(connection);
        if (batch.inDoubt)
          throw new CommitInDoubtError("The connection was lost while committing.", { cause: error });
      }
      whole.refusals.endFailedCommit(indexes);
      throw error;
    }
  }

  /** Returns the rules of a schema that the batch has locked. */
  async #updateSchema(batch: Batch, schema: LockedSchema): Promise<RecordRules> {
    if (!this.#schema.isAt(schema)) this.#schema.update(schema, await batch.readSchema(schema.version));
    // While values are being collected, the state also depends on the time.
    this.#schemaChange = schema.collecting === "" ? schema.change : undefined;
    const { rules } = this.#schema;
    await runInTurns(this.#schema.compile(), { first: true });
    return rules;
  }

  async #applyInMemory(batch: Batch, writes: readonly ParsedWrite[], lookup: BatchLookup, now: number) {
    const attempt = async (found: BatchLookup) => {
      const inMemory = new InMemoryBatch(found, now);
      const steps = applyWrites(inMemory, writes, lookup.rules);
      // Other nodes may wait for the records that this batch has locked.
      const outcomes = await runInTurns(steps, { first: true });
      return { outcomes, changes: inMemory.changes() };
    };
    try {
      return await attempt(lookup);
    } catch (error) {
      if (!(error instanceof OutOfIdsError)) throw error;
      const { ids, maxCreates, groups = noGroups } = lookup;
      const taken = await batch.takeIds(maxCreates - ids.length, groups.maxCreates - groups.ids.length);
      return attempt({
        ...lookup,
        ids: [...ids, ...taken.users],
        groups: { ...groups, ids: [...groups.ids, ...taken.groups] },
      });
    }
  }

  /** Reserves one connection and reuses it until it is lost. */
  async #reserve(): Promise<ReservedConnection> {
    const pool = this.#connections.writes;
    if (this.#connection?.pool !== pool) {
      await this.close();
      // Another server can have another schema.
      this.#schemaChange = undefined;
      this.#connection = { pool, sql: await pool.reserve() };
    }
    return this.#connection.sql;
  }

  /** A timed-out batch may end late, when a newer connection is already in use: keep the newer one. */
  async #discard(connection: ReservedConnection): Promise<void> {
    if (this.#connection?.sql === connection) this.#connection = undefined;
    await connection.close({ timeout: 0 }).catch(() => undefined);
  }

  /** Runs in the background. Errors are ignored: a later call deletes what is left. */
  #deleteExpiredOutcomes(now: number): void {
    if (now - this.#lastCleanup < CLEANUP_INTERVAL_MS) return;
    this.#lastCleanup = now;
    const values = [String(now), String(MAX_OUTCOMES_PER_CLEANUP)];
    this.#connections
      .withReserved((sql) => sql.unsafe(CLEAR_OUTCOMES, values), { writes: true })
      .catch(() => undefined);
  }
}
