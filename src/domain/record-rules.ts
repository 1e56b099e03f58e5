import { userLimits } from "../contract/user.ts";

/** Rules that every record must satisfy. Plain data: the writer thread gets a copy. */
export interface RecordRules {
  /** Largest record, in bytes of JSON. */
  readonly maxBytes: number;
  /** Most fields, with name and email. The values of custom fields are indexed, so this also limits the work of a write. */
  readonly maxFields: number;
}

export const defaultRecordRules: RecordRules = {
  maxBytes: userLimits.recordBytes,
  maxFields: userLimits.recordFields,
};
