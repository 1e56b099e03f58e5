/** Columns come as JSON arrays, one a parameter: that costs both sides least. */
export function columns(first: number, ...names: readonly string[]): string {
  const lists = names.map((_, index) => `json_array_elements_text($${first + index}::text::json)`);
  return `ROWS FROM (${lists.join(", ")}) AS t (${names.join(", ")})`;
}

const termColumns = ["name_fold", "name_key", "email_fold", "email_key", "word_starts"] as const;

/**
 * New ids, for creates that could succeed as things are: by email, and by caller and key. What is refused uses no id up.
 */
export const TAKE_IDS = `
  SELECT nextval('roster.user_ids') FROM ${columns(1, "email_key", "caller", "key")}
  WHERE NOT EXISTS (SELECT 1 FROM roster.users u WHERE u.email_key = t.email_key)
  AND NOT EXISTS (SELECT 1 FROM roster.outcomes o
                  WHERE o.caller = t.caller AND o.key = t.key AND o.expires_at > $4::bigint)`;

/** In order, as every node locks them: none then waits for one that waits for it. */
export const LOCK_USERS = `
  SELECT id, version, json, updated_at, changed_by FROM roster.users WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`;

export const FIND_EMAILS = `
  SELECT email_key, id FROM roster.users
  WHERE email_key = ANY(ARRAY(SELECT json_array_elements_text($1::text::json)))`;

/** Outcomes past their time make room on the way. */
export const FIND_OUTCOMES = `
  WITH asked AS MATERIALIZED (SELECT * FROM ${columns(1, "caller", "key")}),
  gone AS (DELETE FROM roster.outcomes o USING asked t
           WHERE o.caller = t.caller AND o.key = t.key AND o.expires_at <= $3::bigint)
  SELECT o.caller, o.key, o.fingerprint, o.outcome, o.expires_at FROM asked t
  JOIN roster.outcomes o ON o.caller = t.caller AND o.key = t.key AND o.expires_at > $3::bigint`;

/** Users by $1, with who removed each by $2, at $3. */
export const REMOVE_USERS = `
  WITH gone AS (DELETE FROM roster.user_search WHERE user_id = ANY($1::bigint[])),
  noted AS (INSERT INTO roster.removals SELECT user_id, $3::bigint, removed_by
            FROM unnest($1::bigint[], $2::bigint[]) AS t (user_id, removed_by))
  DELETE FROM roster.users WHERE id = ANY($1::bigint[])`;

export const REMOVE_VALUES = `
  DELETE FROM roster.user_values v USING ${columns(1, "field", "value", "user_id")}
  WHERE v.field = t.field AND v.value = t.value AND v.user_id = t.user_id::bigint`;

export const UPDATE_USERS = `
  UPDATE roster.users u
  SET version = t.version::bigint, json = t.json, updated_at = t.updated_at::bigint, changed_by = t.changed_by::bigint,
      ${termColumns.map((column) => `${column} = t.${column}`).join(", ")}
  FROM ${columns(1, "id", "version", "json", "updated_at", "changed_by", ...termColumns)}
  WHERE u.id = t.id::bigint`;

export const UPDATE_SEARCH = `
  UPDATE roster.user_search s SET keys = t.keys::integer[]
  FROM ${columns(1, "user_id", "keys")} WHERE s.user_id = t.user_id::bigint`;

/** What has to be known of a user to insert it, beside when it was created. */
export const userInput = [
  "id",
  "version",
  "json",
  "updated_at",
  "changed_by",
  ...termColumns,
  "keys",
] as const;

/** Adds the users of `input`, and what finds them by searching. */
export function insertUsers(createdAt: string): string {
  return `users AS (
    INSERT INTO roster.users (id, version, json, created_at, updated_at, changed_by, ${termColumns.join(", ")})
    SELECT id::bigint, version::bigint, json, ${createdAt}, updated_at::bigint, changed_by::bigint,
           ${termColumns.join(", ")} FROM input
  ), search AS (
    INSERT INTO roster.user_search SELECT id::bigint, keys::integer[] FROM input
  )`;
}

/** Everything that a batch adds, in one statement: users, what finds them, outcomes, and the count. */
export const INSERT_ALL = `
  WITH input AS MATERIALIZED (
    SELECT * FROM ${columns(1, ...userInput)}
  ), ${insertUsers("$12::bigint")}, own AS (
    INSERT INTO roster.user_values SELECT field, value, user_id::bigint
    FROM ${columns(13, "field", "value", "user_id")}
  ), kept AS (
    INSERT INTO roster.outcomes SELECT caller, key, fingerprint, outcome, expires_at::bigint
    FROM ${columns(16, "caller", "key", "fingerprint", "outcome", "expires_at")}
  )
  UPDATE roster.user_counts SET users = users + $21::bigint WHERE part = $22::integer`;

export const CLEAR_OUTCOMES = `
  DELETE FROM roster.outcomes WHERE (caller, key) IN
  (SELECT caller, key FROM roster.outcomes WHERE expires_at <= $1::bigint ORDER BY expires_at LIMIT $2::bigint)`;
