import { describe, expect, test } from "bun:test";
import type { Position } from "../../../src/domain/lists/listing.ts";
import { userListFields } from "../../../src/domain/users/user-list-fields.ts";
import { ListPage } from "../../../src/http/scim/list-page.ts";
import type { ListPart, PartRead } from "../../../src/http/scim/list-part.ts";
import { ListPositions } from "../../../src/http/scim/list-positions.ts";
import { userKind } from "../../../src/scim/attributes.ts";
import { ScimError } from "../../../src/scim/scim-error.ts";
import { TestClock } from "../../support/test-clock.ts";

const positionAt = (id: number): Position => ({ key: null, id, skip: 0 });
const HOUR_MS = 3_600_000;

describe("The positions of lists", () => {
  const remembered = (positions: ListPositions, owner: string, list: string, index = 101) =>
    positions.find(owner, list, index)?.from?.id;

  test("are those of the owner, the list and the index", () => {
    const positions = new ListPositions(TestClock.stopped());
    positions.remember("a", "users", 101, { part: 0, from: positionAt(7) });
    positions.remember("b", "users", 101, { part: 0, from: positionAt(8) });
    expect([remembered(positions, "a", "users"), remembered(positions, "b", "users")]).toEqual([7, 8]);
    expect(remembered(positions, "a", "users", 102)).toBeUndefined();
    expect(remembered(positions, "a", "groups")).toBeUndefined();
    expect(remembered(positions, "c", "users")).toBeUndefined();
  });

  test("of one list are the last 8", () => {
    const positions = new ListPositions(TestClock.stopped());
    for (let index = 1; index <= 10; index++)
      positions.remember("a", "users", index, { part: 0, from: positionAt(index) });
    const found = Array.from({ length: 10 }, (_, index) => remembered(positions, "a", "users", index + 1));
    expect(found).toEqual([undefined, undefined, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test("are forgotten after an hour, and totals after 10 s", async () => {
    const clock = TestClock.stopped();
    const positions = new ListPositions(clock);
    const total = { count: 5, capped: false };
    positions.remember("a", "users", 101, { part: 0, from: positionAt(7) });
    positions.rememberTotal("a", "users", total);
    await clock.advance(9999);
    expect(positions.findTotal("a", "users")).toEqual(total);
    await clock.advance(1);
    expect(positions.findTotal("a", "users")).toBeUndefined();
    await clock.advance(HOUR_MS - 10_001);
    expect(remembered(positions, "a", "users")).toBe(7);
    await clock.advance(1);
    expect(remembered(positions, "a", "users")).toBeUndefined();
  });

  test("of one owner leave room for those of others", () => {
    const positions = new ListPositions(TestClock.stopped());
    positions.remember("other", "users", 101, { part: 0, from: positionAt(1) });
    for (let list = 0; list < 5000; list++)
      positions.remember("a", `list ${list}`, 101, { part: 0, from: positionAt(list) });
    expect(remembered(positions, "other", "users")).toBe(1);
    expect([remembered(positions, "a", "list 4967"), remembered(positions, "a", "list 4968")]).toEqual([
      undefined,
      4968,
    ]);
  });

  test("of many owners are those that were used last", () => {
    const positions = new ListPositions(TestClock.stopped());
    for (let owner = 0; owner < 2000; owner++)
      positions.remember(`owner ${owner}`, "users", 101, { part: 0, from: positionAt(owner) });
    const found = [0, 975, 976, 1999].map((owner) => remembered(positions, `owner ${owner}`, "users"));
    expect(found).toEqual([undefined, undefined, 976, 1999]);
  });
});

describe("A page of a list", () => {
  interface FakeList {
    /** Users of the list, and how many one read finds. */
    readonly users: number;
    readonly perRead: number;
    /** How long a read takes. */
    readonly readMs: number;
    readonly hasFilter?: boolean;
    readonly total?: { readonly count: number; readonly capped: boolean };
  }

  /** Writes a page of users, as far as each read takes the time of the clock. */
  const openPage = (list: FakeList, count: number, startIndex = 1, positions?: ListPositions) => {
    const clock = TestClock.stopped();
    const reads: PartRead[] = [];
    const costs: number[] = [];
    const part: ListPart = {
      kind: userKind,
      fields: userListFields,
      order: { sort: "id", descending: false },
      filters: list.hasFilter ? [{ kind: "column", field: "version", values: [1] }] : [],
      expression: undefined,
      maxRows: 100,
      writer: { expect: () => undefined, write: ({ id }) => `{"id":"${id}"}` },
      async read(read) {
        reads.push(read);
        await clock.advance(list.readMs);
        const first = (read.from?.id ?? read.offset) + 1;
        const last = Math.min(list.users, first - 1 + Math.min(read.limit, list.perRead));
        const ids = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({
          id: first + index,
        }));
        return {
          body: new TextEncoder().encode(JSON.stringify(ids)),
          size: ids.length,
          next: last < list.users ? positionAt(Math.max(last, first - 1)) : undefined,
          total:
            read.countMs === undefined ? undefined : (list.total ?? { count: list.users, capped: false }),
        };
      },
    };
    const page = new ListPage({
      parts: [part],
      request: { count, startIndex, cursor: undefined },
      positions: positions ?? new ListPositions(clock),
      owner: "a",
      name: "users",
      charge: (cost) => costs.push(cost),
      isAborted: () => false,
      clock,
    });
    const write = async () => {
      let text = "";
      for await (const written of page.write()) text += written;
      return JSON.parse(text);
    };
    return { page, reads, costs, write };
  };
  const outcome = async (written: Promise<{ itemsPerPage: number; totalResults: number }>) => {
    try {
      const { itemsPerPage, totalResults } = await written;
      return [itemsPerPage, totalResults];
    } catch (error) {
      return error instanceof ScimError ? error.scimType : String(error);
    }
  };

  test("is filled by further reads if a read finds few", async () => {
    const { write, reads } = openPage({ users: 500, perRead: 7, readMs: 10 }, 100);
    expect(await outcome(write())).toEqual([100, 500]);
    expect(reads).toHaveLength(15);
  });

  test("that is not full after 10 s is too much", async () => {
    expect(await outcome(openPage({ users: 500, perRead: 1, readMs: 100 }, 99).write())).toEqual([99, 500]);
    expect(await outcome(openPage({ users: 500, perRead: 1, readMs: 100 }, 102).write())).toBe("tooMany");
    expect(await outcome(openPage({ users: 500, perRead: 0, readMs: 100 }, 1).write())).toBe("tooMany");
  });

  test("may take any time once its response has begun", async () => {
    const { page, write } = openPage({ users: 500, perRead: 1, readMs: 100 }, 200);
    page.begin();
    expect(await outcome(write())).toEqual([200, 500]);
  });

  test("whose matches are not counted after 10 s is too much", async () => {
    const list = { users: 500, perRead: 100, readMs: 1, hasFilter: true };
    expect(await outcome(openPage({ ...list, total: { count: 99_999, capped: true } }, 10).write())).toBe(
      "tooMany",
    );
    expect(await outcome(openPage({ ...list, total: { count: 100_000, capped: true } }, 10).write())).toEqual(
      [...[10, 100_000]],
    );
  });

  test("gives the rest of the 10 s to the count", async () => {
    const { write, reads } = openPage({ users: 500, perRead: 100, readMs: 4000, hasFilter: true }, 10);
    await write();
    expect(reads.map(({ countMs }) => countMs)).toEqual([undefined, 6000]);
  });

  test("that reaches beyond the counted matches has at least one more", async () => {
    const positions = new ListPositions(TestClock.stopped());
    positions.remember("a", "users", 150_001, { part: 0, from: positionAt(300) });
    const list = {
      users: 500,
      perRead: 100,
      readMs: 1,
      hasFilter: true,
      total: { count: 100_000, capped: true },
    };
    expect(await outcome(openPage(list, 100, 150_001, positions).write())).toEqual([100, 150_101]);
    expect(await outcome(openPage(list, 1000, 150_001, positions).write())).toEqual([200, 150_200]);
  });

  test("counts only what it does not show, and then costs what counting costs", async () => {
    const list = { users: 50, perRead: 100, readMs: 1, hasFilter: true };
    const whole = openPage(list, 100);
    expect(await outcome(whole.write())).toEqual([50, 50]);
    expect([whole.reads.length, whole.costs]).toEqual([1, [1]]);
    const part = openPage(list, 10);
    expect(await outcome(part.write())).toEqual([10, 50]);
    expect([part.reads.length, part.costs]).toEqual([2, [1, 1]]);
  });

  test("of a caller that reads on needs no count for 10 s", async () => {
    const positions = new ListPositions(TestClock.stopped());
    const list = { users: 500, perRead: 100, readMs: 1, hasFilter: true };
    await openPage(list, 100, 1, positions).write();
    const next = openPage(list, 100, 101, positions);
    expect(await outcome(next.write())).toEqual([100, 500]);
    expect(next.reads).toEqual([{ from: positionAt(100), offset: 0, limit: 100 }]);
  });
});
