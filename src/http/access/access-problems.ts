import type { CachedKey } from "../../domain/keys/key-ring.ts";
import { HttpProblemError } from "../problem-response.ts";

/** The problem of a caller that has to wait. */
export function rateLimited(seconds: number, reason = "The rate limit is exceeded."): HttpProblemError {
  const detail = `${reason} Retry in ${seconds === 1 ? "1 second" : `${seconds} seconds`}.`;
  return new HttpProblemError("rate-limited", detail, { "retry-after": String(seconds) });
}

/** Why a key is not active at this time; undefined for an active key. */
export function inactiveReason(
  { revokedAt, expiresAt }: CachedKey,
  now: number,
): { readonly type: "key-revoked" | "key-expired"; readonly detail: string } | undefined {
  if (revokedAt !== null) {
    return { type: "key-revoked", detail: `The key was revoked at ${new Date(revokedAt).toISOString()}.` };
  }
  if (expiresAt !== null && expiresAt <= now) {
    return { type: "key-expired", detail: `The key expired at ${new Date(expiresAt).toISOString()}.` };
  }
  return undefined;
}
