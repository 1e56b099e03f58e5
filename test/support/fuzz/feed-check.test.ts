import { describe, expect, test } from "bun:test";
import { FeedCheck, type FeedEvent, type RequestOutcome } from "./feed-check.ts";

/** A history of a user and a group, and the same with one defect each. */

const event = (type: string, version: number, more: Partial<FeedEvent> = {}): FeedEvent => ({
  ...{ type, version, requestId: `a-${version}` },
  subject: { type: type.split(".")[0] ?? "", id: 1 },
  record: { id: 1, name: "Ada", version },
  ...more,
});

const history = [
  event("user.created", 1),
  event("user.updated", 2),
  event("user.deleted", 2),
  event("user.restored", 3),
  event("group.created", 1, { requestId: "b-1" }),
  event("group.members_changed", 2, { requestId: "b-2" }),
  event("key.created", 1, { version: null, requestId: "c-1" }),
];
const records = {
  "user:1": { id: 1, name: "Ada", version: 3 },
  "group:1": { id: 1, name: "Ada", version: 2 },
};

interface Told {
  readonly events?: readonly FeedEvent[];
  readonly records?: Readonly<Record<string, FeedEvent["record"]>>;
  readonly outcomes?: Readonly<Record<string, RequestOutcome>>;
}

function check({ events = history, records: stored = records, outcomes = {} }: Told): readonly string[] {
  const all = Object.entries(stored).flatMap(([name, record]) => (record ? [[name, record] as const] : []));
  const feed = new FeedCheck({ outcomes: new Map(Object.entries(outcomes)), records: new Map(all) });
  for (const each of events) feed.observe(each);
  return feed.finish();
}

const without = (index: number) => history.toSpliced(index, 1);
const matching = (...versions: number[]): RequestOutcome => ({ status: 204, versions });

describe("a history is correct", () => {
  test.each<[string, Told]>([
    ["if it has every version", {}],
    [
      "if a user was purged",
      { events: [...without(3), event("user.purged", 2)], records: { ...records, "user:1": null } },
    ],
    ["if failed requests have no events", { outcomes: { "a-9": { status: 412, versions: [7] } } }],
    ["if preconditions hold", { outcomes: { "a-1": matching(0), "b-2": matching(8, 1) } }],
    [
      "if one write has several events, each with the next version",
      {
        events: [...history, event("group.members_changed", 3, { requestId: "b-2" })],
        records: { ...records, "group:1": { id: 1, name: "Ada", version: 3 } },
        outcomes: { "b-2": matching(1) },
      },
    ],
  ])("%s", (_, told) => {
    expect(check(told)).toEqual([]);
  });
});

describe("the check of a history finds", () => {
  test.each<[string, Told, string]>([
    [
      "a change by a request that failed",
      { outcomes: { "b-2": { status: 400, versions: undefined } } },
      "made a change: b-2",
    ],
    [
      "a change of another version than If-Match names",
      { outcomes: { "b-2": matching(2) } },
      "in spite of If-Match 2",
    ],
    [
      "a deletion of another version than If-Match names",
      { events: history.slice(0, 3), records: {}, outcomes: { "a-2": matching(2, 3) } },
      "a change of version 1 in spite of If-Match 2,3",
    ],
    [
      "a version that is missing",
      { events: without(1) },
      "user.deleted of user:1 has version 2 after user.created 1",
    ],
    [
      "a version that comes twice",
      { events: [...history, event("user.updated", 3)] },
      "user.updated of user:1 has version 3",
    ],
    [
      "a user that is created twice",
      { events: [...history, event("user.created", 1)] },
      "user.created of user:1",
    ],
    [
      "a change of a deleted user",
      { events: [...history.slice(0, 3), event("user.updated", 3)] },
      "after user.deleted 2",
    ],
    [
      "a restored user that was not deleted",
      { events: [...history, event("user.restored", 4)] },
      "user.restored of user:1",
    ],
    [
      "a purged user that was not deleted",
      { events: [...history, event("user.purged", 3)] },
      "user.purged of user:1",
    ],
    [
      "a change after a purge",
      { events: [...without(3), event("user.purged", 2), event("user.restored", 3)] },
      "after user.purged 2",
    ],
    [
      "a record that changed without an event",
      { records: { ...records, "user:1": { id: 1, name: "Eve", version: 3 } } },
      "user:1 differs from its event",
    ],
    [
      "a version without an event",
      { records: { ...records, "group:1": { id: 1, name: "Ada", version: 3 } } },
      "no event led to group:1",
    ],
    [
      "a record without an event",
      { records: { ...records, "user:2": { id: 2, version: 1 } } },
      "no event led to user:2",
    ],
  ])("%s", (_, told, what) => {
    expect(check(told).join("\n")).toContain(what);
  });
});
