import type { JsonObject } from "../../../src/contract/json.ts";

const managed = { version: 7, createdAt: "2026-11-15T09:30:00.000Z", updatedAt: "2026-11-16T08:00:00.000Z" };

/** A record as the API returns it. */
export function stored(record: JsonObject, id = 42): JsonObject {
  return { id, ...record, ...managed };
}

/** The URL of a path. */
export const locate = (path: string) => `https://roster.example/scim/v2${path}`;
