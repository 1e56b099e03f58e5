import type { Json } from "../json.ts";

/** The limits of a group. Its size, fields and nesting have the limits of users. */
export const groupLimits = { nameCharacters: 256 } as const;

/** The limits of memberships. */
export const membershipLimits = {
  /** Ids that one patch of members has. */
  patchIds: 1000,
  changesPerEvent: 1000,
} as const;

/** The part of a group that callers write: the name and the other fields, in this order. */
export type GroupRecord = { name: string } & { [field: string]: Json };
