import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { RosterEvent } from "../../../src/client/index.ts";
import { type FeedEntry, foldEvents, sharedChanges } from "../../../src/console/activity/fold-events.ts";

const START = Date.parse("2026-11-19T14:00:00Z");

interface Given {
  readonly type?: "user.updated" | "user.deleted";
  readonly key?: number;
  readonly request?: number;
  /** Seconds since the event that is older by one. */
  readonly pause?: number;
  readonly user?: number;
  readonly changes?: RosterEvent["changes"];
}

/** Events as a list has them, newest first. */
function feed(given: readonly Given[]): RosterEvent[] {
  let time = START;
  const events = given.toReversed().map((each, index): RosterEvent => {
    const { type = "user.updated", key = 1, request = 1, pause = 0, user = index + 1, changes = {} } = each;
    time += pause * 1000;
    return {
      id: String(index + 1).padStart(11, "0"),
      type,
      time: new Date(time).toISOString(),
      actor: { type: "key", id: key, name: `key ${key}` },
      requestId: `request-${request}`,
      subject: { type: "user", id: user },
      version: 2,
      changes,
      record: null,
    };
  });
  return events.toReversed();
}

const eventsOf = (entry: FeedEntry) => (entry.burst ? entry.events : [entry.event]);
const sizes = (events: readonly RosterEvent[]) => foldEvents(events).map((entry) => eventsOf(entry).length);
const times = (count: number, given: Given): Given[] => Array.from({ length: count }, () => given);

const anyFeed = fc
  .array(
    fc.record({
      type: fc.constantFrom("user.updated", "user.deleted"),
      key: fc.integer({ min: 1, max: 2 }),
      request: fc.integer({ min: 1, max: 3 }),
      pause: fc.constantFrom(0, 1, 3600),
    }),
    { maxLength: 40 },
  )
  .map(feed);

describe("folding", () => {
  test("keeps every event exactly once, in its order", () => {
    fc.assert(
      fc.property(anyFeed, (events) => {
        expect(foldEvents(events).flatMap(eventsOf)).toEqual(events);
      }),
    );
  });

  test("puts only events of one type and one caller into an entry", () => {
    fc.assert(
      fc.property(anyFeed, (events) => {
        for (const entry of foldEvents(events)) {
          const kinds = eventsOf(entry).map(({ type, actor }) => `${type} ${actor.id}`);
          expect(new Set(kinds).size).toBe(1);
        }
      }),
    );
  });

  test("changes only the entries at the seam when a page is added at either end", () => {
    // The run at the seam is one burst, or up to three single events.
    const atSeam = 3;
    fc.assert(
      fc.property(anyFeed, fc.nat(40), (events, at) => {
        const whole = foldEvents(events);
        const above = foldEvents(events.slice(0, at)).slice(0, -atSeam);
        expect(whole.slice(0, above.length)).toEqual(above);
        const below = foldEvents(events.slice(at)).slice(atSeam);
        expect(whole.slice(whole.length - below.length)).toEqual(below);
      }),
    );
  });

  test("folds the events of one request, and those of a script that soon follow each other", () => {
    expect(sizes(feed(times(5, { pause: 3600 })))).toEqual([5]);
    const script = Array.from({ length: 6 }, (_, request) => ({ request, pause: 20 }));
    expect(sizes(feed(script))).toEqual([6]);
    const slow = script.map((each) => ({ ...each, pause: 40 }));
    expect(sizes(feed(slow))).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test("keeps a change of many users apart from changes of single ones", () => {
    const singles = Array.from({ length: 4 }, (_, index) => ({ request: index + 10 }));
    expect(sizes(feed([...times(6, {}), ...singles]))).toEqual([6, 4]);
    expect(sizes(feed([...times(6, { request: 1 }), ...times(6, { request: 2 })]))).toEqual([12]);
  });

  test("leaves a few events as they are, and starts again after an event of another kind or caller", () => {
    expect(sizes(feed(times(3, {})))).toEqual([1, 1, 1]);
    const others = [
      ...times(4, {}),
      { key: 2 },
      ...times(4, {}),
      ...times(4, { type: "user.deleted" }),
    ] as const;
    expect(sizes(feed(others))).toEqual([4, 1, 4, 4]);
  });
});

test("names the changes that all events of a burst share", () => {
  const change = (level: number, plan: string) => ({
    changes: { level: { from: level, to: level + 1 }, plan: { from: plan, to: "pro" } },
  });
  expect(sharedChanges(feed([change(1, "free"), change(2, "basic")]))).toEqual([
    { field: "plan", from: "free", to: "pro", hasManyBefore: true },
  ]);
  expect(sharedChanges(feed([change(1, "free"), change(1, "free")]))).toEqual([
    { field: "level", from: 1, to: 2, hasManyBefore: false },
    { field: "plan", from: "free", to: "pro", hasManyBefore: false },
  ]);
});
