import type { EventQuery } from "../../../src/domain/events/event-store.ts";

const ranges: readonly Partial<EventQuery>[] = [
  {},
  { after: 1 },
  { after: 1, descending: true },
  { descending: true },
  { from: 1, to: 2 },
];
const filters: readonly Partial<EventQuery>[] = [
  {},
  { types: ["user.created"] },
  { types: ["user.created", "user.updated", "key.created"] },
  { actor: { type: "key", id: 1 } },
  { actor: { type: "anonymous" } },
  { requestId: "a" },
  { types: ["user.created"], actor: { type: "key", id: 1 }, requestId: "a" },
];

/** Events of each range with each filter, of all subjects, of one, and of the history of a user. */
export const eventQueries: readonly EventQuery[] = ranges.flatMap((range) =>
  filters.flatMap((filter) => [
    { limit: 100, ...range, ...filter },
    { limit: 100, ...range, ...filter, subject: { type: "user", id: 1 } },
    { limit: 100, ...range, ...filter, historyOf: 1 },
  ]),
);
