import type { Membership } from "../../domain/groups/group-store.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";
import { searchText } from "../lists/search-text.ts";
import { Columns, JsonStatement } from "../sql/json-statement.ts";
import type { GroupChanges } from "../writes/in-memory-groups.ts";
import type { MembershipChanges } from "../writes/in-memory-memberships.ts";
import type { PlannedGroup } from "../writes/write-lookups.ts";
import { type IndexedGroup, valuesNotIn } from "../writes/write-transaction.ts";
import {
  changingGroupColumns,
  type GroupValue,
  groupColumns,
  groupSearchColumns,
  groupValueColumns,
  insertGroups,
  newGroupColumns,
  toGroupValues,
} from "./group-statements.ts";
import {
  inStatements,
  MEMBERSHIP_CHARACTERS,
  RECORD_CHARACTERS,
  type Send,
  VALUE_CHARACTERS,
} from "./in-statements.ts";

/** Keeps users from being deleted, and from being locked by the writes of other nodes. Several nodes may keep the same user. */
export const KEEP_USERS =
  "SELECT id FROM roster.users WHERE id = ANY($1::bigint[]) ORDER BY id FOR KEY SHARE";

const SELECT_GROUPS = "SELECT id, version, json, updated_at, changed_by, member_count FROM roster.groups";

/** Every node locks groups after users, by one statement and in the order of their ids, which prevents deadlocks. */
export const LOCK_GROUPS = `${SELECT_GROUPS} WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`;

/** The same for the groups with these ids, or these folded names. */
export const LOCK_MATCHING_GROUPS = `
  ${SELECT_GROUPS} WHERE id = ANY(ARRAY(
    SELECT unnest($1::bigint[])
    UNION
    SELECT id FROM roster.groups WHERE unique_name = ANY(ARRAY(SELECT json_array_elements_text($2::text::json)))
  )) ORDER BY id FOR UPDATE`;

const membershipColumns = new Columns<Membership>([
  { name: "group_id", type: "bigint", value: ({ groupId }) => groupId },
  { name: "user_id", type: "bigint", value: ({ userId }) => userId },
]);

/** Those of the memberships that exist. */
export const findMemberships = new JsonStatement(
  {},
  { memberships: membershipColumns },
  (_, rows) => `
  SELECT m.group_id, m.user_id FROM ${rows("memberships")}
  JOIN roster.memberships m ON m.group_id = t.group_id::bigint AND m.user_id = t.user_id::bigint`,
);

/** The memberships of these users. */
export const FIND_MEMBERSHIPS_OF =
  "SELECT group_id, user_id FROM roster.memberships WHERE user_id = ANY($1::bigint[])";

export const removeMemberships = new JsonStatement(
  {},
  { memberships: membershipColumns },
  (_, rows) => `
  DELETE FROM roster.memberships m USING ${rows("memberships")}
  WHERE m.group_id = t.group_id::bigint AND m.user_id = t.user_id::bigint`,
);

export const insertMemberships = new JsonStatement(
  {},
  { memberships: membershipColumns },
  (_, rows) => `
  INSERT INTO roster.memberships (${membershipColumns.names}) SELECT ${membershipColumns.selection} FROM ${rows("memberships")}`,
);

/** The groups with these folded names. */
export const FIND_GROUP_NAMES = `
  SELECT unique_name, id FROM roster.groups
  WHERE unique_name = ANY(ARRAY(SELECT json_array_elements_text($1::text::json)))`;

/** Takes an id for each create that can succeed. A create with a used name, or with a stored outcome, takes none. */
export const takeGroupIds = new JsonStatement(
  { now: "bigint" },
  {
    creates: new Columns<PlannedGroup>([
      { name: "name", type: "text", value: ({ name }) => name },
      { name: "caller", type: "text", value: ({ idempotencyKey }) => idempotencyKey?.caller ?? null },
      { name: "key", type: "text", value: ({ idempotencyKey }) => idempotencyKey?.key ?? null },
    ]),
  },
  (value, rows) => `
  SELECT nextval('roster.group_ids') FROM ${rows("creates")}
  WHERE NOT EXISTS (SELECT 1 FROM roster.groups g WHERE g.unique_name = t.name)
  AND NOT EXISTS (SELECT 1 FROM roster.outcomes o
                  WHERE o.caller = t.caller AND o.key = t.key AND o.expires_at > ${value("now")})`,
);

export const REMOVE_GROUPS = `
  WITH search AS (DELETE FROM roster.group_search WHERE group_id = ANY($1::bigint[])),
  members AS (INSERT INTO roster.removed_groups SELECT unnest($1::bigint[]))
  DELETE FROM roster.groups WHERE id = ANY($1::bigint[])`;

export const removeGroupValues = new JsonStatement(
  {},
  { values: groupValueColumns },
  (_, rows) => `
  DELETE FROM roster.group_values v USING ${rows("values")}
  WHERE v.field = t.field AND v.value = t.value AND v.group_id = t.group_id::bigint AND v.exact = t.exact`,
);

export const insertGroupValues = new JsonStatement(
  {},
  { values: groupValueColumns },
  (_, rows) => `
  INSERT INTO roster.group_values (${groupValueColumns.names}) SELECT ${groupValueColumns.selection} FROM ${rows("values")}`,
);

export const updateGroups = new JsonStatement(
  {},
  { groups: groupColumns },
  (_, rows) => `
  UPDATE roster.groups g SET ${changingGroupColumns.assignments} FROM ${rows("groups")} WHERE g.id = t.id::bigint`,
);

export const updateGroupSearch = new JsonStatement(
  {},
  { search: groupSearchColumns },
  (_, rows) => `
  UPDATE roster.group_search s SET keys = t.keys::integer[]
  FROM ${rows("search")} WHERE s.group_id = t.group_id::bigint`,
);

export const insertNewGroups = new JsonStatement(
  { now: "bigint" },
  { groups: newGroupColumns },
  (value, rows) => `
  WITH input AS MATERIALIZED (
    SELECT * FROM ${rows("groups")}
  ), ${insertGroups("input", value("now"))} SELECT 1`,
);

export const COUNT_GROUPS =
  "UPDATE roster.user_counts SET groups = groups + $1::bigint WHERE part = $2::integer";

/** Sends the statements that write the groups of a batch, in their order. */
export function* writeGroups(
  { removed, updated, inserted }: GroupChanges,
  { now, part }: { readonly now: number; readonly part: number },
  send: Send,
): Steps<void> {
  if (removed.length > 0) send(REMOVE_GROUPS, [`{${removed.map(({ row }) => row.id).join()}}`]);
  const sendValues = (statement: typeof insertGroupValues) => (lists: GroupValue[][]) =>
    send(statement.text, statement.parameters({}, { values: lists.flat() }));
  yield* inStatements(oldValues({ removed, updated }), sizeOfValues, sendValues(removeGroupValues));
  const changed = updated.map(({ after }) => after);
  yield* inStatements(changed, sizeOfGroup, (groups) =>
    send(updateGroups.text, updateGroups.parameters({}, { groups })),
  );
  const reindexed = updated.filter(
    ({ before, after }) => searchText(before.terms) !== searchText(after.terms),
  );
  yield* inStatements(
    reindexed.map(({ after }) => after),
    sizeOfGroup,
    (search) => send(updateGroupSearch.text, updateGroupSearch.parameters({}, { search })),
  );
  yield* inStatements(inserted, sizeOfGroup, (groups) =>
    send(insertNewGroups.text, insertNewGroups.parameters({ now: String(now) }, { groups })),
  );
  yield* inStatements(newValues({ updated, inserted }), sizeOfValues, sendValues(insertGroupValues));
  const difference = inserted.length - removed.length;
  if (difference !== 0) send(COUNT_GROUPS, [String(difference), String(part)]);
}

function* oldValues({
  removed,
  updated,
}: Pick<GroupChanges, "removed" | "updated">): Generator<GroupValue[]> {
  for (const { row, terms } of removed) yield* someValues(row.id, terms.values);
  for (const { before, after } of updated) {
    yield* someValues(after.row.id, valuesNotIn(before.terms, after.terms));
  }
}

function* newValues({
  updated,
  inserted,
}: Pick<GroupChanges, "updated" | "inserted">): Generator<GroupValue[]> {
  for (const { row, terms } of inserted) yield* someValues(row.id, terms.values);
  for (const { before, after } of updated) {
    yield* someValues(after.row.id, valuesNotIn(after.terms, before.terms));
  }
}

function* someValues(id: number, values: IndexedGroup["terms"]["values"]): Generator<GroupValue[]> {
  if (values.length > 0) yield toGroupValues(id, values);
}

function sizeOfGroup({ row }: IndexedGroup): number {
  return row.json.length + RECORD_CHARACTERS;
}

function sizeOfValues(values: readonly GroupValue[]): number {
  return values.length * VALUE_CHARACTERS;
}

/** Sends the statements that write the memberships of a batch. */
export function* writeMemberships({ removed, added }: MembershipChanges, send: Send): Steps<void> {
  const sendAll = (statement: typeof insertMemberships) => (memberships: Membership[]) =>
    send(statement.text, statement.parameters({}, { memberships }));
  yield* inStatements(removed, () => MEMBERSHIP_CHARACTERS, sendAll(removeMemberships));
  yield* inStatements(added, () => MEMBERSHIP_CHARACTERS, sendAll(insertMemberships));
}
