import { sql } from "../sql/sql.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import type { TableDialect } from "../sql/table-dialect.ts";

/** Memberships that one transaction removes. */
const MAX_REMOVED = 1000;

/** Statements on the table of groups that are the same on any engine. */
export class GroupTables {
  readonly #dialect: TableDialect;

  constructor(dialect: TableDialect) {
    this.#dialect = dialect;
  }

  /** Whether the user is a member. Undefined if there is no such group. */
  *isMember(id: number, userId: number): SqlSteps<boolean | undefined> {
    const { schema } = this.#dialect;
    const [row] = yield {
      text: `SELECT (SELECT count(*) FROM ${schema}memberships WHERE group_id = g.id AND user_id = ?)
             FROM ${schema}groups g WHERE g.id = ?`,
      values: [userId, id],
    };
    return row && Number(row[0]) > 0;
  }

  /** The ids of the groups that have one of these folded names. */
  *findIds(names: readonly string[]): SqlSteps<ReadonlyMap<string, number>> {
    if (names.length === 0) return new Map();
    const rows = yield {
      text: `SELECT unique_name, id FROM ${this.#dialect.schema}groups
             WHERE unique_name IN (${names.map(() => "?").join()})`,
      values: [...names],
    };
    return new Map(rows.map(([name, id]) => [String(name), Number(id)]));
  }

  /** Whether removed groups may still have rows in `memberships`. */
  *hasLeftMemberships(): SqlSteps<boolean> {
    const [group] = yield sql(`SELECT id FROM ${this.#dialect.schema}removed_groups LIMIT 1`);
    return group !== undefined;
  }

  /** Removes some rows of one removed group. Returns about how many: 0 if there is none, or if other nodes remove them. */
  *removeLeftMemberships(): SqlSteps<number> {
    const { schema, lockRows } = this.#dialect;
    const [group] = yield sql(
      `SELECT id FROM ${schema}removed_groups ORDER BY id LIMIT 1 ${lockRows && `${lockRows} SKIP LOCKED`}`,
    );
    if (!group) return 0;
    const id = Number(group[0]);
    const memberships = `${schema}memberships WHERE group_id = ?`;
    const [last] = yield {
      text: `SELECT user_id FROM ${memberships} ORDER BY user_id LIMIT 1 OFFSET ?`,
      values: [id, MAX_REMOVED - 1],
    };
    yield {
      text: `DELETE FROM ${memberships} AND user_id <= ?`,
      values: [id, last ? Number(last[0]) : Number.MAX_SAFE_INTEGER],
    };
    if (!last) yield { text: `DELETE FROM ${schema}removed_groups WHERE id = ?`, values: [id] };
    return MAX_REMOVED;
  }

  /** The number of members of a group; 0 if there is no such group. */
  *countMembers(id: number): SqlSteps<number> {
    const [row] = yield {
      text: `SELECT member_count FROM ${this.#dialect.schema}groups WHERE id = ?`,
      values: [id],
    };
    return Number(row?.[0] ?? 0);
  }

  *count(): SqlSteps<number> {
    const [row] = yield sql(this.#dialect.countRows("groups"));
    return Number(row?.[0]);
  }
}
