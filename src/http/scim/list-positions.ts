import type { Clock } from "../../domain/clock.ts";
import type { Position } from "../../domain/lists/listing.ts";

/** Where a page of a list begins. A list has one part for each kind of its resources. */
export interface ListPosition {
  readonly part: number;
  /** Undefined for the begin of the part. */
  readonly from: Position | undefined;
}

/** The number of matches of a list; at least so many if it is `capped`. */
export interface ListTotal {
  readonly count: number;
  readonly capped: boolean;
}

/** What is remembered of a list that a caller reads page by page. */
interface ReadList {
  /** By the index of the page, from 1. The newest comes last. */
  readonly positions: Map<number, { readonly position: ListPosition; readonly until: number }>;
  total: { readonly value: ListTotal; readonly until: number } | undefined;
}

/** Callers that wait longer between two pages find the next one by its index. */
const POSITION_MS = 3_600_000;
/** Then the matches are counted again. */
const TOTAL_MS = 10_000;
/** Few pages: callers ask for the next page, or for the last one again. */
const MAX_POSITIONS = 8;
const MAX_LISTS_PER_OWNER = 32;
const MAX_LISTS = 1024;

/**
 * Remembers where the next pages of lists begin, so that a caller who reads a list by indexes reads each resource once: to find an index
 * takes longer the larger it is, and it is another resource's when resources before it are deleted.
 */
export class ListPositions {
  readonly #clock: Clock;
  /** By owner and list. What was used last comes last. */
  readonly #lists = new Map<string, Map<string, ReadList>>();
  #size = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(owner: string, list: string, index: number): ListPosition | undefined {
    const found = this.#lists.get(owner)?.get(list)?.positions.get(index);
    return found && found.until > this.#clock.monotonic() ? found.position : undefined;
  }

  findTotal(owner: string, list: string): ListTotal | undefined {
    const total = this.#lists.get(owner)?.get(list)?.total;
    return total && total.until > this.#clock.monotonic() ? total.value : undefined;
  }

  remember(owner: string, list: string, index: number, position: ListPosition): void {
    const { positions } = this.#use(owner, list);
    positions.delete(index);
    positions.set(index, { position, until: this.#clock.monotonic() + POSITION_MS });
    if (positions.size > MAX_POSITIONS) deleteFirst(positions);
  }

  rememberTotal(owner: string, list: string, value: ListTotal): void {
    this.#use(owner, list).total = { value, until: this.#clock.monotonic() + TOTAL_MS };
  }

  #use(owner: string, name: string): ReadList {
    const lists = this.#lists.get(owner) ?? new Map<string, ReadList>();
    this.#lists.delete(owner);
    this.#lists.set(owner, lists);
    const known = lists.get(name);
    const list = known ?? { positions: new Map(), total: undefined };
    if (known) lists.delete(name);
    else this.#size++;
    lists.set(name, list);
    if (lists.size > MAX_LISTS_PER_OWNER) this.#forgetFirst(lists);
    if (this.#size > MAX_LISTS) this.#forgetOldest();
    return list;
  }

  #forgetOldest(): void {
    const [oldest] = this.#lists;
    if (!oldest) return;
    const [owner, lists] = oldest;
    this.#forgetFirst(lists);
    if (lists.size === 0) this.#lists.delete(owner);
  }

  #forgetFirst(lists: Map<string, ReadList>): void {
    deleteFirst(lists);
    this.#size--;
  }
}

function deleteFirst<Key>(map: Map<Key, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
