import type { Invariant } from "../invariant.ts";
import type { Change, Observation } from "../observation.ts";
import type { World } from "../world.ts";

/** Groups whose number of members is wrong. */
const MISCOUNTED = `
  SELECT id, member_count, json ->> 'memberCount', (SELECT count(*) FROM memberships m WHERE m.group_id = g.id) AS members
  FROM groups g WHERE member_count <> members OR json ->> 'memberCount' <> members`;
/** Members that are no users, and rows of groups that are neither there nor being removed. */
const STRAY = `
  SELECT group_id, user_id FROM memberships
  WHERE (group_id IN (SELECT id FROM groups) AND user_id NOT IN (SELECT id FROM users))
  OR group_id NOT IN (SELECT id FROM groups UNION SELECT id FROM removed_groups)`;
const MEMBERSHIPS = `
  SELECT group_id, user_id FROM memberships WHERE group_id IN (SELECT id FROM groups) ORDER BY group_id, user_id`;
const EVENTS = `
  SELECT subject_id, action, changes, record FROM events WHERE subject_type = 'group' ORDER BY position`;

export class MembersAgree implements Invariant {
  readonly name = "The members of a group are users, as many as it says, and those that its events name";
  readonly #world: World;
  readonly #last = new Map<number, Change>();

  constructor(world: World) {
    this.#world = world;
  }

  observe(observation: Observation): string | undefined {
    if (observation.kind !== "committed") return undefined;
    const { change } = observation;
    if (change.subject.type === "group") return this.#checkVersion(change) ?? this.#checkRows();
    return change.subject.type === "user" && change.type !== "user.updated" ? this.#checkRows() : undefined;
  }

  checkEnd(): string | undefined {
    const [left] = this.#world.database.query("SELECT id FROM removed_groups");
    if (left) return `the rows of group ${left[0]} are left, which was removed`;
    return this.#checkRows() ?? this.#checkEvents();
  }

  #checkVersion(change: Change): string | undefined {
    const { type, subject, version } = change;
    const before = this.#last.get(subject.id);
    this.#last.set(subject.id, change);
    const expected = (before?.version ?? 0) + (type === "group.deleted" ? 0 : 1);
    const isFirst = type === "group.created";
    if (isFirst === (before === undefined) && before?.type !== "group.deleted" && version === expected)
      return undefined;
    return `${type} of group ${subject.id} has version ${version} after ${before?.type ?? "nothing"} with version ${before?.version ?? "none"}`;
  }

  #checkRows(): string | undefined {
    const [group] = this.#world.database.query(MISCOUNTED);
    if (group) return `group ${group[0]} has ${group[3]} members, and says ${group[1]} and ${group[2]}`;
    const [stray] = this.#world.database.query(STRAY);
    return stray && `user ${stray[1]} is a member of group ${stray[0]}: one of them does not exist`;
  }

  #checkEvents(): string | undefined {
    const members = new Map<number, Set<number>>();
    for (const [subjectId, action, changes, record] of this.#world.database.query(EVENTS)) {
      const id = Number(subjectId);
      const known = members.get(id) ?? new Set<number>();
      members.set(id, known);
      if (action === "deleted") members.delete(id);
      const { added = [], removed = [] }: Partial<Record<"added" | "removed", number[]>> =
        JSON.parse(String(changes)).members ?? {};
      for (const userId of added) {
        if (known.has(userId)) return `an event adds user ${userId} to group ${id} again`;
        known.add(userId);
      }
      for (const userId of removed)
        if (!known.delete(userId))
          return `an event removes user ${userId} from group ${id}, without a member`;
      const { memberCount } = JSON.parse(String(record));
      if (memberCount !== known.size) return `an event of group ${id} says ${memberCount}, not ${known.size}`;
    }
    const told = [...members]
      .flatMap(([id, ids]) => [...ids].map((userId) => [id, userId] as const))
      .sort(([a, m], [b, n]) => a - b || m - n);
    const stored = this.#world.database.query(MEMBERSHIPS);
    return String(told) === String(stored) ? undefined : `events tell ${told}, and stored are ${stored}`;
  }
}
