import type { Key } from "../../contract/keys/key-schemas.ts";
import type { KeyDraft, StoredKey } from "./key-store.ts";

/** A key without its usage. */
export type KeyRecord = Omit<Key, "lastUsedAt" | "usage">;

/** What a key's record is made of. */
export type DescribedKey = KeyDraft & Pick<StoredKey, "id" | "createdAt" | "revokedAt">;

/** The key without its digest, as callers and events see it. */
export function keyRecord(key: DescribedKey): KeyRecord {
  const { id, name, prefix, scopes, rateLimit, quota } = key;
  return {
    id,
    name,
    prefix,
    scopes: [...scopes],
    createdAt: new Date(key.createdAt).toISOString(),
    expiresAt: toText(key.expiresAt),
    revokedAt: toText(key.revokedAt),
    rateLimit,
    quota,
  };
}

export function toText(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
