import type { StoredSession } from "../../domain/keys/key-store.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";

/** Expired sessions that one sign-in deletes at most. */
const MAX_SESSIONS_PER_CLEANUP = 100;

/** The sessions of the console. */
export class SessionTable {
  readonly #table: string;

  constructor({ schema }: { readonly schema: string }) {
    this.#table = `${schema}sessions`;
  }

  *read(digest: string): SqlSteps<StoredSession | undefined> {
    const [row] = yield {
      text: `SELECT key_digest, expires_at FROM ${this.#table} WHERE digest = ?`,
      values: [digest],
    };
    return row && { keyDigest: String(row[0]), expiresAt: Number(row[1]) };
  }

  /** Deletes some expired sessions, too. */
  *open(digest: string, { keyDigest, expiresAt }: StoredSession): SqlSteps<void> {
    yield {
      text: `DELETE FROM ${this.#table} WHERE digest IN
       (SELECT digest FROM ${this.#table} WHERE expires_at <= ? ORDER BY expires_at LIMIT ${MAX_SESSIONS_PER_CLEANUP})`,
      values: [Date.now()],
    };
    yield {
      text: `INSERT INTO ${this.#table} (digest, key_digest, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
      values: [digest, keyDigest, expiresAt],
    };
  }

  *close(digest: string): SqlSteps<void> {
    yield { text: `DELETE FROM ${this.#table} WHERE digest = ?`, values: [digest] };
  }
}
