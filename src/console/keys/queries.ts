import { infiniteQueryOptions } from "@tanstack/react-query";
import type { Key, KeyPage } from "../../client/index.ts";
import { queryClient, roster } from "../lib/api.ts";

const PAGE = 500;
const DAY = 86_400_000;
const SOON = 7 * DAY;

/** All keys, those that have ended too, in the order in which they were made. */
export const keysQuery = infiniteQueryOptions({
  queryKey: ["keys"],
  queryFn: ({ pageParam, signal }) => roster.keys.list({ limit: PAGE, after: pageParam, signal }).page(),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }: KeyPage) => next,
  // When a key was last used is of no use unless it is new.
  staleTime: 0,
});

export function reloadKeys(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}

export type KeyState = "in-force" | "soon" | "expired" | "revoked";

export function keyState({ revokedAt, expiresAt }: Key, now = Date.now()): KeyState {
  if (revokedAt !== null) return "revoked";
  if (expiresAt === null) return "in-force";
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return "expired";
  return left < SOON ? "soon" : "in-force";
}

export function isActive(key: Key): boolean {
  const state = keyState(key);
  return state === "in-force" || state === "soon";
}

/** Whether this is what somebody looks for, by its name or by how it begins. */
export function matches({ name, prefix }: Key, text: string): boolean {
  const wanted = text.trim();
  // Whoever pastes a whole key, as found in some log, finds it too.
  if (wanted.startsWith(prefix)) return true;
  return prefix.startsWith(wanted) || name.toLocaleLowerCase().includes(wanted.toLocaleLowerCase());
}

/** The one that was made last first, as the service has it by now if it is loaded; the others in their order. */
export function withNewestFirst(loaded: readonly Key[], newest: Key | undefined): readonly Key[] {
  if (!newest) return loaded;
  const now = loaded.find(({ id }) => id === newest.id) ?? newest;
  return [now, ...loaded.filter(({ id }) => id !== newest.id)];
}
