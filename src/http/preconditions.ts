import { idempotency } from "../contract/user-operations.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { Precondition } from "../domain/store.ts";
import type { StoredUser } from "../domain/user.ts";

export function formatEtag({ version }: StoredUser): string {
  return `"${version}"`;
}

/** Weak comparison, as RFC 9110 has it for If-None-Match. */
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Strong comparison: a weak or foreign tag matches no version, and so the change is refused. */
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

/** The caller's Idempotency-Key, whether it came quoted (as the standard has it) or bare. */
export function parseIdempotencyKey(request: Request): string | undefined {
  const header = request.headers.get("idempotency-key");
  if (header === null) return undefined;
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header.trim())?.[1];
  const key = quoted?.replace(/\\(["\\])/g, "$1") ?? header.trim();
  if (!PRINTABLE.test(key)) {
    throw new ProblemError(
      "invalid-header",
      `Idempotency-Key is not 1 to ${idempotency.keyCharacters} printable ASCII characters.`,
    );
  }
  return key;
}
