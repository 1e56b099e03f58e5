import { type UserRecord, userLimits } from "../../contract/users/user.ts";

/** Checks records against the schema for custom fields. Both methods fail with `invalid-user`. */
interface SchemaCheck {
  check(record: UserRecord): void;
  /** Checks only the fields that differ. */
  checkChanges(before: UserRecord, after: UserRecord): void;
}

/** Rules that every record must satisfy. */
export interface RecordRules {
  /** Largest record, in bytes of JSON. */
  readonly maxBytes: number;
  /** Most fields, with name and email. The values of custom fields are indexed, so this also limits the work of a write. */
  readonly maxFields: number;
  /** The schema for custom fields, inside a transaction that writes users. */
  readonly schema?: SchemaCheck;
  /** Custom fields whose values are unique, or are being collected to become unique. */
  readonly uniqueFields?: readonly string[];
}

export const defaultRecordRules: RecordRules = {
  maxBytes: userLimits.recordBytes,
  maxFields: userLimits.recordFields,
};
