import type { Database } from "bun:sqlite";
import { wordStartsText } from "../lists/search-text.ts";
import type { StoredActor } from "../sql/stored-actor.ts";
import type { IndexedUser } from "../writes/write-transaction.ts";

/** Columns derived from a record: name_fold, name_key, email_fold, email_key, word_starts, user_name_key. */
type TermColumns = [string, string | null, string | null, string | null, string, string | null];

export function termColumns({ row: { userNameKey }, terms }: IndexedUser): TermColumns {
  const { nameFold, nameKey, emailFold = null, emailKey = null } = terms;
  const nameColumns = [nameFold, nameKey === nameFold ? null : nameKey] as const;
  return [...nameColumns, emailFold, emailKey, wordStartsText(terms), userNameKey];
}

/** Statements that insert a user and its index rows. `onConflict` applies if the email is already in use. */
export function prepareInserts(db: Database, onConflict: string) {
  return {
    user: db.prepare<void, [number, number, string, number, number, StoredActor, ...TermColumns]>(
      `INSERT INTO users (id, version, json, created_at, updated_at, changed_by, name_fold, name_key, email_fold, email_key,
       word_starts, user_name_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ${onConflict}`,
    ),
    name: db.prepare<void, [string, number]>("INSERT INTO user_names VALUES (?, ?)"),
    value: db.prepare<void, [string, string, number, string]>("INSERT INTO user_values VALUES (?, ?, ?, ?)"),
    search: db.prepare<void, [number, string]>("INSERT INTO user_search (rowid, text) VALUES (?, ?)"),
  };
}

/** Finds a user by its user name, given twice. Users that have not changed since there are user names have no row there. */
export const FIND_BY_NAME = `SELECT user_id AS id FROM user_names WHERE name = ?
  UNION ALL SELECT id FROM users WHERE email_key = ? AND user_name_key IS NULL LIMIT 1`;

interface DirectoryRow {
  last_id: number;
  users: number;
  last_group_id: number;
  groups: number;
  collecting: string | null;
  schema_version: number | null;
}

/** Every statement of the writer, prepared once. */
export function prepareWrites(db: Database) {
  const inserts = prepareInserts(db, "ON CONFLICT (email_key) WHERE email_key IS NOT NULL DO NOTHING");
  return {
    directory: {
      read: db.prepare<DirectoryRow, []>(
        `SELECT last_id, users, last_group_id, groups, collecting, (SELECT max(version) FROM schema_versions) AS schema_version
         FROM directory`,
      ),
      readSchema: db.prepare<{ json: string }, [number]>(
        "SELECT json FROM schema_versions WHERE version = ?",
      ),
      update: db.prepare<void, [number, number]>("UPDATE directory SET last_id = ?, users = ?"),
      addUsers: db.prepare<void, [number]>("UPDATE directory SET users = users + ?"),
    },
    daily: {
      add: db.prepare<void, [string, number, number, number]>(
        `INSERT INTO daily_users VALUES (?, 0, ?, ?, ?) ON CONFLICT (day, part) DO UPDATE SET
         created = created + excluded.created, deleted = deleted + excluded.deleted, restored = restored + excluded.restored`,
      ),
    },
    users: {
      read: db.prepare<
        {
          version: number;
          updated_at: number;
          changed_by: StoredActor;
          json: string;
          user_name_key: string | null;
        },
        [number]
      >("SELECT version, updated_at, changed_by, json, user_name_key FROM users WHERE id = ?"),
      findByEmail: db.prepare<{ id: number }, [string]>("SELECT id FROM users WHERE email_key = ?"),
      insert: inserts.user,
      update: db.prepare<void, [number, string, number, StoredActor, ...TermColumns, number]>(
        `UPDATE users SET version = ?, json = ?, updated_at = ?, changed_by = ?, name_fold = ?, name_key = ?, email_fold = ?,
         email_key = ?, word_starts = ?, user_name_key = ? WHERE id = ?`,
      ),
      remove: db.prepare<void, [number]>("DELETE FROM users WHERE id = ?"),
    },
    deletedUsers: {
      read: db.prepare<{ version: number; json: string; deleted_at: number }, [number]>(
        "SELECT version, json, deleted_at FROM deleted_users WHERE id = ?",
      ),
      insert: db.prepare<void, [number, number, string, number]>(
        "INSERT INTO deleted_users VALUES (?, ?, ?, ?)",
      ),
      remove: db.prepare<void, [number]>("DELETE FROM deleted_users WHERE id = ?"),
      eraseEvents: db.prepare<void, [string, string, number, string]>(
        `UPDATE events SET changes = ?, record = ? WHERE subject_type = 'user' AND subject_id = ? AND record <> ?`,
      ),
      eraseOutcomes: db.prepare<void, [string, number]>("UPDATE outcomes SET outcome = ? WHERE user_id = ?"),
      eraseResponses: db.prepare<void, [number]>("DELETE FROM webhook_responses WHERE user_id = ?"),
    },
    values: {
      insert: inserts.value,
      remove: db.prepare<void, [string, string, number, string]>(
        "DELETE FROM user_values WHERE field = ? AND value = ? AND user_id = ? AND exact = ?",
      ),
    },
    names: {
      find: db.prepare<{ id: number }, [string, string]>(FIND_BY_NAME),
      findOtherWithoutRow: db.prepare<{ id: number }, [string, number]>(
        "SELECT id FROM users WHERE email_key = ? AND user_name_key IS NULL AND id <> ?",
      ),
      insert: db.prepare<void, [string, number]>(
        "INSERT INTO user_names VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
      ),
      remove: db.prepare<void, [string, number]>("DELETE FROM user_names WHERE name = ? AND user_id = ?"),
    },
    uniqueValues: {
      find: db.prepare<{ user_id: number }, [string, string]>(
        "SELECT user_id FROM unique_values WHERE field = ? AND value = ?",
      ),
      insert: db.prepare<void, [string, string, number]>(
        "INSERT INTO unique_values (field, value, user_id) VALUES (?, ?, ?) ON CONFLICT (field, value) DO NOTHING",
      ),
      remove: db.prepare<void, [string, string, number]>(
        "DELETE FROM unique_values WHERE field = ? AND value = ? AND user_id = ?",
      ),
    },
    search: {
      insert: inserts.search,
      remove: db.prepare<void, [number]>("DELETE FROM user_search WHERE rowid = ?"),
      merge: db.prepare<void, [number]>("INSERT INTO user_search (user_search, rank) VALUES ('merge', ?)"),
    },
    outcomes: {
      find: db.prepare<
        { fingerprint: string; outcome: string; expires_at: number },
        [string, string, number]
      >(
        "SELECT fingerprint, outcome, expires_at FROM outcomes WHERE caller = ? AND key = ? AND expires_at > ?",
      ),
      save: db.prepare<void, [string, string, string, string, number, number | null]>(
        "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?)",
      ),
      clear: db.prepare<void, [number, number]>(
        `DELETE FROM outcomes WHERE (caller, key) IN
         (SELECT caller, key FROM outcomes WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      ),
    },
  };
}
