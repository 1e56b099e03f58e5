import { scopes } from "../../contract/key.ts";
import type { Key } from "../../contract/key-schemas.ts";
import { describeDuration } from "./duration.ts";
import { formatTable } from "./table.ts";

export const COPY_KEY_NOW =
  "It is shown this once: keep it where your program finds it, for instance as ROSTER_API_KEY.";

const figures = new Intl.NumberFormat("en");
const months = new Intl.DateTimeFormat("en", { month: "short", timeZone: "UTC" });
/** Would show what follows them in another order, or elsewhere. */
const REORDERING = /[\u2028-\u202e\u2066-\u2069]/g;

/** The beginning of a sentence: which key it is, and what it may do. */
export function describeKey({ id, name, scopes, expiresAt }: Key): string {
  const until = expiresAt === null ? "" : ` until ${formatTime(expiresAt)}`;
  return `Key ${id}, ${name}, may ${scopes.join(", ")}${until}`;
}

/** To the second. */
export function formatTime(time: string): string {
  return time.replace(/\.\d+Z$/, "Z");
}

/** Keys for people to read: times are told by how far away they are. */
export function formatKeys(keys: readonly Key[], now: number, terminal: number): string {
  const month = months.format(now).toUpperCase();
  const head = ["ID", "NAME", "KEY", "SCOPES", "CREATED", "LAST USED", `CALLS IN\u00a0${month}`, "STATE"];
  const rows = keys.map((key) => [
    String(key.id),
    key.name.replace(REORDERING, "\ufffd"),
    `${key.prefix}…`,
    key.scopes.length === scopes.length ? "all" : key.scopes.join(" "),
    ago(key.createdAt, now),
    key.lastUsedAt === null ? "never" : ago(key.lastUsedAt, now),
    calls(key),
    stateOf(key, now),
  ]);
  return formatTable(head, rows, terminal, [0]);
}

function ago(time: string, now: number): string {
  // Clocks of several nodes differ a little.
  return `${describeDuration(Math.max(0, now - Date.parse(time)))}\u00a0ago`;
}

function calls({ usage, quota }: Key): string {
  const used = figures.format(usage.requests);
  return quota === null ? used : `${used}\u00a0of ${figures.format(quota)}`;
}

function stateOf({ revokedAt, expiresAt }: Key, now: number): string {
  if (revokedAt !== null) return "revoked";
  if (expiresAt === null) return "in\u00a0force";
  const left = Date.parse(expiresAt) - now;
  return left > 0 ? `expires in\u00a0${describeDuration(left)}` : "expired";
}
