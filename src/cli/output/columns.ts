import type { Json, User } from "../../client/index.ts";
import { createProjection, project } from "../../domain/projection.ts";
import type { Column } from "../flags/output-flag.ts";

/** The user with only these columns, in this order. Values inside fields stay inside them. */
export function pickColumns(user: User, columns: readonly Column[]): Json {
  const kept = project(user, createProjection(columns));
  return Object.fromEntries(
    columns.flatMap(([field = ""]) => (kept[field] === undefined ? [] : [[field, kept[field]]])),
  );
}
