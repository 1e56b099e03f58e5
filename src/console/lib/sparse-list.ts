/**
 * A long list of which only some stretches are loaded. Positions count from 0. A page after a stretch comes by its cursor, which is
 * exact. Where a person jumps to, a page comes by offset. If others create or delete items between two pages, no item is twice in
 * the list, and a stretch keeps its positions until a page shows where it really is.
 */
export interface SparseList<Item extends Identified> {
  /** In order, without overlaps. */
  readonly stretches: readonly Stretch<Item>[];
}

interface Identified {
  readonly id: number;
}

/** Items that follow each other in the list. */
interface Stretch<Item> extends Page<Item> {
  /** The position of the first item. */
  readonly start: number;
}

interface Page<Item> {
  readonly items: readonly Item[];
  /** The cursor after the last item. Undefined if the list ends there. */
  readonly next: string | undefined;
}

/** The page to load next. */
export interface PageRequest {
  /** The position of its first item. */
  readonly start: number;
  readonly limit: number;
  /** The cursor of the stretch before it. Undefined: `start` is the offset. */
  readonly after: string | undefined;
}

/** Positions from `first` to before `end`. */
export interface Range {
  readonly first: number;
  readonly end: number;
}

export const PAGE_SIZE = 100;
/** A page reaches so far into the next stretch, to find it although others have created or deleted a few items. */
const OVERLAP = 20;

export function startList<Item extends Identified>({ items, next }: Page<Item>): SparseList<Item> {
  return { stretches: [{ start: 0, items, next }] };
}

export function itemAt<Item extends Identified>(list: SparseList<Item>, position: number): Item | undefined {
  for (const { start, items } of list.stretches) {
    if (position < start + items.length) return items[position - start];
  }
  return undefined;
}

export function positionOf<Item extends Identified>(list: SparseList<Item>, id: number): number | undefined {
  for (const { start, items } of list.stretches) {
    const index = items.findIndex((item) => item.id === id);
    if (index >= 0) return start + index;
  }
  return undefined;
}

/** The items that are loaded, in order. */
export function loadedItems<Item extends Identified>({ stretches }: SparseList<Item>): Item[] {
  return stretches.flatMap(({ items }) => items);
}

/** The length of the list: exact if its end is loaded, otherwise what was counted, or at least one more than is loaded. */
export function lengthOf<Item extends Identified>({ stretches }: SparseList<Item>, counted = 0): number {
  const last = stretches.at(-1);
  if (!last) return counted;
  if (last.next !== undefined) return Math.max(counted, endOf(last) + 1);
  // A page past the end has no items: the list ends there or before.
  return last.items.length > 0 ? endOf(last) : Math.min(counted, last.start);
}

/** The next page that a range lacks. Undefined if all of it is loaded. */
export function nextRequest<Item extends Identified>(
  { stretches }: SparseList<Item>,
  { first, end }: Range,
  pageSize = PAGE_SIZE,
): PageRequest | undefined {
  let position = first;
  for (const stretch of stretches) {
    if (stretch.start <= position) position = Math.max(position, endOf(stretch));
  }
  if (position >= end) return undefined;
  const before = stretches.findLast(({ start }) => start <= position);
  if (before && before.next === undefined) return undefined;
  const following = stretches.find(({ start }) => start > position);
  const ahead = following ? following.start - position : Number.POSITIVE_INFINITY;
  // A page that ends where something is loaded, for a person who scrolls upwards.
  const wanted = ahead < pageSize ? position + ahead - pageSize : position;
  const from = before ? endOf(before) : 0;
  const start = wanted - from < pageSize ? from : wanted;
  const room = following ? following.start - start + OVERLAP : pageSize;
  return {
    start,
    limit: Math.min(pageSize + OVERLAP, room),
    after: start === from ? before?.next : undefined,
  };
}

/** The list with a page that was requested. */
export function addPage<Item extends Identified>(
  list: SparseList<Item>,
  request: PageRequest,
  page: Page<Item>,
): SparseList<Item> {
  const { stretches } = list;
  const before =
    request.after === undefined ? undefined : stretches.find(({ next }) => next === request.after);
  // The list was loaded again.
  if (request.after !== undefined && !before) return list;
  const earlier = stretches.filter(({ start }) => start < (before?.start ?? request.start));
  const [following, ...later] = stretches.filter((other) => other !== before && !earlier.includes(other));
  const followingIds = new Set(following?.items.map(({ id }) => id));
  const meetsAt = page.items.findIndex(({ id }) => followingIds.has(id));
  const meets = meetsAt >= 0;
  // A page that reaches beyond the next stretch has items that follow that one.
  const read = meets ? page.items.slice(0, meetsAt) : page.items;
  const loadedIds = new Set(loadedItems(list).map(({ id }) => id));
  const items = read.filter(({ id }) => !loadedIds.has(id));
  const from = Math.max(before?.start ?? request.start, ...earlier.map(endOf));
  const added = { start: from, items: [...(before?.items ?? []), ...items], next: page.next };
  // The list ends before what was loaded there.
  if (!following) return { stretches: [...earlier, added] };
  if (!meets && page.next === undefined) return { stretches: [...earlier, added] };
  if (!meets && endOf(added) < following.start)
    return { stretches: [...earlier, added, following, ...later] };
  // The page by cursor has more items than fit before the next stretch: that one is further down.
  if (!meets && before) return { stretches: [...earlier, added, ...later] };
  if (before || items.length === 0) {
    const shift = endOf(added) - following.start;
    const moved = later.map((stretch) => ({ ...stretch, start: stretch.start + shift }));
    return { stretches: [...earlier, join(added, following), ...moved] };
  }
  // What a person sees stays where it is.
  const room = following.start - from;
  const fitting = meets ? items.slice(-room) : items.slice(0, room);
  const above = { ...added, start: following.start - fitting.length, items: fitting };
  return { stretches: [...earlier, join(above, following), ...later] };
}

/** The list with other versions of its items. */
export function mapItems<Item extends Identified>(
  { stretches }: SparseList<Item>,
  change: (item: Item) => Item,
): SparseList<Item> {
  return { stretches: stretches.map((stretch) => ({ ...stretch, items: stretch.items.map(change) })) };
}

/** The list without these items. What follows them moves up. */
export function removeItems<Item extends Identified>(
  { stretches }: SparseList<Item>,
  ids: ReadonlySet<number>,
): SparseList<Item> {
  let removed = 0;
  return {
    stretches: stretches.map((stretch) => {
      const items = stretch.items.filter(({ id }) => !ids.has(id));
      const start = stretch.start - removed;
      removed += stretch.items.length - items.length;
      return { ...stretch, start, items };
    }),
  };
}

const endOf = ({ start, items }: Stretch<Identified>) => start + items.length;

const join = <Item>(first: Stretch<Item>, { items, next }: Stretch<Item>): Stretch<Item> => ({
  start: first.start,
  items: [...first.items, ...items],
  next,
});
