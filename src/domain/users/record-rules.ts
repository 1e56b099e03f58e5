import type { JsonObject } from "../../contract/json.ts";
import { type UserRecord, userLimits } from "../../contract/users/user.ts";

/** The schema for custom fields, as far as writes need it. */
interface SchemaCheck {
  /** The defaults of the fields that a new user lacks. Undefined if it lacks none. */
  missingDefaults(record: UserRecord): JsonObject | undefined;
  /** Fails with `invalid-user`. */
  check(record: UserRecord): void;
  /** Checks only the fields that differ. Fails with `invalid-user`. */
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
