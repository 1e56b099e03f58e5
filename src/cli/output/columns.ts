import type { Json } from "../../client/index.ts";
import { createProjection, project } from "../../domain/projection.ts";
import type { Column } from "../flags/output-flag.ts";
import type { AnyRecord } from "../records/record-kind.ts";

/** The record with only these columns, in this order. Values inside fields stay inside them. */
export function pickColumns(record: AnyRecord, columns: readonly Column[]): Json {
  const kept = project(record, createProjection(columns));
  return Object.fromEntries(
    columns.flatMap(([field = ""]) => (kept[field] === undefined ? [] : [[field, kept[field]]])),
  );
}
