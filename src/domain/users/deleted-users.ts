import type { Origin } from "../caller.ts";
import { andThen, type MaybePromise } from "../maybe-promise.ts";
import type { Precondition } from "../precondition.ts";
import { ProblemError } from "../problem-error.ts";
import type { StoredRecord } from "../records/record.ts";
import { checkRestore } from "./check-user.ts";
import type { DeletedListQuery, DeletedPage, DeletedUserStore } from "./deleted-user-store.ts";
import type { BulkChange, UserStore, UserStores } from "./user-store.ts";

/** What callers can do with deleted users. Methods throw a `ProblemError` if they fail. */
export class DeletedUsers {
  readonly #store: DeletedUserStore;

  constructor(store: DeletedUserStore) {
    this.#store = store;
  }

  list(query: DeletedListQuery): Promise<DeletedPage> {
    return this.#store.list(query);
  }

  read(id: number): MaybePromise<StoredRecord> {
    return andThen(this.#store.read(id), (user) => {
      if (!user) throw new ProblemError("user-not-found", `There is no deleted user ${id}.`);
      return user;
    });
  }

  /** `body` is undefined if the request has none. */
  restore(
    by: Origin,
    id: number,
    body: unknown,
    precondition: Precondition | undefined,
  ): Promise<StoredRecord> {
    return this.#store.restore(id, body === undefined ? {} : checkRestore(body), precondition, by);
  }

  async purge(by: Origin, id: number, precondition: Precondition | undefined): Promise<void> {
    const user = await this.#store.read(id);
    if (user) await this.#store.eraseHistory(user, precondition);
    return this.#store.purge(id, precondition, by);
  }
}

/** Finds the users of a bulk change. */
export type UserSource = Pick<UserStore, "list" | "measure">;

/** The users that a bulk change can apply to. */
export function usersFor(store: UserStores, change: BulkChange): UserSource {
  return change === "restore" ? deletedUserSource(store.deletedUsers) : store.users;
}

/** Lists deleted users like users, in the order of their ids, with only the id and the version of each. */
function deletedUserSource(store: DeletedUserStore): UserSource {
  return {
    measure: (ids) => store.measure(ids),
    async list({ descending, limit, from, expression }) {
      const order = descending ? "-id" : "id";
      const after = from && { deletedAt: 0, id: from.id };
      const { users, next } = await store.list({ order, limit, after, expression });
      return {
        body: Buffer.from(JSON.stringify(users.map(({ id, version }) => ({ id, version })))),
        size: users.length,
        next: next && { key: null, id: next.id, skip: 0 },
        total: undefined,
      };
    },
  };
}
