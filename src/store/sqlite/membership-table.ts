import type { Database } from "bun:sqlite";
import type { MembershipTransaction } from "../writes/write-transaction.ts";

/** The memberships in the file, inside the transactions of the writer. */
export class MembershipTable implements MembershipTransaction {
  readonly #statements;

  constructor(db: Database) {
    this.#statements = {
      find: db.prepare<{ found: number }, [number, number]>(
        "SELECT 1 AS found FROM memberships WHERE group_id = ? AND user_id = ?",
      ),
      groupsOf: db.prepare<{ group_id: number }, [number]>(
        "SELECT group_id FROM memberships WHERE user_id = ? ORDER BY group_id",
      ),
      insert: db.prepare<void, [number, number]>("INSERT INTO memberships VALUES (?, ?)"),
      remove: db.prepare<void, [number, number]>(
        "DELETE FROM memberships WHERE group_id = ? AND user_id = ?",
      ),
    };
  }

  has(groupId: number, userId: number): boolean {
    return this.#statements.find.get(groupId, userId) !== null;
  }

  add(groupId: number, userId: number): void {
    this.#statements.insert.run(groupId, userId);
  }

  remove(groupId: number, userId: number): void {
    this.#statements.remove.run(groupId, userId);
  }

  groupsOf(userId: number): readonly number[] {
    return this.#statements.groupsOf.all(userId).map(({ group_id: id }) => id);
  }
}
