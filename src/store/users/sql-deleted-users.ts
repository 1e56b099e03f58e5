import { type Origin, SYSTEM_ACTOR } from "../../domain/caller.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import { checkPrecondition, type Precondition } from "../../domain/precondition.ts";
import type {
  DeletedListQuery,
  DeletedPage,
  DeletedUserStore,
} from "../../domain/users/deleted-user-store.ts";
import type { StoredUser } from "../../domain/users/user.ts";
import type { EventRange, EventTables } from "../events/event-tables.ts";
import type { ReadQueries } from "../sql/table-queries.ts";
import type { DeletedUserTables } from "./deleted-user-tables.ts";
import type { UserWrites } from "./user-writes.ts";

/** How an engine reads deleted users. */
export interface DeletedUserQueries extends ReadQueries {
  page(query: DeletedListQuery): Promise<DeletedPage>;
  /** Erases the data of these events, in a transaction of its own. */
  eraseEvents(range: EventRange): Promise<void>;
}

/** Deleted users, for any engine. */
export class SqlDeletedUsers implements DeletedUserStore {
  readonly #tables: DeletedUserTables;
  readonly #queries: DeletedUserQueries;
  readonly #writes: UserWrites;
  readonly #events: EventTables;

  constructor(
    tables: DeletedUserTables,
    events: EventTables,
    queries: DeletedUserQueries,
    writes: UserWrites,
  ) {
    this.#tables = tables;
    this.#events = events;
    this.#queries = queries;
    this.#writes = writes;
  }

  read(id: number): MaybePromise<StoredUser | undefined> {
    return this.#queries.read(() => this.#tables.read(id));
  }

  list(query: DeletedListQuery): Promise<DeletedPage> {
    return this.#queries.page(query);
  }

  async measure(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return this.#queries.read(() => this.#tables.measure(ids));
  }

  restore(id: number, email?: string | null, precondition?: Precondition, by?: Origin): Promise<StoredUser> {
    return this.#writes.restore(id, email, precondition, by);
  }

  async eraseHistory(user: StoredUser, precondition?: Precondition): Promise<void> {
    if (precondition) checkPrecondition(precondition, user);
    for (let after = 0; ; ) {
      const range = await this.#queries.read(() => this.#events.findErasable(user.id, after));
      if (!range) return;
      await this.#queries.eraseEvents(range);
      after = range.to;
    }
  }

  purge(id: number, precondition?: Precondition, by?: Origin): Promise<void> {
    return this.#writes.purge(id, precondition, by);
  }

  async purgeOldest(before: number): Promise<number> {
    const ids = await this.#queries.read(() => this.#tables.oldest(before));
    for (const id of ids) {
      const user = await this.read(id);
      if (user) await this.eraseHistory(user);
    }
    return ids.length === 0 ? 0 : this.#writes.purgeDeletedBefore(ids, before, { actor: SYSTEM_ACTOR });
  }
}
