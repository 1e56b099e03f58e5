import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import type { ValueRow } from "../../domain/lists/value-index.ts";
import type { IndexTerms } from "../../domain/users/user.ts";
import { wordStartsText } from "../lists/search-text.ts";
import type { UniqueValue } from "../schema/unique-values.ts";
import { type Column, Columns, JsonStatement } from "../sql/json-statement.ts";
import type { OwnedValue } from "../writes/in-memory-batch.ts";
import { toStoredIds } from "../writes/stored-ids.ts";
import { type SavedOutcome, userIdOf } from "../writes/stored-outcome.ts";
import type { PlannedCreate } from "../writes/write-lookups.ts";
import type { DatedUser, DeletedUser, IndexedUser } from "../writes/write-transaction.ts";
import { searchKeys } from "./search-keys.ts";

/** A row of `user_values`: an indexed value of a custom field. */
export interface UserValue extends ValueRow {
  readonly userId: number;
}

const idColumn: Column<IndexedUser> = { name: "id", type: "bigint", value: ({ row }) => row.id };

const searchKeysColumn: Column<IndexedUser> = {
  name: "keys",
  type: "integer[]",
  value: ({ row, terms }) => `{${[...searchKeys(row.id, terms)].join()}}`,
};

/** The columns of `users` that an update writes. */
const changingColumns: readonly Column<IndexedUser>[] = [
  { name: "version", type: "bigint", value: ({ row }) => row.version },
  { name: "json", type: "text", value: ({ row }) => row.json },
  { name: "updated_at", type: "bigint", value: ({ row }) => row.updatedAt },
  { name: "changed_by", type: "bigint", value: ({ row }) => row.changedBy },
  { name: "name_fold", type: "text", value: ({ terms }) => terms.nameFold },
  {
    name: "name_key",
    type: "text",
    value: ({ terms }) => (terms.nameKey === terms.nameFold ? null : terms.nameKey),
  },
  { name: "email_fold", type: "text", value: ({ terms }) => terms.emailFold ?? null },
  { name: "email_key", type: "text", value: ({ terms }) => terms.emailKey ?? null },
  { name: "word_starts", type: "text", value: ({ terms }) => wordStartsText(terms) },
  { name: "user_name_key", type: "text", value: ({ row }) => row.userNameKey },
];

const changedUserColumns = new Columns<IndexedUser>(changingColumns);
/** Every column of `users` except `created_at`. */
export const userColumns = new Columns<IndexedUser>([idColumn, ...changingColumns]);
/** Every column of `user_search`. */
export const searchColumns = new Columns<IndexedUser>([{ ...idColumn, name: "user_id" }, searchKeysColumn]);
/** Input of an insert into `users` and `user_search`. */
const newUserColumns = new Columns<IndexedUser>([...userColumns.columns, searchKeysColumn]);
/** The same for users that were created earlier. */
export const earlierUserColumns = new Columns<DatedUser>([
  ...newUserColumns.columns,
  { name: "created_at", type: "bigint", value: ({ createdAt }) => createdAt },
]);

export const userValueColumns = new Columns<UserValue>([
  { name: "field", type: "text", value: ({ field }) => field },
  { name: "value", type: "text", value: ({ value }) => value },
  { name: "user_id", type: "bigint", value: ({ userId }) => userId },
  { name: "exact", type: "text", value: ({ exact }) => exact },
]);

const outcomeColumns = new Columns<SavedOutcome>([
  { name: "caller", type: "text", value: ({ caller }) => caller },
  { name: "key", type: "text", value: ({ key }) => key },
  { name: "fingerprint", type: "text", value: ({ fingerprint }) => fingerprint },
  { name: "outcome", type: "text", value: ({ outcome }) => JSON.stringify(outcome) },
  { name: "expires_at", type: "bigint", value: ({ expiresAt }) => expiresAt },
  { name: "user_id", type: "bigint", value: userIdOf },
]);

const deletedUserColumns = new Columns<DeletedUser>([
  { name: "id", type: "bigint", value: ({ id }) => id },
  { name: "version", type: "bigint", value: ({ version }) => version },
  { name: "json", type: "text", value: ({ json }) => json },
  { name: "deleted_at", type: "bigint", value: ({ deletedAt }) => deletedAt },
  { name: "groups", type: "text", value: ({ groups }) => toStoredIds(groups) },
]);

export function toUserValues(userId: number, values: IndexTerms["values"]): UserValue[] {
  return values.map(({ field, value, exact }) => ({ field, value, userId, exact }));
}

/** Takes an id for each create that can succeed. A create with a used email or user name, or a stored outcome takes none. */
export const takeIds = new JsonStatement(
  { now: "bigint" },
  {
    creates: new Columns<PlannedCreate>([
      { name: "email_key", type: "text", value: ({ emailKey }) => emailKey },
      { name: "user_name", type: "text", value: ({ userName }) => userName },
      { name: "caller", type: "text", value: ({ idempotencyKey }) => idempotencyKey?.caller ?? null },
      { name: "key", type: "text", value: ({ idempotencyKey }) => idempotencyKey?.key ?? null },
    ]),
  },
  (value, rows) => `
  SELECT nextval('roster.user_ids') FROM ${rows("creates")}
  WHERE NOT EXISTS (SELECT 1 FROM roster.users u WHERE u.email_key = t.email_key)
  AND NOT EXISTS (SELECT 1 FROM roster.user_names n WHERE n.name = t.user_name)
  AND NOT EXISTS (SELECT 1 FROM roster.outcomes o
                  WHERE o.caller = t.caller AND o.key = t.key AND o.expires_at > ${value("now")})`,
);

/** Every node locks users in the order of their ids, which prevents deadlocks. */
const SELECT_ROWS = "SELECT id, version, json, updated_at, changed_by, user_name_key FROM roster.users";

export const LOCK_USERS = `${SELECT_ROWS} WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`;

/** The users with one of these ids, or one of these folded emails or user names. */
const MATCHING_IDS = `
  SELECT unnest($1::bigint[])
  UNION
  SELECT id FROM roster.users WHERE email_key = ANY(ARRAY(SELECT json_array_elements_text($2::text::json)))
  UNION
  SELECT user_id FROM roster.user_names WHERE name = ANY(ARRAY(SELECT json_array_elements_text($2::text::json)))`;

export const FIND_USERS = `SELECT id, version, json FROM roster.users WHERE id = ANY(ARRAY(${MATCHING_IDS}))`;

/**
 * The users with these folded emails, and whether they have no other user name; then the users with these user names. Users that
 * have not changed since there are user names have no row in `user_names`.
 */
export const FIND_NAMES = `
  SELECT email_key, id, user_name_key IS NULL FROM roster.users
  WHERE email_key = ANY(ARRAY(SELECT json_array_elements_text($1::text::json)))
  UNION ALL
  SELECT name, user_id, NULL FROM roster.user_names
  WHERE name = ANY(ARRAY(SELECT json_array_elements_text($1::text::json)))`;

/** Also deletes the expired outcomes of these keys. */
export const findOutcomes = new JsonStatement(
  { now: "bigint" },
  {
    keys: new Columns<IdempotencyKey>([
      { name: "caller", type: "text", value: ({ caller }) => caller },
      { name: "key", type: "text", value: ({ key }) => key },
    ]),
  },
  (value, rows) => `
  WITH requested AS MATERIALIZED (SELECT * FROM ${rows("keys")}),
  expired AS (DELETE FROM roster.outcomes o USING requested r
              WHERE o.caller = r.caller AND o.key = r.key AND o.expires_at <= ${value("now")})
  SELECT o.caller, o.key, o.fingerprint, o.outcome, o.expires_at FROM requested r
  JOIN roster.outcomes o ON o.caller = r.caller AND o.key = r.key AND o.expires_at > ${value("now")}`,
);

export const REMOVE_USERS = `
  WITH search AS (DELETE FROM roster.user_search WHERE user_id = ANY($1::bigint[]))
  DELETE FROM roster.users WHERE id = ANY($1::bigint[])`;

export const removeValues = new JsonStatement(
  {},
  { values: userValueColumns },
  (_, rows) => `
  DELETE FROM roster.user_values v USING ${rows("values")}
  WHERE v.field = t.field AND v.value = t.value AND v.user_id = t.user_id::bigint AND v.exact = t.exact`,
);

const owned = new Columns<OwnedValue>([
  { name: "field", type: "text", value: ({ field }) => field },
  { name: "value", type: "text", value: ({ value }) => value },
  { name: "user_id", type: "bigint", value: ({ userId }) => userId },
]);

const requested = new Columns<UniqueValue>([
  { name: "field", type: "text", value: ({ field }) => field },
  { name: "value", type: "text", value: ({ value }) => value },
]);

/** The owners of values of unique fields. */
export const findValues = new JsonStatement(
  {},
  { values: requested },
  (_, rows) => `
  SELECT u.field, u.value, u.user_id FROM ${rows("values")}
  JOIN roster.unique_values u ON u.field = t.field AND u.value = t.value`,
);

/** Locks the users with these ids, or these folded emails or user names (a JSON array), or with one of these unique values. */
export const lockMatchingUsers = new JsonStatement(
  { ids: "bigint[]", names: "text" },
  { values: requested },
  (_, rows) => `
  ${SELECT_ROWS} WHERE id = ANY(ARRAY(
    ${MATCHING_IDS}
    UNION
    SELECT u.user_id FROM ${rows("values")}
    JOIN roster.unique_values u ON u.field = t.field AND u.value = t.value)) ORDER BY id FOR UPDATE`,
);

export const removeUniqueValues = new JsonStatement(
  {},
  { values: owned },
  (_, rows) => `
  DELETE FROM roster.unique_values u USING ${rows("values")}
  WHERE u.field = t.field AND u.value = t.value AND u.user_id = t.user_id::bigint`,
);

export const insertUniqueValues = new JsonStatement(
  {},
  { values: owned },
  (_, rows) => `
  INSERT INTO roster.unique_values (${owned.names}) SELECT ${owned.selection} FROM ${rows("values")}`,
);

export const updateUsers = new JsonStatement(
  {},
  { users: userColumns },
  (_, rows) => `
  UPDATE roster.users u SET ${changedUserColumns.assignments} FROM ${rows("users")} WHERE u.id = t.id::bigint`,
);

export const updateSearch = new JsonStatement(
  {},
  { search: searchColumns },
  (_, rows) => `
  UPDATE roster.user_search s SET keys = t.keys::integer[]
  FROM ${rows("search")} WHERE s.user_id = t.user_id::bigint`,
);

/**
 * Inserts the rows of `input` into `users`, `user_names` and `user_search`, as parts of a WITH clause. In the order of names: nodes that
 * insert the same names then wait for each other in one direction only.
 */
export function insertUsers(createdAt: string): string {
  return `users AS (
    INSERT INTO roster.users (${userColumns.names}, created_at) SELECT ${userColumns.selection}, ${createdAt} FROM input
  ), names AS (
    INSERT INTO roster.user_names SELECT coalesce(user_name_key, email_key), id::bigint FROM input
    WHERE coalesce(user_name_key, email_key) IS NOT NULL ORDER BY 1
  ), search AS (
    INSERT INTO roster.user_search SELECT id::bigint, keys::integer[] FROM input
  )`;
}

/** All inserts of a batch in one statement: users, their index rows, outcomes, and the counts of users. */
export const insertAll = new JsonStatement(
  {
    now: "bigint",
    userCountChange: "bigint",
    part: "integer",
    day: "text",
    created: "bigint",
    deleted: "bigint",
    restored: "bigint",
  },
  { users: newUserColumns, values: userValueColumns, outcomes: outcomeColumns },
  (value, rows) => `
  WITH input AS MATERIALIZED (
    SELECT * FROM ${rows("users")}
  ), ${insertUsers(value("now"))}, custom_fields AS (
    INSERT INTO roster.user_values (${userValueColumns.names}) SELECT ${userValueColumns.selection} FROM ${rows("values")}
  ), saved AS (
    INSERT INTO roster.outcomes (${outcomeColumns.names}) SELECT ${outcomeColumns.selection} FROM ${rows("outcomes")}
  ), counted AS (
    INSERT INTO roster.daily_users AS d (day, part, created, deleted, restored)
    SELECT ${value("day")}, ${value("part")}, ${value("created")}, ${value("deleted")}, ${value("restored")}
    WHERE ${value("part")} >= 0 AND ${value("created")} + ${value("deleted")} + ${value("restored")} > 0
    ON CONFLICT (day, part) DO UPDATE SET created = d.created + excluded.created,
      deleted = d.deleted + excluded.deleted, restored = d.restored + excluded.restored
  )
  UPDATE roster.user_counts SET users = users + ${value("userCountChange")} WHERE part = ${value("part")}`,
);

/** Users that were created earlier: restored ones, and those that the batch created and changed. */
export const insertEarlierUsers = new JsonStatement(
  {},
  { users: earlierUserColumns },
  (_, rows) => `
  WITH input AS MATERIALIZED (
    SELECT * FROM ${rows("users")}
  ), ${insertUsers("created_at::bigint")} SELECT 1`,
);

export const LOCK_DELETED_USERS = `
  SELECT id, version, json, deleted_at, groups FROM roster.deleted_users WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`;

export const DROP_DELETED_USERS = "DELETE FROM roster.deleted_users WHERE id = ANY($1::bigint[])";

export const keepDeletedUsers = new JsonStatement(
  {},
  { users: deletedUserColumns },
  (_, rows) => `
  INSERT INTO roster.deleted_users (${deletedUserColumns.names})
  SELECT ${deletedUserColumns.selection} FROM ${rows("users")}`,
);

/** $1: ids of users; $2 and $3: what remains of the changes and the record; $4: what remains of an outcome. */
export const ERASE_USERS = `
  WITH outcomes AS (UPDATE roster.outcomes SET outcome = $4 WHERE user_id = ANY($1::bigint[])),
  responses AS (DELETE FROM roster.webhook_responses WHERE user_id = ANY($1::bigint[]))
  UPDATE roster.events SET changes = $2, record = $3
  WHERE subject_type = 'user' AND subject_id = ANY($1::bigint[]) AND record <> $3`;

export const CLEAR_OUTCOMES = `
  DELETE FROM roster.outcomes WHERE (caller, key) IN
  (SELECT caller, key FROM roster.outcomes WHERE expires_at <= $1::bigint ORDER BY expires_at LIMIT $2::bigint)`;
