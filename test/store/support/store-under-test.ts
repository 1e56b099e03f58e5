import type { GroupListQuery } from "../../../src/domain/groups/group-list-fields.ts";
import type { Page } from "../../../src/domain/lists/listing.ts";
import type { Precondition } from "../../../src/domain/precondition.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { Store } from "../../../src/domain/store.ts";
import type { UserListQuery } from "../../../src/domain/users/user-list-fields.ts";
import { databaseOn, type Engine } from "../../support/engines.ts";
import { openTestStore } from "../../support/open-test-store.ts";
import type { ModelRow } from "./store-model.ts";

/** A store, and its database. */
export interface StoreUnderTest {
  readonly store: Store;
  readonly engine: Engine;
  readonly url: string;
  /** Opens another store of the same database, as another node or process does. The test closes it. */
  openAnother(): Promise<Store>;
  /** Closes the store, and removes the database. */
  destroy(): Promise<void>;
}

/** Opens an empty store. `maxCandidates` is the most users that one list examines. */
export type OpenStore = (maxCandidates?: number) => Promise<StoreUnderTest>;

export function storeOpener(engine: Engine): OpenStore {
  return async (maxCandidates) => {
    const { url, drop } = await databaseOn(engine);
    const openAnother = () => openTestStore(url, maxCandidates === undefined ? {} : { maxCandidates });
    const store = await openAnother();
    return {
      store,
      engine,
      url,
      openAnother,
      async destroy() {
        await store.close();
        await drop();
      },
    };
  };
}

export const allUsers: UserListQuery = {
  sort: "id",
  descending: false,
  limit: 100,
  from: undefined,
  offset: 0,
  search: undefined,
  filters: [],
  count: false,
};

export const allGroups: GroupListQuery = { ...allUsers, sort: "id", filters: [] };

export function rowsOf({ body }: Page): ModelRow[] {
  return JSON.parse(new TextDecoder().decode(body));
}

export function ifMatch(version: number): Precondition {
  return { match: [version], noneMatch: undefined };
}

/** "done", or the type of the problem that the work fails with. */
export async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    if (error instanceof ProblemError) return error.type;
    throw error;
  }
}
