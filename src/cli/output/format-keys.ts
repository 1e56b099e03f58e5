import { scopes } from "../../contract/keys/key.ts";
import type { Key } from "../../contract/keys/key-schemas.ts";
import { describeDuration } from "./duration.ts";
import { printable } from "./printable.ts";
import { formatTable } from "./table.ts";

export const COPY_KEY_NOW = "Copy the key now: it is not shown again.";

const figures = new Intl.NumberFormat("en");
const months = new Intl.DateTimeFormat("en", { month: "short", timeZone: "UTC" });

/** For example `key 7 (ci) with users:read until 2030-01-31T12:00:00Z`. */
export function describeKey({ id, name, scopes, expiresAt }: Key): string {
  const until = expiresAt === null ? "" : ` until ${formatTime(expiresAt)}`;
  return `key ${id} (${name}) with ${scopes.join(", ")}${until}`;
}

/** To the second. */
export function formatTime(time: string): string {
  return time.replace(/\.\d+Z$/, "Z");
}

/** A table of keys for a terminal, with relative times. */
export function formatKeys(keys: readonly Key[], now: number, terminal: number): string {
  const month = months.format(now).toUpperCase();
  const head = ["ID", "NAME", "KEY", "SCOPES", "CREATED", "LAST USED", `CALLS IN\u00a0${month}`, "STATE"];
  const rows = keys.map((key) => [
    String(key.id),
    printable(key.name),
    `${key.prefix}…`,
    key.scopes.length === scopes.length ? "all" : key.scopes.join(" "),
    ago(key.createdAt, now),
    key.lastUsedAt === null ? "never" : ago(key.lastUsedAt, now),
    formatUsage(key),
    stateOf(key, now),
  ]);
  return formatTable(head, rows, terminal, [0]);
}

function ago(time: string, now: number): string {
  // The clocks of nodes may differ slightly.
  return `${describeDuration(Math.max(0, now - Date.parse(time)))}\u00a0ago`;
}

function formatUsage({ usage, quota }: Key): string {
  const used = figures.format(usage.requests);
  return quota === null ? used : `${used}\u00a0of ${figures.format(quota)}`;
}

function stateOf({ revokedAt, expiresAt }: Key, now: number): string {
  if (revokedAt !== null) return "revoked";
  if (expiresAt === null) return "active";
  const remainingMs = Date.parse(expiresAt) - now;
  return remainingMs > 0 ? `expires in\u00a0${describeDuration(remainingMs)}` : "expired";
}
