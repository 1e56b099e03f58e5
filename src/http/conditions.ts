import { idempotency } from "../contract/user-operations.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { Precondition } from "../domain/store.ts";
import type { StoredUser } from "../domain/user.ts";

export function etagOf({ version }: StoredUser): string {
  return `"${version}"`;
}

/** Weak comparison, as RFC 9110 has it for If-None-Match. */
export function hasSeen(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Strong comparison: a weak or foreign tag matches no version, and so the change is refused. */
export function preconditionOf(request: Request): Precondition | undefined {
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
export function idempotencyKeyOf(request: Request): string | undefined {
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

/**
 * Of the types that there are, the one that an Accept header likes best, the first among equals; undefined if none. Any
 * but the first has to be named outright: nobody is to get everybody for an asterisk.
 */
export function preferred(accept: string | null, types: readonly string[]): string | undefined {
  if (accept === null || accept === "*/*" || accept.trim() === "") return types[0];
  let best = { type: types[0], quality: 0, rank: 0 };
  for (const type of types) {
    const { quality, rank } = likingOf(accept, type);
    if (type !== types[0] && rank < NAMED) continue;
    // Of what is liked as much, what is named comes before what an asterisk lets through.
    const better = quality > best.quality || (quality === best.quality && rank > best.rank);
    if (quality > 0 && better) best = { type, quality, rank };
  }
  return best.quality > 0 ? best.type : undefined;
}

const NAMED = 3;

function likingOf(accept: string, type: string): { rank: number; quality: number } {
  const family = `${type.split("/")[0]}/*`;
  let best = { rank: 0, quality: 0 };
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const rank = name === type ? NAMED : name === family ? 2 : name === "*/*" ? 1 : 0;
    const quality = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1);
    if (rank > best.rank) best = { rank, quality };
  }
  return best;
}
