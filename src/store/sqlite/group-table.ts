import type { Database } from "bun:sqlite";
import type { StoredActor } from "../sql/stored-actor.ts";
import type { GroupRow, GroupTransaction, IndexedGroup } from "../writes/write-transaction.ts";
import { type GroupColumns, groupColumns, prepareGroupInserts } from "./group-statements.ts";
import { RecordIndexes } from "./record-indexes.ts";

/** The groups in the file, inside the transactions of the writer. */
export class GroupTable implements GroupTransaction {
  readonly #statements;
  readonly #indexes: RecordIndexes;
  #now = 0;
  #before = { lastId: 0, count: 0 };
  #lastId = 0;
  #count = 0;

  constructor(db: Database) {
    this.#statements = prepareGroupWrites(db);
    this.#indexes = new RecordIndexes(this.#statements);
  }

  /** The last id ever given to a group, and the number of groups. */
  beginTransaction(now: number, lastId: number, count: number): void {
    this.#now = now;
    this.#before = { lastId, count };
    this.#lastId = lastId;
    this.#count = count;
    this.#indexes.beginTransaction();
  }

  endTransaction(): void {
    const { lastId, count } = this.#before;
    if (this.#lastId !== lastId || this.#count !== count) {
      this.#statements.directory.run(this.#lastId, this.#count);
    }
    this.#indexes.merge();
  }

  get nextId(): number {
    return this.#lastId + 1;
  }

  read(id: number): GroupRow | undefined {
    const row = this.#statements.groups.read.get(id);
    if (!row) return undefined;
    const { version, json, updated_at: updatedAt, changed_by: changedBy, member_count: memberCount } = row;
    return { id, version, json, updatedAt, changedBy, memberCount };
  }

  findByName(uniqueName: string): GroupRow | undefined {
    const found = this.#statements.groups.findByName.get(uniqueName);
    return found ? this.read(found.id) : undefined;
  }

  insert(group: IndexedGroup): boolean {
    const { row, terms } = group;
    const { id, version, json, updatedAt, changedBy, memberCount } = row;
    const { changes } = this.#statements.groups.insert.run(
      ...([id, version, json, this.#now, updatedAt, changedBy, memberCount] as const),
      ...groupColumns(terms),
    );
    if (changes === 0) return false;
    this.#lastId = row.id;
    this.#count++;
    this.#indexes.add(row.id, terms);
    return true;
  }

  update(before: IndexedGroup, after: IndexedGroup): boolean {
    const { id, version, json, updatedAt, changedBy, memberCount } = after.row;
    const columns = [version, json, updatedAt, changedBy, memberCount] as const;
    if (after.terms === before.terms) {
      this.#statements.groups.updateMembers.run(...columns, id);
      return true;
    }
    const { uniqueName } = after.terms;
    const isRenamed = uniqueName !== before.terms.uniqueName;
    if (isRenamed && this.#statements.groups.findByName.get(uniqueName)) return false;
    this.#statements.groups.update.run(...columns, ...groupColumns(after.terms), id);
    this.#indexes.update(id, before.terms, after.terms);
    return true;
  }

  remove({ row, terms }: IndexedGroup): void {
    this.#statements.groups.remove.run(row.id);
    this.#statements.removedGroups.run(row.id);
    this.#indexes.remove(row.id, terms);
    this.#count--;
  }
}

interface StoredGroup {
  version: number;
  json: string;
  updated_at: number;
  changed_by: StoredActor;
  member_count: number;
}

function prepareGroupWrites(db: Database) {
  const inserts = prepareGroupInserts(db, "ON CONFLICT (unique_name) DO NOTHING");
  return {
    directory: db.prepare<void, [number, number]>("UPDATE directory SET last_group_id = ?, groups = ?"),
    removedGroups: db.prepare<void, [number]>("INSERT INTO removed_groups VALUES (?)"),
    groups: {
      read: db.prepare<StoredGroup, [number]>(
        "SELECT version, json, updated_at, changed_by, member_count FROM groups WHERE id = ?",
      ),
      findByName: db.prepare<{ id: number }, [string]>("SELECT id FROM groups WHERE unique_name = ?"),
      insert: inserts.group,
      update: db.prepare<void, [number, string, number, StoredActor, number, ...GroupColumns, number]>(
        `UPDATE groups SET version = ?, json = ?, updated_at = ?, changed_by = ?, member_count = ?, name_fold = ?, name_key = ?,
         unique_name = ?, word_starts = ? WHERE id = ?`,
      ),
      updateMembers: db.prepare<void, [number, string, number, StoredActor, number, number]>(
        "UPDATE groups SET version = ?, json = ?, updated_at = ?, changed_by = ?, member_count = ? WHERE id = ?",
      ),
      remove: db.prepare<void, [number]>("DELETE FROM groups WHERE id = ?"),
    },
    values: {
      insert: inserts.value,
      remove: db.prepare<void, [string, string, number, string]>(
        "DELETE FROM group_values WHERE field = ? AND value = ? AND group_id = ? AND exact = ?",
      ),
    },
    search: {
      insert: inserts.search,
      remove: db.prepare<void, [number]>("DELETE FROM group_search WHERE rowid = ?"),
      merge: db.prepare<void, [number]>("INSERT INTO group_search (group_search, rank) VALUES ('merge', ?)"),
    },
  };
}
