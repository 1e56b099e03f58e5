import type { GroupStore, Membership } from "../../domain/groups/group-store.ts";
import type { DocumentView } from "../../scim/projection.ts";
import type { Locate } from "./scim-parts.ts";

type Memberships = Pick<GroupStore, "listMemberships">;

/** A group, and how many members it had when it was read. */
interface CountedGroup {
  readonly id: number;
  readonly memberCount: number;
}

/** The first members of a group, and after which of them others may follow. */
interface FirstMembers {
  readonly ids: readonly number[];
  readonly next: Membership | undefined;
}

/** The members of groups that are read together: those of one page. */
const TOGETHER = 1000;

/** Reads the ids of members in pages, small groups together. */
export class MemberReader {
  readonly #memberships: Memberships;
  #groups: readonly CountedGroup[] = [];
  readonly #first = new Map<number, FirstMembers>();

  constructor(memberships: Memberships) {
    this.#memberships = memberships;
  }

  /** The groups whose members will be read next, in this order. */
  expect(groups: readonly CountedGroup[]): void {
    this.#groups = groups;
    this.#first.clear();
  }

  /** The ids in order, in parts of up to 1,000. */
  async *read(group: CountedGroup): AsyncGenerator<readonly number[], void> {
    const { id, memberCount } = group;
    if (memberCount === 0) return;
    const first = this.#first.get(id) ?? (await this.#readTogether(group));
    this.#first.delete(id);
    if (first.ids.length > 0) yield first.ids;
    for (let { next } = first; next; ) {
      const page = await this.#memberships.listMemberships({ after: next, groupIds: [id], names: false });
      yield page.rows.map(([, userId]) => Number(userId));
      next = page.next;
    }
  }

  /** Reads the first members of a group, and of the small groups that follow. */
  async #readTogether(group: CountedGroup): Promise<FirstMembers> {
    const start = this.#groups.findIndex(({ id }) => id === group.id);
    const ids = [group.id];
    let members = group.memberCount;
    for (const { id, memberCount } of start < 0 ? [] : this.#groups.slice(start + 1)) {
      members += memberCount;
      if (members > TOGETHER) break;
      if (memberCount > 0) ids.push(id);
    }
    const groupIds = ids.sort((a, b) => a - b);
    const { rows, next } = await this.#memberships.listMemberships({
      after: undefined,
      groupIds,
      names: false,
    });
    const found = Map.groupBy(rows, ([groupId]) => Number(groupId));
    for (const id of groupIds) {
      // A page that became too long since the groups were read ends before the last of them.
      if (next && id > next.groupId) continue;
      const userIds = (found.get(id) ?? []).map(([, userId]) => Number(userId));
      this.#first.set(id, { ids: userIds, next: next?.groupId === id ? next : undefined });
    }
    return this.#first.get(group.id) ?? { ids: [], next: { groupId: group.id, userId: 0 } };
  }
}

/** Writes the entries of `members` without reading users: as JSON, separated by commas. */
export function createMemberFormatter(
  view: DocumentView,
  locate: Locate,
): (ids: readonly number[]) => string {
  const quoted = JSON.stringify(locate("/Users/")).slice(1, -1);
  const shows = (sub: string) => view.shows("members", sub);
  const [hasValue, hasRef, hasType] = [shows("value"), shows("$ref"), shows("type")];
  const formatOne = (id: number) => {
    const value = hasValue ? `"value":"${id}"` : "";
    const ref = hasRef ? `${value && ","}"$ref":"${quoted}${id}"` : "";
    const type = hasType ? `${(value || ref) && ","}"type":"User"` : "";
    return `{${value}${ref}${type}}`;
  };
  return (ids) => {
    let text = "";
    for (const id of ids) text += text === "" ? formatOne(id) : `,${formatOne(id)}`;
    return text;
  };
}
