import * as groups from "../../../src/store/postgres/group-changes.ts";
import { changingGroupColumns } from "../../../src/store/postgres/group-statements.ts";
import {
  type Execution,
  exclusive,
  type Handler,
  IDS,
  idsOf,
  insertRows,
  pick,
  type Row,
  toNumbers,
} from "./execution.ts";
import { JsonRows } from "./json-rows.ts";
import type { LockRequest } from "./locks.ts";
import type { Cell, Run } from "./transactions.ts";

/** Others may keep the user too; nobody can change or remove it. PostgreSQL would allow changes. */
const keepUser = (id: number): LockRequest => ({ key: `user ${id}`, mode: "shared" });
const groupLock = (id: Cell | undefined) => exclusive(`group ${id}`);
/** A transaction that takes or frees a name keeps other transactions from taking it: they wait for its end. */
const nameLock = (name: Cell | undefined) => exclusive(`group name ${name}`);

/** Locks the groups that exist, in the order of their ids. */
function* lockGroups({ read }: Execution, ids: readonly number[]) {
  const found = toNumbers(read(`SELECT id FROM groups WHERE id ${IDS} ORDER BY id`, JSON.stringify(ids)));
  for (const id of found) yield groupLock(id);
  return read(
    `SELECT id, version, json, updated_at, changed_by, member_count FROM groups WHERE id ${IDS} ORDER BY id`,
    JSON.stringify(found),
  );
}

/** Statements on groups that a read-only server accepts. */
export const groupReaders: readonly (readonly [string, Handler])[] = [
  [
    groups.FIND_GROUP_NAMES,
    ({ read, values }) =>
      read(`SELECT unique_name, id FROM groups WHERE unique_name ${IDS}`, values[0] ?? "[]"),
  ],
  [
    groups.findMemberships.text,
    ({ read, values }) => {
      const find = "SELECT group_id, user_id FROM memberships WHERE group_id = ? AND user_id = ?";
      const rows = new JsonRows(groups.findMemberships, values).rows("memberships");
      return rows.flatMap((row) => read(find, ...pick(row, ["group_id", "user_id"])));
    },
  ],
  [
    groups.FIND_MEMBERSHIPS_OF,
    ({ read, values }) => {
      const ids = JSON.stringify(idsOf(values[0]));
      return read(`SELECT group_id, user_id FROM memberships WHERE user_id ${IDS}`, ids);
    },
  ],
];

/** Statements on groups that a read-only server rejects. */
export const groupWriters: readonly (readonly [string, Handler])[] = [
  [
    groups.KEEP_USERS,
    function* ({ read, values }) {
      const ids = JSON.stringify(idsOf(values[0]));
      const found = toNumbers(read(`SELECT id FROM users WHERE id ${IDS} ORDER BY id`, ids));
      for (const id of found) yield keepUser(id);
      return read(`SELECT id FROM users WHERE id ${IDS} ORDER BY id`, JSON.stringify(found));
    },
  ],
  [
    groups.LOCK_GROUPS,
    function* (execution) {
      return yield* lockGroups(execution, idsOf(execution.values[0]));
    },
  ],
  [
    groups.LOCK_MATCHING_GROUPS,
    function* (execution) {
      const { read, values } = execution;
      const withNames = read(`SELECT id FROM groups WHERE unique_name ${IDS}`, values[1] ?? "[]");
      return yield* lockGroups(execution, [...idsOf(values[0]), ...toNumbers(withNames)]);
    },
  ],
  [
    groups.removeMemberships.text,
    ({ write, values }) => {
      const rows = new JsonRows(groups.removeMemberships, values).rows("memberships");
      const text = "DELETE FROM memberships WHERE group_id = ? AND user_id = ?";
      return write((run) => rows.flatMap((row) => run(text, ...pick(row, ["group_id", "user_id"]))));
    },
  ],
  [
    groups.insertMemberships.text,
    ({ write, values }) => {
      const rows = new JsonRows(groups.insertMemberships, values).rows("memberships");
      return write((run) => insertRows(run, "memberships", rows));
    },
  ],
  [
    groups.takeGroupIds.text,
    ({ read, values, sequences }) => {
      const parameters = new JsonRows(groups.takeGroupIds, values);
      const outcome = "SELECT 1 FROM outcomes WHERE caller = ? AND key = ? AND expires_at > ?";
      const free = parameters.rows("creates").filter(({ name = null, caller = null, key = null }) => {
        const isTaken = name !== null && read("SELECT 1 FROM groups WHERE unique_name = ?", name).length > 0;
        const hasOutcome = caller !== null && read(outcome, caller, key, parameters.number("now")).length > 0;
        return !isTaken && !hasOutcome;
      });
      return free.map(() => [++sequences.groupIds]);
    },
  ],
  [
    groups.REMOVE_GROUPS,
    function* ({ read, write, values, keepsIndexes }) {
      const ids = JSON.stringify(idsOf(values[0]));
      for (const [id, name] of read(`SELECT id, unique_name FROM groups WHERE id ${IDS} ORDER BY id`, ids)) {
        yield groupLock(Number(id));
        yield nameLock(String(name));
      }
      return write((run) => {
        if (keepsIndexes) run(`DELETE FROM group_search WHERE rowid ${IDS}`, ids);
        run("INSERT INTO removed_groups SELECT value FROM json_each(?)", ids);
        return run(`DELETE FROM groups WHERE id ${IDS}`, ids);
      });
    },
  ],
  [
    groups.updateGroups.text,
    function* ({ read, write, values }) {
      const changed = new JsonRows(groups.updateGroups, values).rows("groups");
      for (const group of changed) {
        yield groupLock(group.id);
        const [before] = read("SELECT unique_name FROM groups WHERE id = ?", group.id ?? null);
        const name = String(before?.[0]);
        if (name !== group.unique_name) for (const each of [name, group.unique_name]) yield nameLock(each);
      }
      const names = changingGroupColumns.columns.map(({ name }) => name);
      const text = `UPDATE groups SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`;
      return write((run) => changed.flatMap((group) => run(text, ...pick(group, [...names, "id"]))));
    },
  ],
  [
    groups.updateGroupSearch.text,
    ({ write, values, keepsIndexes }) => {
      if (!keepsIndexes) return [];
      const ids = new JsonRows(groups.updateGroupSearch, values).rows("search").map((row) => row.group_id);
      return write((run) => {
        run(`DELETE FROM group_search WHERE rowid ${IDS}`, JSON.stringify(ids));
        return indexTexts(run, ids);
      });
    },
  ],
  [
    groups.insertNewGroups.text,
    function* ({ write, values, keepsIndexes }) {
      const parameters = new JsonRows(groups.insertNewGroups, values);
      const inserted = parameters.rows("groups");
      yield* lockNewGroups(inserted);
      return write((run) => {
        const created_at = parameters.number("now");
        insertRows(
          run,
          "groups",
          inserted.map(({ keys, ...group }) => ({ ...group, created_at })),
        );
        if (keepsIndexes)
          indexTexts(
            run,
            inserted.map(({ id }) => id),
          );
        return [["1"]];
      });
    },
  ],
  [
    groups.removeGroupValues.text,
    ({ write, values, keepsIndexes }) => {
      if (!keepsIndexes) return [];
      const rows = new JsonRows(groups.removeGroupValues, values).rows("values");
      const text = "DELETE FROM group_values WHERE field = ? AND value = ? AND group_id = ? AND exact = ?";
      return write((run) =>
        rows.flatMap((row) => run(text, ...pick(row, ["field", "value", "group_id", "exact"]))),
      );
    },
  ],
  [
    groups.insertGroupValues.text,
    ({ write, values, keepsIndexes }) => {
      if (!keepsIndexes) return [];
      const rows = new JsonRows(groups.insertGroupValues, values).rows("values");
      return write((run) => insertRows(run, "group_values", rows));
    },
  ],
  [
    groups.COUNT_GROUPS,
    function* ({ write, values }) {
      const [difference = 0, part] = values.map(Number);
      yield exclusive(`count ${part}`);
      return write((run) => run("UPDATE directory SET groups = groups + ?", difference));
    },
  ],
];

function* lockNewGroups(inserted: readonly Row[]): Generator<LockRequest, void> {
  for (const { id } of inserted) yield groupLock(id);
  for (const name of inserted.map(({ unique_name: name }) => String(name)).sort()) yield nameLock(name);
}

/** Adds stored groups to the index that searches read. */
function indexTexts(run: Run, ids: readonly (Cell | undefined)[]): unknown[][] {
  const text = `INSERT INTO group_search (rowid, text)
    SELECT id, name_fold || char(2) || char(2) || word_starts FROM groups WHERE id ${IDS}`;
  return run(text, JSON.stringify(ids));
}
