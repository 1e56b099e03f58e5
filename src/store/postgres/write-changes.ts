import { dayOf } from "../../domain/days.ts";
import { ERASED_EVENT, type EventDraft } from "../../domain/events/event.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";
import { parseUser } from "../../domain/users/user.ts";
import { appendPostgresEvents, PUBLISH_ALL } from "../events/postgres-events.ts";
import { searchText } from "../lists/search-text.ts";
import { UserTally } from "../users/stats-tables.ts";
import type { BatchChanges } from "../writes/in-memory-batch.ts";
import { ERASED_OUTCOME, type SavedOutcome } from "../writes/stored-outcome.ts";
import { type DatedUser, type IndexedUser, type UserRow, valuesNotIn } from "../writes/write-transaction.ts";
import { writeGroups } from "./group-changes.ts";
import {
  EVENT_CHARACTERS,
  inStatements,
  RECORD_CHARACTERS,
  type Send,
  VALUE_CHARACTERS,
} from "./in-statements.ts";
import { ERASE_RESPONSES } from "./response-lock.ts";
import { REQUIRE_SCHEMA } from "./schema-lock.ts";
import { REQUIRE_TIME } from "./snapshot.ts";
import {
  DROP_DELETED_USERS,
  ERASE_USERS,
  insertAll,
  insertEarlierUsers,
  insertUniqueValues,
  keepDeletedUsers,
  REMOVE_USERS,
  removeUniqueValues,
  removeValues,
  toUserValues,
  type UserValue,
  updateSearch,
  updateUsers,
} from "./write-statements.ts";

/** What a batch writes besides its changes. */
export interface BatchFacts {
  readonly now: number;
  /** Where the number of users is counted. */
  readonly part: number;
  /** The last change of the schema that the batch knows. */
  readonly schemaChange: number;
  /** How long the transaction may take, in the time of the server. */
  readonly allowedMs: number;
}

/** Sends the statements that write the changes of a batch, in their order. */
export function* writeChanges(changes: BatchChanges, facts: BatchFacts, send: Send): Steps<void> {
  const { removed, updated, released, claimed, events } = changes;
  if (removed.length > 0) send(REMOVE_USERS, [`{${removed.map(({ row }) => row.id).join()}}`]);
  yield* inStatements(oldValues(changes), sizeOfValues, (lists) =>
    send(removeValues.text, removeValues.parameters({}, { values: lists.flat() })),
  );
  if (released.length > 0) {
    send(removeUniqueValues.text, removeUniqueValues.parameters({}, { values: released }));
  }
  if (claimed.length > 0) {
    send(insertUniqueValues.text, insertUniqueValues.parameters({}, { values: claimed }));
  }
  yield* inStatements(
    updated.map(({ after }) => after),
    sizeOfUser,
    (users) => send(updateUsers.text, updateUsers.parameters({}, { users })),
  );
  yield* inStatements(findReindexed(updated), sizeOfUser, (search) =>
    send(updateSearch.text, updateSearch.parameters({}, { search })),
  );
  yield* insertRows(changes, facts, send);
  yield* writeDeleted(changes, send);
  yield* writeGroups(changes.groups, facts, send);
  yield* appendEvents(events, facts, send);
}

function* oldValues({ removed, updated }: BatchChanges): Generator<UserValue[]> {
  for (const { row, terms } of removed) yield toUserValues(row.id, terms.values);
  for (const { before, after } of updated) {
    yield toUserValues(after.row.id, valuesNotIn(before.terms, after.terms));
  }
}

function* findReindexed(updated: BatchChanges["updated"]): Generator<IndexedUser> {
  for (const { before, after } of updated) {
    if (searchText(before.terms) !== searchText(after.terms)) yield after;
  }
}

/** Rows that one statement inserts together. */
interface NewRows {
  readonly user?: IndexedUser;
  readonly values?: UserValue[];
  readonly outcome?: SavedOutcome;
}

function* insertRows(changes: BatchChanges, { now, part }: BatchFacts, send: Send): Steps<void> {
  const userCountChange = changes.inserted.length - changes.removed.length;
  const { created, deleted, restored } = UserTally.of(changes.events);
  yield* inStatements(newRows(changes), sizeOfNewRows, (rows, isLast) => {
    // Only the last statement counts: no row has a negative number.
    const scalars = {
      now: String(now),
      userCountChange: String(userCountChange),
      part: String(isLast ? part : -1),
      day: dayOf(now),
      created: String(created),
      deleted: String(deleted),
      restored: String(restored),
    };
    const users = rows.flatMap(({ user }) => user ?? []);
    const values = rows.flatMap((row) => row.values ?? []);
    const outcomes = rows.flatMap(({ outcome }) => outcome ?? []);
    send(insertAll.text, insertAll.parameters(scalars, { users, values, outcomes }));
  });
}

/** What deletes, restores and purges write besides. */
function* writeDeleted(changes: BatchChanges, send: Send): Steps<void> {
  const { inserted, droppedIds, kept, erasedIds } = changes;
  const restored = inserted.filter(({ row }) => !isNew(row)).sort(byEmail);
  yield* inStatements(restored, sizeOfUser, (users) =>
    send(insertEarlierUsers.text, insertEarlierUsers.parameters({}, { users: users.map(withCreationTime) })),
  );
  if (droppedIds.length > 0) send(DROP_DELETED_USERS, [`{${droppedIds.join()}}`]);
  yield* inStatements(
    kept,
    ({ json }) => json.length,
    (users) => send(keepDeletedUsers.text, keepDeletedUsers.parameters({}, { users })),
  );
  if (erasedIds.length > 0) {
    // Nobody can change these users now: all their events are found.
    send(PUBLISH_ALL, []);
    send(ERASE_RESPONSES, []);
    const { changes: erasedChanges, record } = ERASED_EVENT;
    send(ERASE_USERS, [`{${erasedIds.join()}}`, erasedChanges, record, JSON.stringify(ERASED_OUTCOME)]);
  }
}

/** Whether the batch created the user, and did not change it afterwards. Other users have their own time of creation. */
function isNew({ version }: UserRow): boolean {
  return version === 1;
}

function withCreationTime(user: IndexedUser): DatedUser {
  return { ...user, createdAt: Date.parse(parseUser(user.row.json).createdAt) };
}

function* newRows({ updated, inserted, outcomes, events }: BatchChanges): Generator<NewRows> {
  // In the order of emails: nodes that insert the same emails then wait for each other in one direction only.
  for (const user of [...inserted].sort(byEmail)) {
    const values = toUserValues(user.row.id, user.terms.values);
    yield isNew(user.row) ? { user, values } : { values };
  }
  for (const { before, after } of updated) {
    const values = valuesNotIn(after.terms, before.terms);
    if (values.length > 0) yield { values: toUserValues(after.row.id, values) };
  }
  for (const outcome of outcomes) yield { outcome };
  // Without other rows, the statement only counts.
  if (events.some(({ type }) => type === "user.deleted")) yield {};
}

/** The events come last: their statements check that the schema has not changed, and that the caller still waits. */
function* appendEvents(
  events: readonly EventDraft[],
  { schemaChange, allowedMs }: BatchFacts,
  send: Send,
): Steps<void> {
  if (events.length === 0) {
    send(REQUIRE_SCHEMA, [String(schemaChange)]);
    send(REQUIRE_TIME, [String(allowedMs)]);
  }
  const statements: ReturnType<typeof appendPostgresEvents>[] = [];
  yield* inStatements(events, sizeOfEvent, (group) =>
    statements.push(appendPostgresEvents(group, schemaChange, allowedMs)),
  );
  for (const { text, values } of statements) {
    send(text, values);
    yield;
  }
}

function sizeOfUser({ row }: IndexedUser): number {
  return row.json.length + RECORD_CHARACTERS;
}

function sizeOfValues(values: readonly UserValue[]): number {
  return values.length * VALUE_CHARACTERS;
}

function sizeOfEvent({ changes, record }: EventDraft): number {
  return changes.length + record.length + EVENT_CHARACTERS;
}

function sizeOfNewRows({ user, values = [], outcome }: NewRows): number {
  return (user ? sizeOfUser(user) : 0) + sizeOfValues(values) + (outcome ? sizeOfOutcome(outcome) : 0);
}

function sizeOfOutcome({ outcome }: SavedOutcome): number {
  if ("group" in outcome) return outcome.group.json.length + EVENT_CHARACTERS;
  if ("user" in outcome) return outcome.user.json.length + EVENT_CHARACTERS;
  return EVENT_CHARACTERS + ("runs" in outcome ? 10 * outcome.runs.length : 0);
}

function byEmail(a: IndexedUser, b: IndexedUser): number {
  const [x = "", y = ""] = [a.terms.emailKey, b.terms.emailKey];
  return x < y ? -1 : x > y ? 1 : 0;
}
