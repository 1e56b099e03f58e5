import type { CustomField, FieldValue } from "../../contract/users/field-schemas.ts";
import { systemClock } from "../../domain/clock.ts";
import {
  type FoundPage,
  formatFoundPageInTurns,
  type ListQuery,
  type Page,
} from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { Store, StoreGauges, StoreObserver, StoreStats } from "../../domain/store.ts";
import type { StoredUser } from "../../domain/users/user.ts";
import { countInRounds, countRound, isUnfiltered } from "../lists/count.ts";
import { DEFAULT_MAX_CANDIDATES, type Dialect } from "../lists/dialect.ts";
import { isFastList } from "../lists/fast-list.ts";
import { findFields, findFieldValues } from "../lists/field-values.ts";
import { fillPage } from "../lists/fill-page.ts";
import { findPage, findRemembered } from "../lists/plans/page-finder.ts";
import { PlanMemory } from "../lists/plans/plan-memory.ts";
import type { UniqueValue } from "../schema/unique-values.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import { SqlStore } from "../sql-store.ts";
import type { StoreOptions } from "../store-options.ts";
import { userList } from "../users/user-list.ts";
import { UserWrites } from "../users/user-writes.ts";
import type { ConnectionOptions } from "./connection-pools.ts";
import type { Connections, ReadOrigin } from "./connections.ts";
import { postgresDialect } from "./dialect.ts";
import { readOnlyServer } from "./error-codes.ts";
import { ReadBatcher } from "./read-batcher.ts";
import { runInSnapshot, runStatements } from "./snapshot.ts";
import { openTableStores } from "./table-stores.ts";
import { FIND_USERS, findValues, MEASURE_USERS } from "./write-statements.ts";
import { Writer } from "./writer.ts";

export interface PostgresOptions extends StoreOptions, ConnectionOptions {
  /** Most users that one list examines. Only tests set this. */
  readonly maxCandidates?: number;
}

/** Whether the server rejects writes. Fails if users cannot be read. */
const PING = "SELECT current_setting('transaction_read_only'), (SELECT id FROM roster.users WHERE id = 1)";

/** Users in PostgreSQL. Any number of nodes can share the database: no node holds state that another needs. */
export class PostgresStore extends SqlStore implements Store {
  readonly #connections: Connections;
  readonly #dialect: Dialect;
  readonly #memory = new PlanMemory();
  readonly #reads: ReadBatcher;
  readonly #writer: Writer;

  /** The database must be migrated. */
  constructor(connections: Connections, options: PostgresOptions, observer: StoreObserver) {
    const writer = new Writer(connections, options.recordRules);
    const writes = new UserWrites((batch) => writer.apply(batch), options, observer);
    super(writes, openTableStores(connections, writes), options.recordRules);
    this.#connections = connections;
    this.#dialect = postgresDialect(options.maxCandidates ?? DEFAULT_MAX_CANDIDATES);
    this.#reads = new ReadBatcher(connections);
    this.#writer = writer;
  }

  read(id: number): Promise<StoredUser | undefined> {
    return this.#reads.read(id);
  }

  async list(query: ListQuery, findOwner?: () => string): Promise<Page> {
    const origin = { since: systemClock.running(), owner: findOwner?.() };
    const page = await fillPage(query, (part) => this.#page(part, origin));
    return query.count ? { ...page, total: await this.#total(query, origin) } : page;
  }

  listFields(owner?: string): Promise<CustomField[]> {
    return this.#readInSnapshot(() => findFields(this.#dialect), { owner });
  }

  listFieldValues(field: string, prefix: string, owner?: string): Promise<FieldValue[]> {
    return this.#readInSnapshot(() => findFieldValues(this.#dialect, field, prefix), { owner });
  }

  async measureUsers(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const rows: [string, number][] = await this.#connections.read((sql) =>
      sql.unsafe(MEASURE_USERS, [`{${ids.join()}}`]).values(),
    );
    return new Map(rows.map(([id, bytes]) => [Number(id), bytes]));
  }

  async findUsers(
    ids: readonly number[],
    emailKeys: readonly string[],
    values: readonly UniqueValue[] = [],
  ): Promise<StoredUser[]> {
    const rows: [string, string, string][] = await this.#connections.withReserved(async (sql) => {
      const owners =
        values.length === 0
          ? []
          : await sql.unsafe(findValues.text, findValues.parameters({}, { values })).values();
      const allIds = [...ids, ...owners.map((row: unknown[]) => Number(row[2]))];
      return sql.unsafe(FIND_USERS, [`{${allIds.join()}}`, JSON.stringify(emailKeys)]).values();
    });
    return rows.map(([id, version, json]) => ({ id: Number(id), version: Number(version), json }));
  }

  async ping(): Promise<void> {
    const [row] = await this.#connections.read((sql) => sql.unsafe(PING).values());
    if (row?.[0] === "on") throw readOnlyServer();
  }

  async stats(): Promise<StoreStats> {
    const [row] = await this.#connections.withReserved((sql) =>
      sql
        .unsafe(
          `SELECT (SELECT sum(users) FROM roster.user_counts),
                  (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
                   WHERE relnamespace = 'roster'::regnamespace AND relkind = 'r'),
                  (SELECT last_backup_at FROM roster.about),
                  (SELECT sum(bytes) FROM roster.event_usage)`,
        )
        .values(),
    );
    const [users, bytes, lastBackupAt, eventBytes] = (row ?? []).map(Number);
    return {
      users: users ?? 0,
      bytes: bytes ?? 0,
      eventBytes: eventBytes ?? 0,
      lastBackupAt: lastBackupAt || null,
    };
  }

  async gauges(): Promise<StoreGauges> {
    const queuedWrites = this.writes.queued;
    // Writes run one batch at a time.
    const poolInUse = this.#connections.readsInUse + Math.min(queuedWrites, 1);
    const [stats, isReady] = await Promise.all([
      this.stats().catch(() => undefined),
      this.ping().then(
        () => true,
        () => false,
      ),
    ]);
    return { up: isReady && stats !== undefined, stats, queuedWrites, poolInUse };
  }

  async close(): Promise<void> {
    await this.writes.drain();
    await this.#writer.close();
    await this.#connections.close();
  }

  /** Fast lists share connections with reads by id. Other lists have a connection to themselves. */
  async #page(query: ListQuery, origin: ReadOrigin): Promise<Page> {
    const steps = () => findPage(this.#dialect, userList, query, this.#memory);
    const found = isFastList(userList, query)
      ? await this.#connections.read((sql) => runStatements(sql, steps(), origin), origin.since)
      : ((await this.#findRemembered(query, origin)) ?? (await this.#readInSnapshot(steps, origin)));
    return await formatFoundPageInTurns(found, query);
  }

  /** One statement has a snapshot of its own, and needs no transaction. Behind a pooler, only a transaction has planner settings. */
  #findRemembered(query: ListQuery, origin: ReadOrigin): MaybePromise<FoundPage | undefined> {
    if (!this.#connections.options.dedicatedSessions || !this.#memory.recall(query)) return undefined;
    return this.#connections.withReserved(
      (sql) => runStatements(sql, findRemembered(query, this.#memory), origin),
      origin,
    );
  }

  /** Runs steps on a connection of their own. `steps` starts them again after a lost connection. */
  #readInSnapshot<T>(steps: () => SqlSteps<T>, origin?: ReadOrigin): Promise<T> {
    const { dedicatedSessions } = this.#connections.options;
    return this.#connections.withReserved(
      (sql) => runInSnapshot(sql, dedicatedSessions, steps(), origin),
      origin,
    );
  }

  async #total(query: ListQuery, origin: ReadOrigin): Promise<NonNullable<Page["total"]>> {
    if (isUnfiltered(query)) {
      const [row] = await this.#connections.withReserved(
        (sql) => sql.unsafe("SELECT sum(users) FROM roster.user_counts").values(),
        origin,
      );
      return { count: Number(row?.[0]), capped: false };
    }
    return countInRounds((after) =>
      this.#readInSnapshot(() => countRound(this.#dialect, userList, query, after), origin),
    );
  }
}
