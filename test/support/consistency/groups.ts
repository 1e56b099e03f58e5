import { groupTerms, parseGroup } from "../../../src/domain/groups/group.ts";
import type { Engine } from "../engines.ts";
import { findValueErrors } from "./value-rows.ts";

/** Queries about the memberships. Each returns 0. */
const membershipDifferences = (schema: string) => [
  `SELECT count(*) FROM ${schema}groups g
   WHERE member_count <> (SELECT count(*) FROM ${schema}memberships m WHERE m.group_id = g.id)`,
  // The rows of removed groups are removed in steps, and those of their users with them.
  `SELECT count(*) FROM ${schema}memberships m
   WHERE user_id NOT IN (SELECT id FROM ${schema}users) AND group_id NOT IN (SELECT id FROM ${schema}removed_groups)`,
  `SELECT count(*) FROM ${schema}memberships m
   WHERE group_id NOT IN (SELECT id FROM ${schema}groups) AND group_id NOT IN (SELECT id FROM ${schema}removed_groups)`,
  `SELECT count(*) FROM ${schema}removed_groups WHERE id IN (SELECT id FROM ${schema}groups)`,
];

/** The rows that name users in `member_events`, which are missing or left over. The select has the user and the position of each. */
const memberEventDifference = (schema: string, named: string) => `
  SELECT count(*) FROM (
    SELECT user_id, position FROM (SELECT DISTINCT user_id, position FROM (${named}) AS named
      UNION ALL SELECT user_id, position FROM ${schema}member_events) AS both_sides
    GROUP BY user_id, position HAVING count(*) <> 2) AS different`;

/** Queries about the indexes, the number and the members of groups. Each returns 0. */
export const GROUP_DIFFERENCES: Record<Engine, readonly string[]> = {
  sqlite: [
    "SELECT groups - (SELECT count(*) FROM groups) FROM directory",
    "SELECT count(*) FROM groups WHERE id > (SELECT last_group_id FROM directory)",
    "SELECT count(*) - (SELECT count(*) FROM groups) FROM group_search_docsize",
    "SELECT count(*) FROM group_search_docsize WHERE id NOT IN (SELECT id FROM groups)",
    ...membershipDifferences(""),
    memberEventDifference(
      "",
      `SELECT m.value AS user_id, e.position FROM events e, json_tree(e.changes, '$.members') m
       WHERE e.subject_type = 'group' AND e.action = 'members_changed' AND m.type = 'integer'`,
    ),
  ],
  postgres: [
    "SELECT sum(groups) - (SELECT count(*) FROM roster.groups) FROM roster.user_counts",
    "SELECT count(*) FROM roster.groups WHERE id > (SELECT last_value FROM roster.group_ids)",
    "SELECT count(*) - (SELECT count(*) FROM roster.groups) FROM roster.group_search",
    "SELECT count(*) FROM roster.group_search WHERE group_id NOT IN (SELECT id FROM roster.groups)",
    ...membershipDifferences("roster."),
    memberEventDifference(
      "roster.",
      `SELECT id::bigint AS user_id, position
       FROM roster.events, jsonb_path_query(changes::jsonb, '$.members.*[*]') AS id
       WHERE subject_type = 'group' AND action = 'members_changed'`,
    ),
  ],
};

export const GROUP_VALUES = "SELECT group_id, field, value, exact FROM";
export const GROUPS = "SELECT id, json, version, member_count, unique_name FROM";

type Rows = readonly (readonly unknown[])[];

/** Compares the columns and the values of groups, as the queries above return them, with the JSON of the groups. Returns what is wrong. */
export function findGroupErrors(groups: Rows, values: Rows): string[] {
  const errors = groups.flatMap(([id, json, ...columns]) => {
    const { record } = parseGroup(String(json));
    const { id: ownId, version, memberCount } = JSON.parse(String(json));
    const expected = [ownId, version, memberCount, groupTerms(record).uniqueName];
    // PostgreSQL returns numbers as text.
    return String([id, ...columns]) === String(expected)
      ? []
      : [`Group ${id} has other columns than its JSON`];
  });
  return [...errors, ...findValueErrors("group", groups, values)];
}
