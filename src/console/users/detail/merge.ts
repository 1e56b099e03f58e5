import { changedFields, isSameValue, type UserRecord } from "../record.ts";

export type Side = "mine" | "theirs";

/** Two records that came from the same one. */
export interface Versions {
  readonly was: UserRecord;
  readonly mine: UserRecord;
  readonly theirs: UserRecord;
}

/** The side that changed each field in which the records differ. Fields that both changed are missing. */
export function chooseUnambiguous({ was, mine, theirs }: Versions): Map<string, Side> {
  const chosen = new Map<string, Side>();
  for (const field of changedFields(mine, theirs)) {
    if (isSameValue(mine.get(field), was.get(field))) chosen.set(field, "theirs");
    else if (isSameValue(theirs.get(field), was.get(field))) chosen.set(field, "mine");
  }
  return chosen;
}

/** The fields that both changed, to different values. */
export function collidingFields(versions: Versions): string[] {
  const chosen = chooseUnambiguous(versions);
  return changedFields(versions.mine, versions.theirs).filter((field) => !chosen.has(field));
}

/** The record of the other side, with the chosen values. */
export function merge(mine: UserRecord, theirs: UserRecord, chosen: ReadonlyMap<string, Side>): UserRecord {
  const merged = new Map(theirs);
  for (const [field, side] of chosen) {
    if (side === "theirs") continue;
    const value = mine.get(field);
    if (value === undefined) merged.delete(field);
    else merged.set(field, value);
  }
  return merged;
}
