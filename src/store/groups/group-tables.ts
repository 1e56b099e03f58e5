import type { Json } from "../../contract/json.ts";
import type {
  Membership,
  MembershipLine,
  MembershipPage,
  MembershipPageQuery,
  MembershipResult,
  MembershipRow,
} from "../../domain/groups/group-store.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import { measureRecords } from "../sql/measure-records.ts";
import { sql } from "../sql/sql.ts";
import { PAUSE, type SqlSteps } from "../sql/sql-steps.ts";
import type { TableDialect } from "../sql/table-dialect.ts";

/** Memberships that one transaction removes. */
const MAX_REMOVED = 1000;

/** Memberships that one page reads. */
const MAX_LISTED = 1000;

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

  /** The last id that a user was given. */
  *lastUserId(): SqlSteps<number> {
    const [row] = yield sql(this.#dialect.lastId("user"));
    return Number(row?.[0]);
  }

  measure(ids: readonly number[]): SqlSteps<ReadonlyMap<number, number>> {
    return measureRecords(this.#dialect, "groups", ids);
  }

  /** The groups with one of these ids or folded names, in any order. */
  *find(ids: readonly number[], names: readonly string[]): SqlSteps<StoredRecord[]> {
    const { schema, elements } = this.#dialect;
    const select = `SELECT id, version, json FROM ${schema}groups WHERE`;
    const withIds = yield sql(
      `${select} id IN (SELECT CAST(value ->> 0 AS bigint) FROM ${elements})`,
      JSON.stringify(ids.map((id) => [id])),
    );
    const withNames = yield sql(
      `${select} unique_name IN (SELECT value ->> 0 FROM ${elements})`,
      JSON.stringify(names.map((name) => [name])),
    );
    const found = [...withIds, ...withNames].map(([id, version, json]) => ({
      id: Number(id),
      version: Number(version),
      json: String(json),
    }));
    return [...new Map(found.map((group) => [group.id, group])).values()];
  }

  /** The ids of the groups with these folded names. */
  *findByNames(names: readonly string[]): SqlSteps<ReadonlyMap<string, number>> {
    const { schema, elements } = this.#dialect;
    const rows = yield sql(
      `SELECT unique_name, id FROM ${schema}groups WHERE unique_name IN (SELECT value ->> 0 FROM ${elements})`,
      JSON.stringify(names.map((name) => [name])),
    );
    return new Map(rows.map(([name, id]) => [String(name), Number(id)]));
  }

  /** What an import would do with each line, if it was the only one. */
  *checkMembers(lines: readonly MembershipLine[], removes: boolean): SqlSteps<MembershipResult[]> {
    const { schema, elements } = this.#dialect;
    const pairs = lines.flatMap((line) => (typeof line === "string" ? [] : [[line.groupId, line.userId]]));
    const groups = yield* this.#findRecords("groups", new Set(pairs.map(([id = 0]) => id)));
    const users = yield* this.#findRecords("users", new Set(pairs.map(([, id = 0]) => id)));
    const found = yield sql(
      `SELECT group_id, user_id FROM ${schema}memberships WHERE (group_id, user_id) IN
       (SELECT CAST(value ->> 0 AS bigint), CAST(value ->> 1 AS bigint) FROM ${elements})`,
      JSON.stringify(pairs),
    );
    const members = new Set(found.map(String));
    return lines.map((line) => {
      if (typeof line === "string") return line;
      const { groupId, userId } = line;
      if (!groups.has(groupId)) return "group-not-found";
      if (!users.has(userId)) return "user-not-found";
      return members.has(`${groupId},${userId}`) === removes ? "changed" : "unchanged";
    });
  }

  /** A page of memberships. Their groups and users are read after them, and may be gone by then. */
  *listMemberships({ after, groupIds, names }: MembershipPageQuery): SqlSteps<MembershipPage> {
    const start = after ?? { groupId: 0, userId: 0 };
    const found = groupIds ? yield* this.#findInGroups(groupIds, start) : yield* this.#findAll(start);
    const groups = yield* this.#findRecords("groups", new Set(found.map(({ groupId }) => groupId)), names);
    const last = found.length < MAX_LISTED ? undefined : found.at(-1);
    // A removed group can have a million rows: the next page begins after them.
    const next = last && !groups.has(last.groupId) ? { ...last, userId: Number.MAX_SAFE_INTEGER } : last;
    const users = names
      ? yield* this.#findRecords("users", new Set(found.map(({ userId }) => userId)), names)
      : undefined;
    const rows = found.flatMap(({ groupId, userId }): MembershipRow[] => {
      const [group, user] = [groups.get(groupId), users ? users.get(userId) : userId];
      return group === undefined || user === undefined ? [] : [[group, user]];
    });
    return { rows, next };
  }

  *#findAll({ groupId, userId }: Membership): SqlSteps<Membership[]> {
    const rows = yield sql(
      `SELECT group_id, user_id FROM ${this.#dialect.schema}memberships WHERE (group_id, user_id) > (?, ?)
       ORDER BY group_id, user_id LIMIT ?`,
      ...[groupId, userId, MAX_LISTED],
    );
    return rows.map(toMembership);
  }

  *#findInGroups(groupIds: readonly number[], start: Membership): SqlSteps<Membership[]> {
    const found: Membership[] = [];
    for (const groupId of groupIds) {
      if (groupId < start.groupId) continue;
      const rows = yield sql(
        `SELECT group_id, user_id FROM ${this.#dialect.schema}memberships WHERE group_id = ? AND user_id > ?
         ORDER BY user_id LIMIT ?`,
        ...[groupId, groupId === start.groupId ? start.userId : 0, MAX_LISTED - found.length],
      );
      found.push(...rows.map(toMembership));
      if (found.length === MAX_LISTED) break;
    }
    return found;
  }

  /** What an export shows of each of the records that exist, by id: the id or, with `names`, the name or the user name. */
  *#findRecords(
    table: "groups" | "users",
    ids: ReadonlySet<number>,
    names = false,
  ): SqlSteps<ReadonlyMap<number, number | string>> {
    const { schema, elements } = this.#dialect;
    const rows = yield sql(
      `SELECT id${names ? ", json" : ""} FROM ${schema}${table}
       WHERE id IN (SELECT CAST(value ->> 0 AS bigint) FROM ${elements})`,
      JSON.stringify(Array.from(ids, (id) => [id])),
    );
    const found = new Map<number, number | string>();
    for (const [id, json] of rows) {
      found.set(Number(id), names ? nameIn(table, String(json)) : Number(id));
      if (names) yield PAUSE;
    }
    return found;
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

function toMembership([groupId, userId]: readonly unknown[]): Membership {
  return { groupId: Number(groupId), userId: Number(userId) };
}

/** The name of a group; the user name of a user, or its id if it has none. */
function nameIn(table: "groups" | "users", json: string): number | string {
  const record: { id: number; name: string; userName?: Json; email?: string } = JSON.parse(json);
  const { id, name, userName, email } = record;
  if (table === "groups") return name;
  return typeof userName === "string" ? userName : (email ?? id);
}
