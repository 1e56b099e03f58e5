import type { Origin } from "../../domain/caller.ts";
import type { EventDraft } from "../../domain/events/event.ts";
import { type DescribedKey, type KeyRecord, keyRecord } from "../../domain/keys/key-record.ts";

export function keyCreated(key: DescribedKey, by: Origin): EventDraft {
  return draft("key.created", keyRecord(key), "{}", by);
}

/** `before` is the key before its expiry changed. */
export function keyReplaced(before: DescribedKey, expiresAt: number | null, by: Origin): EventDraft {
  return changed("key.replaced", before, { ...before, expiresAt }, "expiresAt", by);
}

export function keyRevoked(before: DescribedKey, revokedAt: number, by: Origin): EventDraft {
  return changed("key.revoked", before, { ...before, revokedAt }, "revokedAt", by);
}

function changed(
  type: EventDraft["type"],
  before: DescribedKey,
  after: DescribedKey,
  field: "expiresAt" | "revokedAt",
  by: Origin,
): EventDraft {
  const record = keyRecord(after);
  const [from, to] = [keyRecord(before)[field], record[field]];
  return draft(type, record, from === to ? "{}" : JSON.stringify({ [field]: { from, to } }), by);
}

function draft(type: EventDraft["type"], record: KeyRecord, changes: string, by: Origin): EventDraft {
  return { type, subjectId: record.id, version: null, by, changes, record: JSON.stringify(record) };
}
