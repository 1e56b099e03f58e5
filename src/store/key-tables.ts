import { keyLimits, type Scope, scopes } from "../contract/key.ts";
import type { RateLimit } from "../contract/key-schemas.ts";
import type { Actor } from "../domain/caller.ts";
import type { KeyDraft, KeyUsage, Replacement, StoredKey, StoredSession } from "../domain/key-store.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { Sql, SqlValue } from "./lists/sql.ts";
import type { SqlSteps } from "./lists/sql-steps.ts";

/** What is different about an engine where keys are concerned. */
export interface KeyDialect {
  /** Stands before the name of a table. */
  readonly schema: string;
  /** Makes changes of keys follow each other, where a transaction alone does not. */
  readonly lock: string | undefined;
  /** The elements of a JSON array as rows with a `value`. */
  readonly elements: string;
}

/** A change of keys or sessions, as plain data: it may cross to the thread that commits. */
export type KeyWrite =
  | {
      readonly kind: "create-key";
      readonly draft: KeyDraft;
      readonly replaces: Replacement | undefined;
      readonly by: Actor;
    }
  | { readonly kind: "revoke-key"; readonly id: number; readonly by: Actor }
  | { readonly kind: "count-uses"; readonly month: string; readonly uses: readonly KeyUsage[] }
  | { readonly kind: "open-session"; readonly digest: string; readonly session: StoredSession }
  | { readonly kind: "close-session"; readonly digest: string };

/** The id of a new key, whether there was one to revoke, or what the counts come to. */
export type KeyWriteOutcome = number | boolean | ReadonlyMap<number, number>;

const DAY_MS = 86_400_000;
/** How many sessions past their time one sign-in clears away. */
const SESSIONS_CLEARED = 100;

/** All that is asked of the tables of keys, the same for every engine. Writes expect a transaction around them. */
export class KeyTables {
  readonly #dialect: KeyDialect;
  readonly #select: string;

  constructor(dialect: KeyDialect) {
    this.#dialect = dialect;
    const { schema } = dialect;
    this.#select = `
      SELECT k.id, k.name, k.prefix, k.digest, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.rate_requests,
             k.rate_seconds, k.quota, k.lifetime, k.change,
             (SELECT max(u.last_used_at) FROM ${schema}key_usage u WHERE u.key_id = k.id),
             (SELECT u.requests FROM ${schema}key_usage u WHERE u.key_id = k.id AND u.month = ?)
      FROM ${schema}keys k`;
  }

  *changes(after: number, month: string): SqlSteps<{ keys: StoredKey[]; last: number }> {
    const last = yield* this.#lastChange();
    if (last === after) return { keys: [], last };
    const remembered = Date.now() - keyLimits.retentionDays * DAY_MS;
    const rows = yield this.#sql(
      `${this.#select} WHERE k.change > ? AND (k.revoked_at IS NULL OR k.revoked_at > ?)
       AND (k.expires_at IS NULL OR k.expires_at > ?)`,
      month,
      after,
      remembered,
      remembered,
    );
    // Where rows may be changed between two questions, some are newer than the change that was asked for first.
    return { keys: rows.map(toKey), last: Math.max(last, ...rows.map((row) => Number(row[12]))) };
  }

  *list(after: number, limit: number, month: string): SqlSteps<StoredKey[]> {
    const rows = yield this.#sql(`${this.#select} WHERE k.id > ? ORDER BY k.id LIMIT ?`, month, after, limit);
    return rows.map(toKey);
  }

  *read(id: number, month: string): SqlSteps<StoredKey | undefined> {
    const [row] = yield this.#sql(`${this.#select} WHERE k.id = ?`, month, id);
    return row && toKey(row);
  }

  *readSession(digest: string): SqlSteps<StoredSession | undefined> {
    const [row] = yield this.#sql(
      `SELECT key_digest, expires_at FROM ${this.#table("sessions")} WHERE digest = ?`,
      digest,
    );
    return row && { keyDigest: String(row[0]), expiresAt: Number(row[1]) };
  }

  /** Does one of the changes. One that is done again after its answer was lost is done once; only counts are added twice. */
  *write(write: KeyWrite): SqlSteps<KeyWriteOutcome> {
    switch (write.kind) {
      case "create-key":
        return yield* this.#create(write.draft, write.replaces, write.by);
      case "revoke-key":
        return yield* this.#revoke(write.id, write.by);
      case "count-uses":
        return yield* this.#count(write.month, write.uses);
      case "open-session":
        return yield* this.#openSession(write.digest, write.session);
      case "close-session":
        yield this.#sql(`DELETE FROM ${this.#table("sessions")} WHERE digest = ?`, write.digest);
        return true;
    }
  }

  *#create(draft: KeyDraft, replaces: Replacement | undefined, by: Actor): SqlSteps<number> {
    const keys = this.#table("keys");
    const now = Date.now();
    yield* this.#lock();
    const [made] = yield this.#sql(`SELECT id FROM ${keys} WHERE digest = ?`, draft.digest);
    if (made) return Number(made[0]);
    const [counted] = yield this.#sql(
      `SELECT count(*) FROM ${keys} WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
      now,
    );
    if (Number(counted?.[0]) >= keyLimits.keys) {
      throw problem("", `There are ${keyLimits.keys} keys in force: revoke those that nobody needs.`);
    }
    const change = (yield* this.#lastChange()) + 1;
    const [last] = yield this.#sql(`SELECT max(id) FROM ${keys}`);
    const id = Number(last?.[0] ?? 0) + 1;
    if (replaces) yield* this.#end(replaces, now, change);
    yield this.#sql(
      `INSERT INTO ${keys} (id, name, prefix, digest, scopes, created_at, created_by, expires_at, rate_requests,
       rate_seconds, quota, lifetime, change) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      draft.name,
      draft.prefix,
      draft.digest,
      draft.scopes.join(" "),
      now,
      by,
      draft.expiresAt,
      draft.rateLimit?.requests ?? null,
      draft.rateLimit?.seconds ?? null,
      draft.quota,
      draft.expiresAt === null ? null : draft.expiresAt - now,
      change + 1,
    );
    return id;
  }

  *#end({ id, endsAt }: Replacement, now: number, change: number): SqlSteps<void> {
    const [row] = yield this.#sql(
      `UPDATE ${this.#table("keys")} SET expires_at = CASE WHEN expires_at < ? THEN expires_at ELSE ? END, change = ?
       WHERE id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) RETURNING id`,
      endsAt,
      endsAt,
      change,
      id,
      now,
    );
    if (!row) throw problem("/replaces", `Key ${id} has ended: make a new one that stands in for nothing.`);
  }

  *#revoke(id: number, by: Actor): SqlSteps<boolean> {
    const keys = this.#table("keys");
    yield* this.#lock();
    const [row] = yield this.#sql(`SELECT revoked_at FROM ${keys} WHERE id = ?`, id);
    if (!row) return false;
    if (row[0] !== null) return true;
    const change = (yield* this.#lastChange()) + 1;
    yield this.#sql(
      `UPDATE ${keys} SET revoked_at = ?, revoked_by = ?, change = ? WHERE id = ?`,
      Date.now(),
      by,
      change,
      id,
    );
    return true;
  }

  *#count(month: string, uses: readonly KeyUsage[]): SqlSteps<ReadonlyMap<number, number>> {
    // In the order of their ids, as every node takes them: none then waits for one that waits for it.
    const sorted = [...uses].sort((a, b) => a.id - b.id);
    const usage = this.#table("key_usage");
    const rows = yield this.#sql(
      `INSERT INTO ${usage} (key_id, month, requests, last_used_at)
       SELECT CAST(value ->> 0 AS bigint), ?, CAST(value ->> 1 AS bigint), CAST(value ->> 2 AS bigint)
       FROM ${this.#dialect.elements} WHERE TRUE
       ON CONFLICT (key_id, month) DO UPDATE
       SET requests = key_usage.requests + excluded.requests,
           last_used_at = CASE WHEN excluded.requests > 0 THEN excluded.last_used_at ELSE key_usage.last_used_at END
       RETURNING key_id, requests`,
      month,
      JSON.stringify(sorted.map(({ id, requests, lastUsedAt }) => [id, requests, lastUsedAt])),
    );
    return new Map(rows.map(([id, requests]) => [Number(id), Number(requests)]));
  }

  *#openSession(digest: string, { keyDigest, expiresAt }: StoredSession): SqlSteps<boolean> {
    const sessions = this.#table("sessions");
    yield this.#sql(
      `DELETE FROM ${sessions} WHERE digest IN
       (SELECT digest FROM ${sessions} WHERE expires_at <= ? ORDER BY expires_at LIMIT ${SESSIONS_CLEARED})`,
      Date.now(),
    );
    yield this.#sql(
      `INSERT INTO ${sessions} (digest, key_digest, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
      digest,
      keyDigest,
      expiresAt,
    );
    return true;
  }

  *#lock(): SqlSteps<void> {
    if (this.#dialect.lock !== undefined) yield this.#sql(this.#dialect.lock);
  }

  *#lastChange(): SqlSteps<number> {
    const [row] = yield this.#sql(`SELECT max(change) FROM ${this.#table("keys")}`);
    return Number(row?.[0] ?? 0);
  }

  #table(name: string): string {
    return `${this.#dialect.schema}${name}`;
  }

  #sql(text: string, ...values: SqlValue[]): Sql {
    return { text, values };
  }
}

function problem(pointer: string, detail: string): ProblemError {
  return new ProblemError("invalid-key", detail, [{ pointer, detail }]);
}

function toKey(row: readonly unknown[]): StoredKey {
  const [id, name, prefix, digest, scopeText, createdAt, expiresAt, revokedAt, ...rest] = row;
  const [requests, seconds, quota, lifetime, , lastUsedAt, used] = rest;
  return {
    id: Number(id),
    name: String(name),
    prefix: String(prefix),
    digest: String(digest),
    scopes: toScopes(String(scopeText)),
    createdAt: Number(createdAt),
    lifetime: toNumber(lifetime),
    expiresAt: toNumber(expiresAt),
    revokedAt: toNumber(revokedAt),
    lastUsedAt: toNumber(lastUsedAt),
    rateLimit: toRateLimit(requests, seconds),
    quota: toNumber(quota),
    requests: Number(used ?? 0),
  };
}

/** What a later version may have added is not ours to give. */
function toScopes(text: string): Scope[] {
  const given = text.split(" ");
  return scopes.filter((scope) => given.includes(scope));
}

function toRateLimit(requests: unknown, seconds: unknown): RateLimit | null {
  return requests === null ? null : { requests: Number(requests), seconds: Number(seconds) };
}

function toNumber(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
