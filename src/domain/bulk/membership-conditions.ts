import type { GroupStore } from "../groups/group-store.ts";
import type { MembershipFilter } from "../lists/listing.ts";
import type { MembershipCondition } from "../users/user-store.ts";

/** Replaces names of groups by their ids now. A name that no group has matches nobody. */
export async function findConditions(
  groups: Pick<GroupStore, "findByNames">,
  filters: readonly MembershipFilter[],
): Promise<MembershipCondition[]> {
  const names = filters.flatMap((filter) => (filter.by === "name" ? filter.values : []));
  const ids = names.length > 0 ? await groups.findByNames([...new Set(names)]) : new Map<string, number>();
  return filters.map((filter) => {
    const { kind, negated = false } = filter;
    if (filter.by === "any") return { kind, negated, by: "any", values: [] };
    const values = filter.by === "id" ? filter.values : filter.values.flatMap((name) => ids.get(name) ?? []);
    return { kind, negated, by: "id", values };
  });
}
