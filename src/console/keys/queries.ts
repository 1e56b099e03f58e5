import { infiniteQueryOptions } from "@tanstack/react-query";
import type { Key, KeyPage } from "../../client/index.ts";
import { queryClient, roster } from "../lib/api.ts";
import { viewPaths } from "../view-paths.ts";

const PAGE_SIZE = 500;
const EXPIRING_MS = 7 * 86_400_000;

/** All keys, including expired and revoked ones, in the order of their creation. */
export const keysQuery = infiniteQueryOptions({
  queryKey: ["keys"],
  queryFn: ({ pageParam, signal }) => roster.keys.list({ limit: PAGE_SIZE, after: pageParam, signal }).page(),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }: KeyPage) => next,
  // The time of last use has to be current.
  staleTime: 0,
});

export function reloadKeys(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}

/** "expiring": active, but only for a few more days. */
export type KeyState = "active" | "expiring" | "expired" | "revoked";

export function keyState({ revokedAt, expiresAt }: Key, now = Date.now()): KeyState {
  if (revokedAt !== null) return "revoked";
  if (expiresAt === null) return "active";
  const remainingMs = Date.parse(expiresAt) - now;
  if (remainingMs <= 0) return "expired";
  return remainingMs < EXPIRING_MS ? "expiring" : "active";
}

export function isActive(key: Key): boolean {
  const state = keyState(key);
  return state === "active" || state === "expiring";
}

/** Where the view of keys shows this one. */
export function pathOfKey({ prefix }: Key): string {
  return `${viewPaths.keys}?q=${encodeURIComponent(prefix)}`;
}

/** Whether the key's name contains the text, or the key starts with it. */
export function matches({ name, prefix }: Key, text: string): boolean {
  const query = text.trim();
  // A pasted whole key matches too.
  if (query.startsWith(prefix)) return true;
  return prefix.startsWith(query) || name.toLocaleLowerCase().includes(query.toLocaleLowerCase());
}

/** Moves the newest key to the front, in its loaded version if there is one. */
export function withNewestFirst(loaded: readonly Key[], newest: Key | undefined): readonly Key[] {
  if (!newest) return loaded;
  const current = loaded.find(({ id }) => id === newest.id) ?? newest;
  return [current, ...loaded.filter(({ id }) => id !== newest.id)];
}
