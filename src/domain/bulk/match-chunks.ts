import { bulkLimits } from "../../contract/bulk/bulk.ts";
import type { Page } from "../lists/listing.ts";
import type { UserSource } from "../users/deleted-users.ts";
import type { UserListQuery } from "../users/user-list-fields.ts";
import type { ChangeCondition, ChangedUser } from "../users/user-store.ts";
import { cutChunk, type UserChunks } from "./change-chunks.ts";

/** A user that a filter expression matches. */
interface Match {
  readonly id: number;
  readonly version: number;
}

/** Matches that are not changed yet, and where the next page begins, if there is one. */
interface FoundMatches {
  readonly matches: readonly Match[];
  readonly sizes: ReadonlyMap<number, number>;
  readonly next: number | undefined;
}

/** Which users a bulk change finds. */
type UserFilter = Pick<ChangeCondition, "expression" | "memberships">;

/** A chunk that takes longer to find lets the consumer keep the connection open. */
const KEEP_ALIVE_MS = 5000;

/** A list of all users in the order of their ids, with only the id and the version of each. */
export const allIds: UserListQuery = {
  sort: "id",
  descending: false,
  limit: bulkLimits.chunkLines,
  from: undefined,
  offset: 0,
  search: undefined,
  filters: [],
  count: false,
  fields: [],
};

/**
 * The users that match an expression, in the order of their ids, chunk by chunk. Each user is tested again in the transaction
 * that changes it, and changed at most once, also if the change moves it into or out of the filter: ids only ascend. Reads the
 * next page while the consumer works on a chunk. Users that were created after the reader was opened are left out.
 */
export class MatchChunks implements UserChunks {
  chunk: readonly number[] = [];
  bytes = 0;
  condition: ChangeCondition;
  readonly #users: UserSource;
  readonly #query: UserListQuery;
  readonly #growth: number;
  readonly #lastId: number;
  readonly #signal: AbortSignal | undefined;
  /** Undefined at the end. */
  #found: Promise<FoundMatches> | undefined;

  static async open(
    users: UserSource,
    filter: UserFilter,
    growth: number,
    signal?: AbortSignal,
  ): Promise<MatchChunks> {
    const [newest] = parseMatches(await users.list({ ...allIds, descending: true, limit: 1 }));
    return new MatchChunks(users, filter, growth, newest?.id ?? 0, signal);
  }

  private constructor(
    users: UserSource,
    { expression, memberships }: UserFilter,
    growth: number,
    lastId: number,
    signal: AbortSignal | undefined,
  ) {
    this.#users = users;
    this.#query = { ...allIds, filters: memberships, expression };
    this.#growth = growth;
    this.#lastId = lastId;
    this.#signal = signal;
    this.condition = { expression, memberships, versions: [] };
    this.#found = this.#find(0);
  }

  async findChunk(): Promise<boolean> {
    this.#take([], 0);
    const quietUntil = performance.now() + KEEP_ALIVE_MS;
    // A page can be empty and still have a next page.
    while (this.#found && this.chunk.length === 0 && !this.#signal?.aborted) {
      if (performance.now() > quietUntil) return false;
      const { matches, sizes, next } = await this.#found;
      const ids = matches.map(({ id }) => id);
      const { length, bytes } = cutChunk(ids, sizes, this.#growth, this.condition.memberships.length);
      this.#take(matches.slice(0, length), bytes);
      const rest = matches.slice(length);
      if (rest.length > 0) this.#found = Promise.resolve({ matches: rest, sizes, next });
      else this.#found = next === undefined ? undefined : this.#find(next);
    }
    return true;
  }

  continueAfter(users: readonly ChangedUser[]): void {
    const last = users.at(-1)?.id ?? 0;
    if (last !== this.chunk.at(-1)) this.#found = this.#find(last);
  }

  #take(matches: readonly Match[], bytes: number): void {
    this.bytes = bytes;
    this.chunk = matches.map(({ id }) => id);
    this.condition = { ...this.condition, versions: matches.map(({ version }) => version) };
  }

  #find(after: number): Promise<FoundMatches> | undefined {
    if (after >= this.#lastId) return undefined;
    const find = async () => {
      const page = await this.#users.list({ ...this.#query, from: { key: null, id: after, skip: 0 } });
      const matches = parseMatches(page).filter(({ id }) => id <= this.#lastId);
      const sizes = await this.#users.measure(matches.map(({ id }) => id));
      return { matches, sizes, next: page.next?.id };
    };
    const found = find();
    // The matches are awaited later. Until then, a failure must not count as an unhandled rejection.
    found.catch(() => undefined);
    return found;
  }
}

function parseMatches({ body }: Page): Match[] {
  return JSON.parse(new TextDecoder().decode(body));
}
