import { idempotency } from "../contract/user-operations.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { Precondition } from "../domain/store.ts";
import type { StoredUser } from "../domain/user.ts";

export function formatEtag({ version }: StoredUser): string {
  return `"${version}"`;
}

/** Weak comparison, as RFC 9110 requires for If-None-Match. */
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Strong comparison: a weak or unknown tag matches no version, so the request fails with `version-mismatch`. */
export function parseIfMatch(request: Request): Precondition | undefined {
  const header = request.headers.get("if-match");
  if (header === null) return undefined;
  if (header.trim() === "*") return "any";
  return header
    .split(",")
    .map((tag) => /^"([1-9]\d{0,15})"$/.exec(tag.trim())?.[1])
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
