import { isObject, type Json } from "../../contract/json.ts";
import type { UserRecord } from "../../contract/users/user.ts";

/** What an entry says about an address besides the address. */
const facts: ReadonlySet<string> = new Set(["type", "display", "primary"]);

/**
 * Whether an entry of the field `emails` belongs to the field `email`: the entry has everything but the address, so that the
 * address is stored once.
 */
export function belongsToEmail(entry: Json | undefined): boolean {
  if (!isObject(entry)) return false;
  for (const name in entry) if (!facts.has(name)) return false;
  return true;
}

/** A user whose email is removed loses the entry that belongs to it. */
export function dropEmailEntry(before: UserRecord, after: UserRecord): UserRecord {
  if (before.email === undefined || after.email !== undefined) return after;
  const { emails, ...others } = after;
  if (!Array.isArray(emails) || !emails.some(belongsToEmail)) return after;
  const kept = emails.filter((entry) => !belongsToEmail(entry));
  const { name } = after;
  return { ...others, name, ...(kept.length > 0 && { emails: kept }) };
}
