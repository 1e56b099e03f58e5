import type { Membership } from "../../client/index.ts";
import type { ExportedGroups } from "./exported-groups.ts";
import type { ResultIds } from "./result-ids.ts";

/** How many memberships are imported, and how many are not. */
export interface PlannedMemberships {
  /** Lines of the import. */
  readonly sent: number;
  /** Memberships of a dry run whose user or group does not exist yet. */
  readonly future: number;
  /** Memberships whose user was not imported. */
  readonly withoutUser: number;
  /** Memberships whose group was not imported. */
  readonly withoutGroup: number;
}

/** A line of the import, and what messages call it. */
export interface PlannedMembership {
  readonly membership: Membership;
  readonly name: string;
  readonly sourceId: string;
}

/** The users of an export in Roster, by the numbers that the graph of groups has for them. */
export type UserIds = Pick<ResultIds, "has" | "idOf">;

interface PlanOptions {
  readonly groups: ExportedGroups;
  /** The index of the group in each line of the import of groups, from line 1. */
  readonly sentGroups: readonly number[];
  /** The indexes of groups that cannot be imported. */
  readonly otherGroups: readonly number[];
  readonly groupIds: ResultIds;
  readonly userIds: UserIds;
  readonly flatten: boolean;
  readonly dryRun: boolean;
}

/** The memberships to import, after users and groups: group by group, which writes the fewest events. Computed each time. */
export class MembershipPlan {
  readonly #options: PlanOptions;

  constructor(options: PlanOptions) {
    this.#options = options;
  }

  count(): PlannedMemberships {
    const { groups, userIds, groupIds, otherGroups, flatten } = this.#options;
    let [sent, future, withoutUser, withoutGroup] = [0, 0, 0, 0];
    for (const { line, group, users } of this.#groups()) {
      for (const user of users) {
        if (!groupIds.has(line)) withoutGroup++;
        else if (!userIds.has(user)) withoutUser++;
        else if (group === undefined || userIds.idOf(user) === undefined) future++;
        else sent++;
      }
    }
    for (const index of otherGroups) {
      withoutGroup += groups.graph.membersOf(index, { nested: flatten }).size;
    }
    return { sent, future, withoutUser, withoutGroup };
  }

  *lines(): Generator<PlannedMembership, void> {
    for (const { group, name, sourceId, users } of this.#groups()) {
      if (group === undefined) continue;
      for (const line of users) {
        const user = this.#options.userIds.idOf(line);
        if (user === undefined) continue;
        yield { membership: { group, user }, name: `user ${line} in the group ${name}`, sourceId };
      }
    }
  }

  *#groups() {
    const { groups, sentGroups, groupIds, flatten, dryRun } = this.#options;
    for (const [position, index] of sentGroups.entries()) {
      const line = position + 1;
      const { name = "", sourceId = "" } = groups.all[index] ?? {};
      // Without the scope groups:read, a group that existed has no id here.
      const byName = dryRun || !groupIds.has(line) ? undefined : name;
      yield {
        line,
        group: groupIds.idOf(line) ?? byName,
        name,
        sourceId,
        users: groups.graph.membersOf(index, { nested: flatten }),
      };
    }
  }
}
