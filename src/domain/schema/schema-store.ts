import type { SchemaViolation } from "../../contract/schema/schema-schemas.ts";
import type { Origin } from "../caller.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Precondition } from "../precondition.ts";

/** A version of the schema. Version 0 stands for no schema: its JSON is `{}`. */
export interface StoredSchema {
  readonly version: number;
  readonly json: string;
  /** Milliseconds since 1970; 0 for version 0. */
  readonly createdAt: number;
}

export const noSchema: StoredSchema = { version: 0, json: "{}", createdAt: 0 };

/** The result of checking some users, in the order of their ids. */
export interface CheckedUsers {
  readonly checked: number;
  readonly violations: readonly SchemaViolation[];
  /** The last id that was checked; undefined if there are no more users. */
  readonly next: number | undefined;
}

/** The place in the index of values to continue after. */
export interface ValuePosition {
  readonly value: string;
  readonly userId: number;
}

/** Two users with the same value. */
export interface Duplicate {
  readonly field: string;
  readonly ids: readonly [number, number];
}

/** Values that were compared or collected in one step. */
export interface ValueStep {
  readonly duplicates: readonly Duplicate[];
  /** Undefined at the end. */
  readonly next: ValuePosition | undefined;
}

/**
 * The versions of the schema, and the values of its unique fields. A unique key in the database decides whether a value is in
 * use. Before a field becomes unique, the values of all users are collected in steps, between other writes: from `beginUnique`
 * on, writes keep these values up to date too, and fail with `value-taken` if they repeat one.
 */
export interface SchemaStore {
  current(): MaybePromise<StoredSchema>;
  /** The versions below this one, newest first. */
  versions(before: number, limit: number): MaybePromise<StoredSchema[]>;
  /** Checks users against any schema, after this id. */
  checkUsers(json: string, after: number, limit: number): Promise<CheckedUsers>;

  /**
   * Stores a new version, unless the schema is the same. `token` names the collected values of new unique fields. Fails with
   * `version-mismatch` or `precondition-failed`, and with `unavailable` if the collected values are lost.
   */
  put(
    json: string,
    by: Origin,
    precondition: Precondition | undefined,
    token?: string,
  ): Promise<StoredSchema>;

  /** Finds users with the same value of a field. */
  compareValues(field: string, after: ValuePosition | undefined): Promise<ValueStep>;
  /** Begins to collect the values of these fields. Fails with `unavailable` while another request does. */
  beginUnique(token: string, fields: readonly string[]): Promise<void>;
  collectValues(token: string, field: string, after: ValuePosition | undefined): Promise<ValueStep>;
  /** Stops collecting. */
  cancelUnique(token: string): Promise<void>;
  /** Removes some values of fields that are not unique. Returns their number: 0 when done. */
  removeValues(): Promise<number>;
}
