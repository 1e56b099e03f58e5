import type { GroupTerms } from "../../domain/groups/group.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import type { StoredActor } from "../sql/stored-actor.ts";

/** A group as stored. */
export interface GroupRow extends StoredRecord {
  readonly updatedAt: number;
  readonly changedBy: StoredActor;
  readonly memberCount: number;
}

/** A group and its index terms. */
export interface IndexedGroup {
  readonly row: GroupRow;
  readonly terms: GroupTerms;
}

/** A group that was created earlier, at this time. */
export interface DatedGroup extends IndexedGroup {
  readonly createdAt: number;
}
