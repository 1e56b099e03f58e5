import type { Origin } from "../../domain/caller.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";

/**
 * Fails with `key-revoked`, `key-expired` or `unauthenticated` if the caller may no longer call. The node that admitted the caller
 * may not know yet that another node has revoked the caller's key, or created the first key. Keys and webhooks would outlive that, so
 * their changes check it in their own transaction. `schema` is the prefix of table names.
 */
export function* checkActor(schema: string, { actor }: Origin): SqlSteps<void> {
  if (actor.type === "anonymous") {
    const [existing] = yield { text: `SELECT id FROM ${schema}keys LIMIT 1`, values: [] };
    if (existing)
      throw new ProblemError("unauthenticated", "A key exists now. Send one as Authorization: Bearer.");
  } else if (actor.type === "key") {
    const text = `SELECT revoked_at, expires_at FROM ${schema}keys WHERE id = ?`;
    const [row] = yield { text, values: [actor.id] };
    if (!row) throw new ProblemError("unauthenticated", "This service has no such key any more.");
    const [revokedAt, expiresAt] = row;
    if (revokedAt !== null) throw new ProblemError("key-revoked");
    if (expiresAt !== null && Number(expiresAt) <= Date.now()) throw new ProblemError("key-expired");
  }
}
