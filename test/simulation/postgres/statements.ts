import { EVENT_COLUMNS } from "../../../src/store/events/event-tables.ts";
import {
  appendEvents,
  FIND_UNPUBLISHED,
  LOCK_SPACE,
  LOCKS,
  MAX_PUBLISHED,
  PUBLISH_ALL,
  PUBLISH_SOME,
  TRY_PUBLISH_SOME,
  TRY_REMOVE_EVENTS,
} from "../../../src/store/events/postgres-events.ts";
import { SHOW_READ_ONLY } from "../../../src/store/postgres/connection-pools.ts";
import { PING, STATS } from "../../../src/store/postgres/postgres-store.ts";
import { readByIds, type TableOfRecords } from "../../../src/store/postgres/read-batcher.ts";
import { ERASE_RESPONSES, STORE_RESPONSES } from "../../../src/store/postgres/response-lock.ts";
import {
  CHANGE_SCHEMA,
  LOCK_SCHEMA,
  READ_SCHEMA,
  READ_SCHEMA_STATE,
  REQUIRE_SCHEMA,
} from "../../../src/store/postgres/schema-lock.ts";
import { REQUIRE_TIME } from "../../../src/store/postgres/snapshot.ts";
import { postgresTableDialect } from "../../../src/store/postgres/table-dialect.ts";
import * as writes from "../../../src/store/postgres/write-statements.ts";
import { serverError } from "./errors.ts";
import {
  type Execution,
  exclusive,
  type Handler,
  IDS,
  idsOf,
  insertRows,
  pick,
  type Row,
  type Rows,
  type StatementSteps,
  toNumbers,
} from "./execution.ts";
import { groupReaders, groupWriters } from "./group-statements.ts";
import { JsonRows } from "./json-rows.ts";
import type { LockRequest } from "./locks.ts";
import { runTableStatement } from "./table-statements.ts";
import type { Cell, Run } from "./transactions.ts";

/** Fails with PostgreSQL's errors. Any other error is a gap of the model. */
export function* runStatement(execution: Execution): StatementSteps {
  const writer = writers.get(execution.text);
  if (writer) execution.transaction.requireWritable();
  const handler = writer ?? readers.get(execution.text) ?? runTableStatement;
  const result = handler(execution);
  return Array.isArray(result) ? result : yield* result;
}

const userLock = (id: Cell | undefined) => exclusive(`user ${id}`);
const deletedUserLock = (id: Cell | undefined) => exclusive(`deleted user ${id}`);
/** A transaction that takes or frees an email keeps other transactions from taking it: they wait for its end. */
const emailLock = (email: unknown) => exclusive(`email ${email}`);
const userNameLock = (name: Cell) => exclusive(`user name ${name}`);
const valueLock = ({ field, value }: Row) => exclusive(`value ${field} ${value}`);
const outcomeLock = (caller: unknown, key: unknown) => exclusive(`outcome ${caller} ${key}`);
const advisoryLock = (lock: keyof typeof LOCKS, mode: LockRequest["mode"] = "exclusive"): LockRequest => ({
  key: `advisory ${LOCK_SPACE} ${LOCKS[lock]}`,
  mode,
});

const USER_COLUMNS = "id, version, json, updated_at, changed_by, user_name_key";

/** Finds out which rows there are, waits for their locks, and then reads what is left of them. */
function* lockUsers({ read }: Execution, ids: readonly number[]): StatementSteps {
  const found = toNumbers(read(`SELECT id FROM users WHERE id ${IDS} ORDER BY id`, JSON.stringify(ids)));
  for (const id of found) yield userLock(id);
  return read(`SELECT ${USER_COLUMNS} FROM users WHERE id ${IDS} ORDER BY id`, JSON.stringify(found));
}

function idsWithNames({ values, read }: Execution): number[] {
  const [ids, names] = values;
  const matching = read(
    `SELECT id FROM users WHERE email_key ${IDS} UNION SELECT user_id FROM user_names WHERE name ${IDS}`,
    ...[names ?? "[]", names ?? "[]"],
  );
  return [...idsOf(ids), ...toNumbers(matching)];
}

function ownersOf({ read }: Execution, values: readonly Row[]): Rows {
  const find = "SELECT field, value, user_id FROM unique_values WHERE field = ? AND value = ?";
  return values.flatMap(({ field = null, value = null }) => read(find, field, value));
}

function requireSchema({ sequences }: Execution, change: number): void {
  if (change >= 0 && change !== sequences.schemaChanges)
    throw serverError("RS001", "The schema has changed.");
}

function requireTime({ transaction, now }: Execution, allowedMs: number): void {
  if (now() - transaction.beganAt > allowedMs) throw serverError("RS002", "The transaction took too long.");
}

/** A statement of tables, as the driver gets it. */
function asSent(text: string): string {
  return text.replace("?", "$1");
}

function readRecords(table: TableOfRecords): [string, Handler] {
  return [
    readByIds(table),
    ({ read, values }) =>
      read(`SELECT id, version, json FROM ${table} WHERE id ${IDS}`, JSON.stringify(idsOf(values[0]))),
  ];
}

/** Statements that a read-only server accepts. */
const readers = new Map<string, Handler>([
  ...groupReaders,
  [
    SHOW_READ_ONLY,
    ({ transaction }) => {
      return [[transaction.isReadOnly ? "on" : "off"]];
    },
  ],
  [
    PING,
    ({ transaction }) => {
      return [[transaction.isReadOnly ? "on" : "off", null]];
    },
  ],
  [
    STATS,
    ({ read }) => {
      return read(
        "SELECT users, 0, last_backup_at, (SELECT sum(bytes) FROM event_usage), groups FROM directory",
      );
    },
  ],
  readRecords("users"),
  readRecords("groups"),
  [
    writes.FIND_USERS,
    (execution) => {
      const ids = JSON.stringify(idsWithNames(execution));
      return execution.read(`SELECT id, version, json FROM users WHERE id ${IDS}`, ids);
    },
  ],
  [
    writes.FIND_NAMES,
    ({ read, values }) => {
      const names = values[0] ?? "[]";
      const withEmails = read(
        `SELECT email_key, id, user_name_key IS NULL FROM users WHERE email_key ${IDS}`,
        names,
      );
      return [
        ...withEmails.map(([email, id, isUserName]) => [email, id, isUserName === 1]),
        ...read(`SELECT name, user_id, NULL FROM user_names WHERE name ${IDS}`, names),
      ];
    },
  ],
  [
    writes.findValues.text,
    (execution) => {
      return ownersOf(execution, new JsonRows(writes.findValues, execution.values).rows("values"));
    },
  ],
  [
    READ_SCHEMA_STATE,
    function* ({ read, now, sequences }) {
      yield advisoryLock("schema", "shared");
      const text = "SELECT (SELECT max(version) FROM schema_versions), collecting FROM directory";
      return read(text).map((row) => [...row, Math.floor(now()), sequences.schemaChanges]);
    },
  ],
  [
    READ_SCHEMA,
    ({ read, values }) => {
      return read("SELECT json FROM schema_versions WHERE version = ?", Number(values[0]));
    },
  ],
  [
    REQUIRE_SCHEMA,
    (execution) => {
      requireSchema(execution, Number(execution.values[0]));
      return [[""]];
    },
  ],
  [
    REQUIRE_TIME,
    (execution) => {
      requireTime(execution, Number(execution.values[0]));
      return [[""]];
    },
  ],
  [
    LOCK_SCHEMA,
    function* () {
      yield advisoryLock("schema");
      return [[""]];
    },
  ],
  [
    asSent(FIND_UNPUBLISHED),
    ({ transaction, read, values, sequences }) => {
      const [row] = read("SELECT 1 FROM new_events WHERE key > ?", Number(values[0]));
      const [last] = read("SELECT coalesce(max(position), 0) FROM events");
      return [[row !== undefined, last?.[0], sequences.newEventKeys, transaction.isReadOnly ? "on" : "off"]];
    },
  ],
  [
    postgresTableDialect.lastId("user"),
    ({ sequences }) => {
      return [[sequences.userIds]];
    },
  ],
  [
    TRY_REMOVE_EVENTS,
    ({ tryLock }) => {
      return [[tryLock(advisoryLock("remove"))]];
    },
  ],
]);

/** Statements that a read-only server rejects. */
const writers = new Map<string, Handler>([
  ...groupWriters,
  [
    CHANGE_SCHEMA,
    function* ({ sequences }) {
      yield advisoryLock("schema");
      sequences.schemaChanges++;
      yield advisoryLock("append");
      return [[""]];
    },
  ],
  [
    postgresTableDialect.locks?.keysAndWebhooks ?? "",
    function* () {
      yield exclusive("about");
      return [["1"]];
    },
  ],
  [
    postgresTableDialect.nextId("webhook"),
    ({ sequences }) => {
      return [[++sequences.webhookIds]];
    },
  ],
  [
    writes.LOCK_USERS,
    function* (execution) {
      return yield* lockUsers(execution, idsOf(execution.values[0]));
    },
  ],
  [
    writes.lockMatchingUsers.text,
    function* (execution) {
      const { values } = execution;
      const owners = ownersOf(execution, new JsonRows(writes.lockMatchingUsers, values).rows("values"));
      const ownerIds = owners.map(([, , id]) => Number(id));
      return yield* lockUsers(execution, [...idsWithNames(execution), ...ownerIds]);
    },
  ],
  [
    writes.LOCK_DELETED_USERS,
    function* ({ read, values }) {
      const ids = JSON.stringify(idsOf(values[0]));
      const found = toNumbers(read(`SELECT id FROM deleted_users WHERE id ${IDS} ORDER BY id`, ids));
      for (const id of found) yield deletedUserLock(id);
      const text = `SELECT id, version, json, deleted_at, groups FROM deleted_users WHERE id ${IDS} ORDER BY id`;
      return read(text, JSON.stringify(found));
    },
  ],
  [
    writes.takeIds.text,
    ({ read, values, sequences }) => {
      const parameters = new JsonRows(writes.takeIds, values);
      const outcome = "SELECT 1 FROM outcomes WHERE caller = ? AND key = ? AND expires_at > ?";
      const free = parameters
        .rows("creates")
        .filter(({ email_key: email = null, user_name: name = null, caller = null, key = null }) => {
          const isTaken =
            (email !== null && read("SELECT 1 FROM users WHERE email_key = ?", email).length > 0) ||
            (name !== null && read("SELECT 1 FROM user_names WHERE name = ?", name).length > 0);
          const hasOutcome =
            caller !== null && read(outcome, caller, key, parameters.number("now")).length > 0;
          return !isTaken && !hasOutcome;
        });
      return free.map(() => [++sequences.userIds]);
    },
  ],
  [
    writes.findOutcomes.text,
    function* ({ read, write, values }) {
      const parameters = new JsonRows(writes.findOutcomes, values);
      const now = parameters.number("now");
      const find =
        "SELECT caller, key, fingerprint, outcome, expires_at FROM outcomes WHERE caller = ? AND key = ?";
      const stored = parameters
        .rows("keys")
        .flatMap(({ caller = null, key = null }) => read(find, caller, key));
      const expired = stored.filter((row) => Number(row[4]) <= now);
      for (const [caller, key] of expired) yield outcomeLock(caller, key);
      if (expired.length > 0)
        write((run) => expired.flatMap(([caller, key]) => removeOutcome(run, caller, key, now)));
      return stored.filter((row) => Number(row[4]) > now);
    },
  ],
  [
    writes.CLEAR_OUTCOMES,
    function* ({ read, write, values }) {
      const [now = 0, limit = 0] = values.map(Number);
      const text = "SELECT caller, key FROM outcomes WHERE expires_at <= ? ORDER BY expires_at LIMIT ?";
      const expired = read(text, now, limit);
      for (const [caller, key] of expired) yield outcomeLock(caller, key);
      if (expired.length > 0)
        write((run) => expired.flatMap(([caller, key]) => removeOutcome(run, caller, key, now)));
      return [];
    },
  ],
  [
    writes.REMOVE_USERS,
    function* ({ read, write, values, keepsIndexes }) {
      const ids = JSON.stringify(idsOf(values[0]));
      for (const user of readNames(read, ids)) {
        yield userLock(user.id);
        yield* nameLocks(user);
      }
      return write((run) => {
        if (keepsIndexes) run(`DELETE FROM user_search WHERE rowid ${IDS}`, ids);
        run(`DELETE FROM user_names WHERE user_id ${IDS}`, ids);
        return run(`DELETE FROM users WHERE id ${IDS}`, ids);
      });
    },
  ],
  [
    writes.updateUsers.text,
    function* ({ read, write, values }) {
      const users = new JsonRows(writes.updateUsers, values).rows("users");
      const renamed: Cell[] = [];
      for (const user of users) {
        yield userLock(user.id);
        const [before] = readNames(read, JSON.stringify([user.id]));
        const hasNewName = userNameOf(before) !== userNameOf(user);
        if (hasNewName) renamed.push(user.id ?? null);
        if (hasNewName || before?.email_key !== user.email_key)
          for (const each of [before ?? {}, user]) yield* nameLocks(each);
      }
      const names = writes.userColumns.columns.map(({ name }) => name).filter((name) => name !== "id");
      const text = `UPDATE users SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`;
      return write((run) => {
        run(`DELETE FROM user_names WHERE user_id ${IDS}`, JSON.stringify(renamed));
        for (const user of users) run(text, ...pick(user, [...names, "id"]));
        return insertNames(
          run,
          users.filter(({ id = null }) => renamed.includes(id)),
        );
      });
    },
  ],
  [
    writes.updateSearch.text,
    ({ write, values, keepsIndexes }) => {
      if (!keepsIndexes) return [];
      const ids = new JsonRows(writes.updateSearch, values).rows("search").map((row) => row.user_id);
      return write((run) => {
        run(`DELETE FROM user_search WHERE rowid ${IDS}`, JSON.stringify(ids));
        return indexTexts(run, ids);
      });
    },
  ],
  [
    writes.insertAll.text,
    function* ({ write, values, keepsIndexes }) {
      const parameters = new JsonRows(writes.insertAll, values);
      const [users, outcomes] = [parameters.rows("users"), parameters.rows("outcomes")];
      yield* lockNewUsers(users);
      for (const { caller, key } of outcomes) yield outcomeLock(caller, key);
      const part = parameters.number("part");
      if (part >= 0) yield exclusive(`count ${part}`);
      return write((run) => {
        const now = parameters.number("now");
        insertUsers(run, { users: users.map((user) => ({ ...user, created_at: now })), keepsIndexes });
        if (keepsIndexes) insertRows(run, "user_values", parameters.rows("values"));
        insertRows(run, "outcomes", outcomes);
        if (part >= 0) countUsers(run, parameters);
        return [];
      });
    },
  ],
  [
    writes.insertEarlierUsers.text,
    function* ({ write, values, keepsIndexes }) {
      const users = new JsonRows(writes.insertEarlierUsers, values).rows("users");
      yield* lockNewUsers(users);
      return write((run) => {
        insertUsers(run, { users, keepsIndexes });
        return [["1"]];
      });
    },
  ],
  [
    writes.removeValues.text,
    ({ write, values, keepsIndexes }) => {
      if (!keepsIndexes) return [];
      const rows = new JsonRows(writes.removeValues, values).rows("values");
      const text = "DELETE FROM user_values WHERE field = ? AND value = ? AND user_id = ? AND exact = ?";
      return write((run) =>
        rows.flatMap((row) => run(text, ...pick(row, ["field", "value", "user_id", "exact"]))),
      );
    },
  ],
  [
    writes.removeUniqueValues.text,
    function* ({ write, values }) {
      const rows = new JsonRows(writes.removeUniqueValues, values).rows("values");
      for (const row of rows) yield valueLock(row);
      const text = "DELETE FROM unique_values WHERE field = ? AND value = ? AND user_id = ?";
      return write((run) => rows.flatMap((row) => run(text, ...pick(row, ["field", "value", "user_id"]))));
    },
  ],
  [
    writes.insertUniqueValues.text,
    function* ({ write, values }) {
      const rows = new JsonRows(writes.insertUniqueValues, values).rows("values");
      for (const row of rows) yield valueLock(row);
      return write((run) => insertRows(run, "unique_values", rows));
    },
  ],
  [
    writes.DROP_DELETED_USERS,
    function* ({ write, values }) {
      const ids = idsOf(values[0]);
      for (const id of ids) yield deletedUserLock(id);
      return write((run) => run(`DELETE FROM deleted_users WHERE id ${IDS}`, JSON.stringify(ids)));
    },
  ],
  [
    writes.keepDeletedUsers.text,
    function* ({ write, values }) {
      const users = new JsonRows(writes.keepDeletedUsers, values).rows("users");
      for (const { id } of users) yield deletedUserLock(id);
      return write((run) => insertRows(run, "deleted_users", users));
    },
  ],
  [
    // Without locks: it erases the same events and outcomes when it is run again, or more.
    writes.ERASE_USERS,
    ({ write, values }) => {
      const [array, changes = "", record = "", outcome = ""] = values;
      const ids = JSON.stringify(idsOf(array));
      return write((run) => {
        run(`UPDATE outcomes SET outcome = ? WHERE user_id ${IDS}`, outcome, ids);
        run(`DELETE FROM webhook_responses WHERE user_id ${IDS}`, ids);
        const text = `UPDATE events SET changes = ?, record = ? WHERE subject_type = 'user' AND subject_id ${IDS}
          AND record <> ?`;
        return run(text, changes, record, ids, record);
      });
    },
  ],
  [
    appendEvents.text,
    function* (execution) {
      const { write, values, sequences } = execution;
      const parameters = new JsonRows(appendEvents, values);
      yield advisoryLock("append", "shared");
      requireSchema(execution, parameters.number("schemaChange"));
      requireTime(execution, parameters.number("allowedMs"));
      const events = parameters.rows("events").map((event) => ({ key: ++sequences.newEventKeys, ...event }));
      return write((run) => insertRows(run, "new_events", events));
    },
  ],
  [
    STORE_RESPONSES,
    function* () {
      yield advisoryLock("responses", "shared");
      return [[""]];
    },
  ],
  [
    ERASE_RESPONSES,
    function* () {
      yield advisoryLock("responses");
      return [[""]];
    },
  ],
  [
    asSent(TRY_PUBLISH_SOME),
    function* (execution) {
      yield advisoryLock("append", "shared");
      if (execution.holdsPublishLock && !execution.tryLock(advisoryLock("publish"))) return [[0]];
      return yield* publishEvents(execution, Number(execution.values[0]), MAX_PUBLISHED);
    },
  ],
  [asSent(PUBLISH_SOME), (execution) => publishEvents(execution, Number(execution.values[0]), MAX_PUBLISHED)],
  [PUBLISH_ALL, (execution) => publishEvents(execution, 0, Number.MAX_SAFE_INTEGER)],
]);

function* publishEvents(
  { read, write, sequences, now, holdsPublishLock }: Execution,
  afterKey: number,
  most: number,
): StatementSteps {
  yield advisoryLock("append", "shared");
  if (holdsPublishLock) yield advisoryLock("publish");
  const rows = read(
    `SELECT key, ${EVENT_COLUMNS} FROM new_events WHERE key > ? ORDER BY key LIMIT ?`,
    afterKey,
    most,
  );
  if (rows.length === 0) return [[0]];
  const first = Math.max(sequences.eventPositions + 1, Math.floor(now() * 1000));
  sequences.eventPositions = first + rows.length - 1;
  const keys = JSON.stringify(toNumbers(rows));
  write((run) => {
    run(
      `INSERT INTO published (position, key)
       SELECT ? + row_number() OVER (ORDER BY key) - 1, key FROM new_events WHERE key ${IDS}`,
      first,
      keys,
    );
    run(
      `INSERT INTO events (position, ${EVENT_COLUMNS})
       SELECT p.position, ${EVENT_COLUMNS} FROM new_events JOIN published p USING (key) WHERE key ${IDS}`,
      keys,
    );
    return run(`DELETE FROM new_events WHERE key ${IDS}`, keys);
  });
  return [[rows.length]];
}

function* lockNewUsers(users: readonly Row[]): Generator<LockRequest, void> {
  for (const { id, email_key: email } of users) {
    yield userLock(id);
    if (email !== null) yield emailLock(email);
  }
  for (const name of users.map(userNameOf).sort()) if (name !== null) yield userNameLock(name);
}

function readNames(read: Execution["read"], ids: string): Row[] {
  const rows = read(`SELECT id, email_key, user_name_key FROM users WHERE id ${IDS} ORDER BY id`, ids);
  return rows.map(([id, email, name]) => ({
    id: Number(id),
    email_key: email === null ? null : String(email),
    user_name_key: name === null ? null : String(name),
  }));
}

function userNameOf({ user_name_key: name, email_key: email }: Row = {}): Cell {
  return name ?? email ?? null;
}

/** The locks of a transaction that gives or takes a user its email and user name. */
function* nameLocks(user: Row): Generator<LockRequest, void> {
  const { email_key: email } = user;
  const name = userNameOf(user);
  if (email !== null && email !== undefined) yield emailLock(email);
  if (name !== null) yield userNameLock(name);
}

function insertUsers(
  run: Run,
  { users, keepsIndexes }: { readonly users: readonly Row[]; readonly keepsIndexes: boolean },
): void {
  // The keys of a search are those of PostgreSQL's index. The storage indexes the text itself.
  insertRows(
    run,
    "users",
    users.map(({ keys, ...user }) => user),
  );
  insertNames(run, users);
  if (keepsIndexes)
    indexTexts(
      run,
      users.map(({ id }) => id),
    );
}

function insertNames(run: Run, users: readonly Row[]): Rows {
  const named = users.filter((user) => userNameOf(user) !== null);
  return insertRows(
    run,
    "user_names",
    named.map((user) => ({ name: userNameOf(user), user_id: user.id ?? null })),
  );
}

/** Adds stored users to the index that searches read. */
function indexTexts(run: Run, ids: readonly (Cell | undefined)[]): Rows {
  const text = `INSERT INTO user_search (rowid, text)
    SELECT id, name_fold || char(2) || coalesce(email_fold, '') || char(2) || word_starts FROM users WHERE id ${IDS}`;
  return run(text, JSON.stringify(ids));
}

function countUsers(run: Run, parameters: JsonRows<string, keyof typeof writes.insertAll.scalars>): void {
  run("UPDATE directory SET users = users + ?", parameters.number("userCountChange"));
  const changes = [parameters.number("created"), parameters.number("deleted"), parameters.number("restored")];
  if (changes.every((change) => change === 0)) return;
  run(
    `INSERT INTO daily_users VALUES (?, ?, ?, ?, ?) ON CONFLICT (day, part) DO UPDATE SET created = created + excluded.created,
     deleted = deleted + excluded.deleted, restored = restored + excluded.restored`,
    parameters.text("day"),
    parameters.number("part"),
    ...changes,
  );
}

function removeOutcome(run: Run, caller: unknown, key: unknown, now: number): Rows {
  const text = "DELETE FROM outcomes WHERE caller = ? AND key = ? AND expires_at <= ?";
  return run(text, String(caller), String(key), now);
}
