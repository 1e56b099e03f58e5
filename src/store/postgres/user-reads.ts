import type { CustomField, FieldValue } from "../../contract/users/field-schemas.ts";
import {
  type FoundPage,
  formatFoundPageInTurns,
  type ListQuery,
  type Page,
} from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { StoredUser } from "../../domain/users/user.ts";
import { countRound } from "../lists/count.ts";
import type { Dialect } from "../lists/dialect.ts";
import { isFastList } from "../lists/fast-list.ts";
import { findFields, findFieldValues } from "../lists/field-values.ts";
import type { CountRound } from "../lists/plans/found-rows.ts";
import { findPage, findRemembered } from "../lists/plans/page-finder.ts";
import { PlanMemory } from "../lists/plans/plan-memory.ts";
import type { UniqueValue } from "../schema/unique-values.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import { userList } from "../users/user-list.ts";
import type { ListOrigin, UserReads } from "../users/user-store.ts";
import type { Connections, ReadOrigin } from "./connections.ts";
import { ReadBatcher } from "./read-batcher.ts";
import { runInSnapshot, runStatements } from "./snapshot.ts";
import { FIND_USERS, findValues } from "./write-statements.ts";

/** Reads users. Fast lists share connections with reads by id. Other lists have a connection to themselves. */
export class PostgresUserReads implements UserReads {
  readonly #connections: Connections;
  readonly #dialect: Dialect;
  readonly #memory = new PlanMemory();
  readonly #reads: ReadBatcher;

  constructor(connections: Connections, dialect: Dialect) {
    this.#connections = connections;
    this.#dialect = dialect;
    this.#reads = new ReadBatcher(connections);
  }

  read(id: number): Promise<StoredUser | undefined> {
    return this.#reads.read(id);
  }

  async page(query: ListQuery, list: ListOrigin): Promise<Page> {
    const origin = toReadOrigin(list);
    const steps = () => findPage(this.#dialect, userList, query, this.#memory);
    const found = isFastList(userList, query)
      ? await this.#connections.read((sql) => runStatements(sql, steps(), origin), origin.since)
      : ((await this.#findRemembered(query, origin)) ?? (await this.#readInSnapshot(steps, origin)));
    return await formatFoundPageInTurns(found, query);
  }

  countRound(query: ListQuery, after: number | undefined, list: ListOrigin): Promise<CountRound> {
    const steps = () => countRound(this.#dialect, userList, query, after);
    return this.#readInSnapshot(steps, toReadOrigin(list));
  }

  listFields(owner?: string): Promise<CustomField[]> {
    return this.#readInSnapshot(() => findFields(this.#dialect), { owner });
  }

  listFieldValues(field: string, prefix: string, owner?: string): Promise<FieldValue[]> {
    return this.#readInSnapshot(() => findFieldValues(this.#dialect, field, prefix), { owner });
  }

  async find(
    ids: readonly number[],
    emailKeys: readonly string[],
    values: readonly UniqueValue[] = [],
  ): Promise<StoredUser[]> {
    const rows = await this.#connections.withReserved(async (sql) => {
      const owners =
        values.length === 0
          ? []
          : await sql.unsafe(findValues.text, findValues.parameters({}, { values })).values();
      const allIds = [...ids, ...owners.map((row) => Number(row[2]))];
      return sql.unsafe(FIND_USERS, [`{${allIds.join()}}`, JSON.stringify(emailKeys)]).values();
    });
    return rows.map(([id, version, json]) => ({
      id: Number(id),
      version: Number(version),
      json: String(json),
    }));
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
}

function toReadOrigin({ since, findOwner }: ListOrigin): ReadOrigin {
  return { since, owner: findOwner?.() };
}
