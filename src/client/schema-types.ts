import type { StreamOptions } from "./bulk-types.ts";
import type { Problem } from "./types.ts";

/** A JSON Schema (2020-12) of custom fields. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The current schema; version 0 stands for none. */
export interface CurrentSchema {
  readonly version: number;
  readonly schema: JsonSchema;
}

/** A version of the schema. */
export interface SchemaVersion extends CurrentSchema {
  readonly createdAt: string;
}

/** A user that the schema does not allow. */
export interface SchemaViolation {
  readonly id: number;
  readonly errors: NonNullable<Problem["errors"]>;
}

/** What a schema would mean for the users that exist. */
export interface SchemaCheck {
  /** Users that were checked. */
  readonly checked: number;
  /** Users that the schema does not allow. */
  readonly violating: number;
  /** The first of them, up to 100. */
  readonly violations: readonly SchemaViolation[];
}

export interface CheckSchemaOptions extends StreamOptions {
  /** Called several times: how many users have been checked, and how many there are. */
  readonly onProgress?: (progress: { readonly checked: number; readonly total: number }) => void;
}
