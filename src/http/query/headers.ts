import { idempotency } from "../../contract/users/user.ts";
import { parseEventId } from "../../domain/events/event.ts";
import type { Precondition, Versions } from "../../domain/precondition.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { StoredRecord } from "../../domain/records/record.ts";

export function formatEtag({ version }: Pick<StoredRecord, "version">): string {
  return `"${version}"`;
}

/** Weak comparison, as RFC 9110 requires for If-None-Match. */
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** The precondition of a read, which responds 304 itself if If-None-Match fails. */
export function parseReadPrecondition({ headers }: Request): Precondition | undefined {
  const match = headers.get("if-match");
  return match === null ? undefined : parseMatch(match);
}

/** The precondition that a value of If-Match stands for. */
export function parseMatch(tags: string): Precondition {
  return { match: parseVersions(tags), noneMatch: undefined };
}

/** The precondition of a change; undefined if the request has none. */
export function parsePrecondition({ headers }: Request): Precondition | undefined {
  const match = headers.get("if-match");
  const noneMatch = headers.get("if-none-match");
  if (match === null && noneMatch === null) return undefined;
  return { match: parseVersions(match), noneMatch: parseVersions(noneMatch) };
}

/**
 * A weak tag of a version counts as the version: proxies that compress responses make ETags weak, and versions identify
 * the record, not its encoding. Unknown tags match no version.
 */
function parseVersions(header: string | null): Versions | undefined {
  if (header === null) return undefined;
  if (header.trim() === "*") return "any";
  return header
    .split(",")
    .map((tag) => /^(?:W\/)?"(0|[1-9]\d{0,15})"$/.exec(tag.trim())?.[1])
    .filter((version) => version !== undefined)
    .map(Number);
}

const PRINTABLE = new RegExp(`^[\\x20-\\x7e]{1,${idempotency.keyCharacters}}$`);

/** Accepts the key quoted, as the standard requires, or bare. Throws `invalid-header`. */
export function parseIdempotencyKey(request: Request): string | undefined {
  const header = request.headers.get("idempotency-key");
  if (header === null) return undefined;
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header.trim())?.[1];
  const key = quoted?.replace(/\\(["\\])/g, "$1") ?? header.trim();
  if (!PRINTABLE.test(key)) {
    throw new ProblemError(
      "invalid-header",
      `Idempotency-Key must have 1 to ${idempotency.keyCharacters} printable ASCII characters.`,
    );
  }
  return key;
}

/** The position of the event. Throws `invalid-header`. */
export function parseLastEventId({ headers }: Request): number | undefined {
  const id = headers.get("last-event-id");
  if (id === null) return undefined;
  const position = parseEventId(id);
  if (position === undefined)
    throw new ProblemError("invalid-header", "Last-Event-ID must be the id of an event.");
  return position;
}
