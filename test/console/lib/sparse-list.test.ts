import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  addPage,
  itemAt,
  lengthOf,
  loadedItems,
  mapItems,
  nextRequest,
  type PageRequest,
  positionOf,
  type Range,
  removeItems,
  type SparseList,
  startList,
} from "../../../src/console/lib/sparse-list.ts";

interface Item {
  readonly id: number;
  readonly version?: number;
}

/** A list that others change, in descending order of id. A cursor is the last id of a page, as in the service. */
class Service {
  #ids: number[];
  #last: number;

  constructor(count: number) {
    this.#ids = Array.from({ length: count }, (_, index) => count - index);
    this.#last = count;
  }

  get ids(): readonly number[] {
    return this.#ids;
  }

  create(): void {
    this.#ids.unshift(++this.#last);
  }

  delete(index: number): void {
    this.#ids.splice(index, 1);
  }

  /** Pages may be shorter than `limit`, even empty. */
  load({ start, after, limit }: PageRequest, shortBy = 0) {
    const rest = after === undefined ? this.#ids.slice(start) : this.#ids.filter((id) => id < Number(after));
    const size = Math.max(0, limit - shortBy);
    const page = rest.slice(0, size);
    const position = page.at(-1) ?? (after === undefined ? (this.#ids[start - 1] ?? this.#last + 1) : after);
    return { items: page.map((id) => ({ id })), next: rest.length > size ? String(position) : undefined };
  }
}

const first: PageRequest = { start: 0, limit: 100, after: undefined };
const opened = (service: Service): SparseList<Item> => startList(service.load(first));

/** Loads a range as the table does. The number of requests is bounded. */
function show(list: SparseList<Item>, range: Range, service: Service, shortBy = 0): SparseList<Item> {
  let shown = list;
  const most = 10 + (range.end - range.first) + loadedItems(list).length + service.ids.length;
  for (let count = 0; ; count++) {
    const request = nextRequest(shown, range);
    if (!request) return shown;
    if (count > most) throw new Error(`No end of requests for ${JSON.stringify(range)}.`);
    shown = addPage(shown, request, service.load(request, count === 0 ? shortBy : 0));
  }
}

function expectSound(list: SparseList<Item>): void {
  let end = 0;
  for (const { start, items } of list.stretches) {
    expect(start).toBeGreaterThanOrEqual(end);
    end = start + items.length;
  }
  const ids = loadedItems(list).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
}

/** The page of the last range begins before the short stretch of the second one, and ends after it. */
const pageBeyondStretch: [Range, number][] = [
  [{ first: 300, end: 301 }, 0],
  [{ first: 200, end: 201 }, 109],
  [{ first: 66, end: 101 }, 0],
];

const ranges = fc
  .tuple(fc.nat(1100), fc.integer({ min: 1, max: 150 }))
  .map(([start, size]): Range => ({ first: start, end: start + size }));

describe("a sparse list", () => {
  test("shows what the service has at each position, wherever a person jumps to", () => {
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.array(fc.tuple(ranges, fc.nat(120)), { maxLength: 12 }),
        (count, jumps) => {
          const service = new Service(count);
          let list = opened(service);
          for (const [range, shortBy] of jumps) {
            list = show(list, range, service, shortBy);
            expectSound(list);
            for (let position = range.first; position < range.end; position++) {
              expect(itemAt(list, position)?.id).toBe(service.ids[position]);
            }
            expect(lengthOf(list, count)).toBe(count);
          }
          for (const { id } of loadedItems(list)) expect(service.ids[positionOf(list, id) ?? -1]).toBe(id);
        },
      ),
      { examples: [[212, pageBeyondStretch]] },
    );
  });

  const changes = fc.oneof(
    ranges.map((range) => ({ range })),
    fc.nat(40).map((created) => ({ created })),
    fc.array(fc.nat(999), { maxLength: 40 }).map((deleted) => ({ deleted })),
    fc.array(fc.nat(999), { maxLength: 40 }).map((removed) => ({ removed })),
  );

  test("has no item twice and ends its requests while others create and delete items", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.array(changes, { maxLength: 20 }), (count, steps) => {
        const service = new Service(count);
        let list = opened(service);
        for (const step of steps) {
          if ("range" in step) list = show(list, step.range, service);
          else if ("created" in step) for (let times = 0; times < step.created; times++) service.create();
          else if ("deleted" in step) for (const index of step.deleted) service.delete(index);
          else {
            // This page deletes items: the service and the list lose the same ones.
            const ids = new Set(step.removed.flatMap((index) => service.ids[index] ?? []));
            for (const id of ids) service.delete(service.ids.indexOf(id));
            list = removeItems(list, ids);
          }
          expectSound(list);
        }
      }),
    );
  });

  test("has every item of a stretch that was read by cursor, although others create items", () => {
    const service = new Service(1000);
    let list = opened(service);
    for (let end = 100; end < 1000; end += 90) {
      for (let times = 0; times < 7; times++) service.create();
      list = show(list, { first: end - 40, end }, service);
    }
    const ids = loadedItems(list).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, index) => 1000 - index));
  });

  test("finds the items just before a stretch although others have created some", () => {
    const service = new Service(1000);
    let list = show(opened(service), { first: 500, end: 540 }, service);
    for (let times = 0; times < 15; times++) service.create();
    list = show(list, { first: 420, end: 500 }, service);
    const shown = Array.from({ length: 120 }, (_, index) => itemAt(list, 420 + index)?.id);
    expect(shown).toEqual(Array.from({ length: 120 }, (_, index) => 580 - index));
  });

  test("loads by cursor after a stretch, and by offset elsewhere", () => {
    const service = new Service(1000);
    const list = opened(service);
    expect(nextRequest(list, { first: 0, end: 100 })).toBeUndefined();
    expect(nextRequest(list, { first: 60, end: 130 })).toEqual({ start: 100, limit: 100, after: "901" });
    expect(nextRequest(list, { first: 700, end: 740 })).toEqual({ start: 700, limit: 100, after: undefined });
  });

  test("moves up what follows a removed item, and keeps new versions in their places", () => {
    const service = new Service(1000);
    const list = show(opened(service), { first: 500, end: 540 }, service);
    const left = removeItems(list, new Set([1000, 990, 480]));
    expect(itemAt(left, 0)?.id).toBe(999);
    expect(itemAt(left, 498)?.id).toBe(500);
    expect(positionOf(left, 479)).toBe(518);
    const changed = mapItems(list, ({ id }) => ({ id, version: 2 }));
    expect(itemAt(changed, 500)).toEqual({ id: 500, version: 2 });
  });
});
