import type { ValueRow } from "../../domain/lists/value-index.ts";
import { wordStartsText } from "../lists/search-text.ts";
import { type Column, Columns } from "../sql/json-statement.ts";
import type { DatedGroup, IndexedGroup } from "../writes/write-transaction.ts";
import { searchKeysText } from "./search-keys.ts";

/** A row of `group_values`: an indexed value of a custom field. */
export interface GroupValue extends ValueRow {
  readonly groupId: number;
}

const idColumn: Column<IndexedGroup> = { name: "id", type: "bigint", value: ({ row }) => row.id };

const searchKeysColumn: Column<IndexedGroup> = {
  name: "keys",
  type: "integer[]",
  value: ({ row, terms }) => searchKeysText(row.id, terms),
};

/** The columns of `groups` that an update writes. */
export const changingGroupColumns = new Columns<IndexedGroup>([
  { name: "version", type: "bigint", value: ({ row }) => row.version },
  { name: "json", type: "text", value: ({ row }) => row.json },
  { name: "updated_at", type: "bigint", value: ({ row }) => row.updatedAt },
  { name: "changed_by", type: "bigint", value: ({ row }) => row.changedBy },
  { name: "member_count", type: "bigint", value: ({ row }) => row.memberCount },
  { name: "name_fold", type: "text", value: ({ terms }) => terms.nameFold },
  {
    name: "name_key",
    type: "text",
    value: ({ terms }) => (terms.nameKey === terms.nameFold ? null : terms.nameKey),
  },
  { name: "unique_name", type: "text", value: ({ terms }) => terms.uniqueName },
  { name: "word_starts", type: "text", value: ({ terms }) => wordStartsText(terms) },
]);

/** Every column of `groups` except `created_at`. */
export const groupColumns = new Columns<IndexedGroup>([idColumn, ...changingGroupColumns.columns]);
/** Every column of `group_search`. */
export const groupSearchColumns = new Columns<IndexedGroup>([
  { ...idColumn, name: "group_id" },
  searchKeysColumn,
]);
/** Input of an insert into `groups` and `group_search`. */
export const newGroupColumns = new Columns<IndexedGroup>([...groupColumns.columns, searchKeysColumn]);
/** The same for groups that were created earlier. */
export const earlierGroupColumns = new Columns<DatedGroup>([
  ...newGroupColumns.columns,
  { name: "created_at", type: "bigint", value: ({ createdAt }) => createdAt },
]);

export const groupValueColumns = new Columns<GroupValue>([
  { name: "field", type: "text", value: ({ field }) => field },
  { name: "value", type: "text", value: ({ value }) => value },
  { name: "group_id", type: "bigint", value: ({ groupId }) => groupId },
  { name: "exact", type: "text", value: ({ exact }) => exact },
]);

export function toGroupValues(groupId: number, values: readonly ValueRow[]): GroupValue[] {
  return values.map(({ field, value, exact }) => ({ field, value, groupId, exact }));
}

/**
 * Inserts the rows of `input` into `groups` and `group_search`, as parts of a WITH clause. In the order of names: nodes that insert the
 * same names then wait for each other in one direction only.
 */
export function insertGroups(input: string, createdAt: string): string {
  return `inserted_groups AS (
    INSERT INTO roster.groups (${groupColumns.names}, created_at)
    SELECT ${groupColumns.selection}, ${createdAt} FROM ${input} ORDER BY unique_name
  ), group_words AS (
    INSERT INTO roster.group_search SELECT id::bigint, keys::integer[] FROM ${input}
  )`;
}
