import { userLimits } from "../contract/user.ts";

/** Rules that every record must satisfy. Plain data: the writer thread gets a copy. */
export interface RecordRules {
  /** Largest record, in bytes of JSON. */
  readonly maxBytes: number;
}

export const defaultRecordRules: RecordRules = { maxBytes: userLimits.recordBytes };
