import type { GroupStore } from "../../domain/groups/group-store.ts";
import { memberIds } from "../../domain/groups/member-ids.ts";
import type { DocumentView } from "../../scim/projection.ts";
import type { Locate } from "./scim-parts.ts";

type Memberships = Pick<GroupStore, "listMemberships">;

/** A group, and how many members it had when it was read. */
interface CountedGroup {
  readonly id: number;
  readonly memberCount: number;
}

/** The first members of a group, and after which id others may follow. */
interface FirstMembers {
  readonly ids: readonly number[];
  readonly after: number | undefined;
}

/** The members of groups that are read together: those of one page. */
const TOGETHER = 1000;

/** Reads the ids of members in pages, those of small groups together. */
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
    if (!this.#first.has(id)) await this.#readTogether(group);
    const { ids, after } = this.#first.get(id) ?? { ids: [], after: 0 };
    this.#first.delete(id);
    if (ids.length > 0) yield ids;
    if (after !== undefined) yield* memberIds(this.#memberships, id, after);
  }

  /** Reads the first members of a group, and of the small groups that follow it. */
  async #readTogether(group: CountedGroup): Promise<void> {
    const start = this.#groups.findIndex(({ id }) => id === group.id);
    const read = [group.id];
    let members = group.memberCount;
    for (const { id, memberCount } of start < 0 ? [] : this.#groups.slice(start + 1)) {
      members += memberCount;
      if (members > TOGETHER) break;
      if (memberCount > 0) read.push(id);
    }
    if (read.length === 1) return;
    const groupIds = read.sort((a, b) => a - b);
    const page = await this.#memberships.listMemberships({ after: undefined, groupIds, names: false });
    const rows = Map.groupBy(page.rows, ([groupId]) => groupId);
    // Groups can have grown since they were read: the page ends in the last one that it reaches.
    const last = page.next ?? { groupId: Number.POSITIVE_INFINITY, userId: 0 };
    for (const id of groupIds) {
      if (id > last.groupId) break;
      const ids = (rows.get(id) ?? []).map(([, userId]) => Number(userId));
      this.#first.set(id, { ids, after: id === last.groupId ? last.userId : undefined });
    }
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
