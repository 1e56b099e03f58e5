import type { ListQuery, Page } from "../../../src/domain/lists/listing.ts";
import type { Store } from "../../../src/domain/store.ts";
import type { ModelUser } from "./store-model.ts";

export interface StoreUnderTest {
  readonly store: Store;
  destroy(): Promise<void>;
}

/** Opens an empty store. `maxCandidates` is the most users that one list examines. */
export type OpenStore = (maxCandidates?: number) => Promise<StoreUnderTest>;

export const allUsers: ListQuery = {
  sort: "id",
  descending: false,
  limit: 100,
  from: undefined,
  offset: 0,
  search: undefined,
  filters: [],
  count: false,
};

export function usersOf({ body }: Page): ModelUser[] {
  return JSON.parse(new TextDecoder().decode(body));
}
