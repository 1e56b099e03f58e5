import type { StreamOptions } from "./bulk-types.ts";
import type { JsonSchema } from "./service-types.ts";

/** The current schema; version 0 stands for none. */
export interface CurrentSchema {
  readonly version: number;
  readonly schema: JsonSchema;
}

export interface CheckSchemaOptions extends StreamOptions {
  /** Called several times: how many users have been checked, and how many there are. */
  readonly onProgress?: (progress: { readonly checked: number; readonly total: number }) => void;
}
