import type { Database } from "bun:sqlite";
import type { GroupTerms } from "../../domain/groups/group.ts";
import { wordStartsText } from "../lists/search-text.ts";
import type { StoredActor } from "../sql/stored-actor.ts";

/** Columns derived from a group's record: name_fold, name_key, unique_name, word_starts. */
export type GroupColumns = [string, string | null, string, string];

export function groupColumns(terms: GroupTerms): GroupColumns {
  const { nameFold, nameKey, uniqueName } = terms;
  return [nameFold, nameKey === nameFold ? null : nameKey, uniqueName, wordStartsText(terms)];
}

/** Statements that insert a group and its index rows. `onConflict` applies if the name is already in use. */
export function prepareGroupInserts(db: Database, onConflict: string) {
  return {
    group: db.prepare<void, [number, number, string, number, number, StoredActor, number, ...GroupColumns]>(
      `INSERT INTO groups (id, version, json, created_at, updated_at, changed_by, member_count, name_fold, name_key, unique_name,
       word_starts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ${onConflict}`,
    ),
    value: db.prepare<void, [string, string, number, string]>("INSERT INTO group_values VALUES (?, ?, ?, ?)"),
    search: db.prepare<void, [number, string]>("INSERT INTO group_search (rowid, text) VALUES (?, ?)"),
  };
}
