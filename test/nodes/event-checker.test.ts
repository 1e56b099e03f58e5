import { expect, test } from "bun:test";
import {
  type EventHistory,
  type FollowedEvent,
  findEventErrors,
} from "../support/consistency/check-events.ts";

function event(position: number, type: string, id: number, version: number): FollowedEvent {
  const record = { id, name: "Ada", version };
  const subject = { type: "user", id };
  return { id: `event-${position}`, type, requestId: `request-${position}`, subject, version, record };
}

const feed = [
  event(1, "user.created", 1, 1),
  event(2, "user.created", 2, 1),
  event(3, "user.updated", 1, 2),
  event(4, "user.updated", 1, 3),
  event(5, "user.deleted", 2, 1),
];
const users = [{ id: 1, name: "Ada", version: 3 }];
const writes = [
  ...feed.map(({ requestId }) => ({ requestId: String(requestId), status: 200 })),
  { requestId: "rejected", status: 412 },
  { requestId: "lost", status: undefined },
];
const correct: EventHistory = { feed, followers: [feed, feed], writes, users };

/** The feed without one event, or with another one in its place. */
const replaced = (index: number, ...by: readonly FollowedEvent[]) => feed.toSpliced(index, 1, ...by);
const [first = feed[0], second = feed[1], third = feed[2], fourth = feed[3]] = feed;
if (!first || !second || !third || !fourth) throw new Error("The feed is too short.");

test("finds no error in a correct history", () => {
  expect(findEventErrors(correct)).toEqual([]);
});

const falsified: readonly [string, Partial<EventHistory>, string][] = [
  ["a follower misses an event", { followers: [feed, replaced(2)] }, "follower 2 missed event-3"],
  ["a follower misses the last event", { followers: [replaced(4)] }, "follower 1 missed event-5"],
  ["a follower gets an event twice", { followers: [replaced(1, second, second)] }, "received event-2 twice"],
  [
    "a follower gets an event that was rolled back",
    { followers: [[...feed, event(9, "user.created", 9, 1)]] },
    "event-9, which was not committed",
  ],
  [
    "a follower gets events in another order",
    { followers: [feed.toSpliced(2, 2, fourth, third)] },
    "received event-4 instead of event-3",
  ],
  [
    "a follower gets another record than the database has",
    { followers: [replaced(0, { ...first, record: {} })] },
    "received event-1 instead of event-1",
  ],
  ["ids do not ascend", { feed: feed.toSpliced(2, 2, fourth, third) }, "event-3 follows event-4"],
  [
    "an acknowledged write has no event",
    { writes: [...writes, { requestId: "lost-event", status: 201 }] },
    "lost-event with status 201 has 0 events",
  ],
  [
    "a rejected write has an event",
    { writes: [{ requestId: "request-1", status: 409 }] },
    "request-1 with status 409 has 1 events",
  ],
  [
    "a write that was refused with 503 has an event",
    { writes: [{ requestId: "request-1", status: 503 }] },
    "request-1 with status 503 has 1 events",
  ],
  [
    "a write whose response was lost has two events",
    {
      feed: [
        ...feed,
        { ...event(6, "user.created", 6, 1), requestId: "lost" },
        { ...event(7, "user.created", 7, 1), requestId: "lost" },
      ],
    },
    "lost with status undefined has 2 events",
  ],
  ["a version is missing", { feed: replaced(2) }, "user.updated of user 1 at version 3 after user.created"],
  [
    "an event comes after the deletion",
    { feed: [...feed, event(6, "user.updated", 2, 2)] },
    "after user.deleted",
  ],
  ["a user has no event", { users: [...users, { id: 3 }] }, "user 3 has no event"],
  ["the last record differs", { users: [{ id: 1 }] }, "the last event of user 1 does not have its record"],
  ["a deleted user exists", { users: [...users, { id: 2 }] }, "the last event of user 2"],
];

test.each(falsified)("finds that %s", (_, change, message) => {
  expect(findEventErrors({ ...correct, ...change }).join("\n")).toContain(message);
});
