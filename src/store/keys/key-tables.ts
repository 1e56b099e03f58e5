import { keyLimits, type Scope, scopes } from "../../contract/keys/key.ts";
import type { RateLimit } from "../../contract/keys/key-schemas.ts";
import type { DailyUsage } from "../../contract/users/stats-schemas.ts";
import type { Origin } from "../../domain/caller.ts";
import { monthOfDay } from "../../domain/days.ts";
import type { EventDraft } from "../../domain/events/event.ts";
import { type DescribedKey, type KeyRecord, keyRecord } from "../../domain/keys/key-record.ts";
import type {
  KeyDraft,
  KeyStore,
  KeyUsage,
  Replacement,
  SessionLimit,
  StoredKey,
  StoredSession,
} from "../../domain/keys/key-store.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { EngineOf } from "../sql/engine.ts";
import { type Sql, sql, toNumber } from "../sql/sql.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import { toStoredActor } from "../sql/stored-actor.ts";
import type { TableDialect } from "../sql/table-dialect.ts";
import { checkActor } from "./check-actor.ts";

const DAY_MS = 86_400_000;
/** Rows of daily usage that one cleanup deletes at most. */
const MAX_USAGE_PER_CLEANUP = 1000;
/** Expired sessions that one sign-in deletes at most. */
const MAX_SESSIONS_PER_CLEANUP = 100;

interface NewKey {
  readonly id: number;
  readonly draft: KeyDraft;
  readonly by: Origin;
  readonly now: number;
  readonly change: number;
}

/** Every statement on the tables of keys, their usage and sessions, for any engine. Writes must run in a transaction. */
export class KeyTables {
  readonly #dialect: TableDialect;
  readonly #select: string;

  constructor(dialect: TableDialect) {
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
    const retainedSince = Date.now() - keyLimits.retentionDays * DAY_MS;
    const rows = yield sql(
      `${this.#select} WHERE k.change > ? AND (k.revoked_at IS NULL OR k.revoked_at > ?)
       AND (k.expires_at IS NULL OR k.expires_at > ?)`,
      month,
      after,
      retainedSince,
      retainedSince,
    );
    // PostgreSQL may commit changes between the two statements: some rows are then newer than `last`.
    return { keys: rows.map(toKey), last: Math.max(last, ...rows.map((row) => Number(row[12]))) };
  }

  *list(after: number, limit: number, month: string): SqlSteps<StoredKey[]> {
    const rows = yield sql(`${this.#select} WHERE k.id > ? ORDER BY k.id LIMIT ?`, month, after, limit);
    return rows.map(toKey);
  }

  *read(id: number, month: string): SqlSteps<StoredKey | undefined> {
    const [row] = yield sql(`${this.#select} WHERE k.id = ?`, month, id);
    return row && toKey(row);
  }

  /** Repeating it after a lost response creates no other key. */
  *create(draft: KeyDraft, replaces: Replacement | undefined, by: Origin): SqlSteps<StoredKey> {
    const keys = this.#table("keys");
    const now = Date.now();
    yield* this.#lock();
    const [existing] = yield sql(`SELECT id FROM ${keys} WHERE digest = ?`, draft.digest);
    if (existing) return yield* this.#readExisting(Number(existing[0]));
    yield* checkActor(this.#dialect.schema, by);
    const [active] = yield sql(
      `SELECT count(*) FROM ${keys} WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
      now,
    );
    if (Number(active?.[0]) >= keyLimits.keys) {
      throw problem("", `There are already ${keyLimits.keys} active keys. Revoke some that are not needed.`);
    }
    const change = (yield* this.#lastChange()) + 1;
    const id = (yield* this.#lastId()) + 1;
    const replaced = replaces && (yield* this.#expire(replaces, now, change));
    yield this.#insert({ id, draft, by, now, change: change + 1 });
    const created = yield* this.#readExisting(id);
    yield this.#dialect.appendEvent(keyCreated(created, by), now);
    if (replaced) yield this.#dialect.appendEvent(keyReplaced(replaced.before, replaced.expiresAt, by), now);
    return created;
  }

  /** Keeps the ids up to the one that is `count` further from being given: that one becomes the id of a revoked key. */
  *skipIds(count: number, draft: KeyDraft, by: Origin): SqlSteps<number> {
    yield* this.#lock();
    const id = (yield* this.#lastId()) + count;
    const now = Date.now();
    yield this.#insert({ id, draft, by, now, change: (yield* this.#lastChange()) + 1 });
    yield this.#dialect.appendEvent(keyCreated(yield* this.#readExisting(id), by), now);
    yield* this.revoke(id, by);
    return id;
  }

  #insert({ id, draft, by, now, change }: NewKey): Sql {
    return sql(
      `INSERT INTO ${this.#table("keys")} (id, name, prefix, digest, scopes, created_at, created_by, expires_at, rate_requests,
       rate_seconds, quota, lifetime, change) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      draft.name,
      draft.prefix,
      draft.digest,
      draft.scopes.join(" "),
      now,
      toStoredActor(by.actor),
      draft.expiresAt,
      draft.rateLimit?.requests ?? null,
      draft.rateLimit?.seconds ?? null,
      draft.quota,
      draft.expiresAt === null ? null : draft.expiresAt - now,
      change,
    );
  }

  *#readExisting(id: number): SqlSteps<StoredKey> {
    const key = yield* this.read(id, "");
    if (!key) throw new Error(`Key ${id} cannot be read.`);
    return key;
  }

  /** Returns the key before, and when it expires now. */
  *#expire({ id, expiresAt: latest }: Replacement, now: number, change: number) {
    const before = yield* this.read(id, "");
    if (!before || before.revokedAt !== null || (before.expiresAt !== null && before.expiresAt <= now)) {
      throw problem("/replaces", `Key ${id} is expired or revoked. Create a key without \`replaces\`.`);
    }
    const expiresAt = Math.min(before.expiresAt ?? latest, latest);
    yield sql(
      `UPDATE ${this.#table("keys")} SET expires_at = ?, change = ? WHERE id = ?`,
      expiresAt,
      change,
      id,
    );
    return { before, expiresAt };
  }

  *revoke(id: number, by: Origin): SqlSteps<boolean> {
    const keys = this.#table("keys");
    yield* this.#lock();
    const before = yield* this.read(id, "");
    if (!before) return false;
    if (before.revokedAt !== null) return true;
    yield* checkActor(this.#dialect.schema, by);
    const now = Date.now();
    const change = (yield* this.#lastChange()) + 1;
    yield sql(
      `UPDATE ${keys} SET revoked_at = ?, revoked_by = ?, change = ? WHERE id = ?`,
      now,
      toStoredActor(by.actor),
      change,
      id,
    );
    yield this.#dialect.appendEvent(keyRevoked(before, now, by), now);
    return true;
  }

  /** Repeating it after a lost response adds the uses twice. Returns the requests of each key in the month. */
  *count(day: string, uses: readonly KeyUsage[]): SqlSteps<ReadonlyMap<number, number>> {
    // Every node locks the rows in the order of their ids, which prevents deadlocks.
    const sorted = [...uses].sort((a, b) => a.id - b.id);
    const counted = JSON.stringify(sorted.map(({ id, requests, lastUsedAt }) => [id, requests, lastUsedAt]));
    const rows = yield {
      text: `INSERT INTO ${this.#table("key_usage")} (key_id, month, requests, last_used_at)
       SELECT CAST(value ->> 0 AS bigint), ?, CAST(value ->> 1 AS bigint), CAST(value ->> 2 AS bigint)
       FROM ${this.#dialect.elements} WHERE TRUE
       ON CONFLICT (key_id, month) DO UPDATE
       SET requests = key_usage.requests + excluded.requests,
           last_used_at = CASE WHEN excluded.requests > 0 THEN excluded.last_used_at ELSE key_usage.last_used_at END
       RETURNING key_id, requests`,
      values: [monthOfDay(day), counted],
    };
    yield {
      text: `INSERT INTO ${this.#table("daily_key_usage")} (key_id, day, requests)
       SELECT CAST(value ->> 0 AS bigint), ?, CAST(value ->> 1 AS bigint)
       FROM ${this.#dialect.elements} WHERE CAST(value ->> 1 AS bigint) > 0
       ON CONFLICT (key_id, day) DO UPDATE SET requests = daily_key_usage.requests + excluded.requests`,
      values: [day, counted],
    };
    return new Map(rows.map(([id, requests]) => [Number(id), Number(requests)]));
  }

  *readDailyUsage(id: number, from: string): SqlSteps<DailyUsage[]> {
    const rows = yield {
      text: `SELECT day, requests FROM ${this.#table("daily_key_usage")} WHERE key_id = ? AND day >= ?`,
      values: [id, from],
    };
    return rows.map(([day, requests]) => ({ date: String(day), requests: Number(requests) }));
  }

  /** Removes some of the days before this one, and returns the number of rows. */
  *removeDailyUsage(before: string): SqlSteps<number> {
    const rows = yield {
      text: `DELETE FROM ${this.#table("daily_key_usage")} WHERE (key_id, day) IN
       (SELECT key_id, day FROM ${this.#table("daily_key_usage")} WHERE day < ? ORDER BY day LIMIT ${MAX_USAGE_PER_CLEANUP}) RETURNING key_id`,
      values: [before],
    };
    return rows.length;
  }

  *readSession(digest: string): SqlSteps<StoredSession | undefined> {
    const [row] = yield {
      text: `SELECT key_digest, expires_at FROM ${this.#table("sessions")} WHERE digest = ?`,
      values: [digest],
    };
    return row && { keyDigest: String(row[0]), expiresAt: Number(row[1]) };
  }

  /** Deletes some expired sessions, too. */
  *openSession(
    digest: string,
    { keyDigest, expiresAt }: StoredSession,
    limit?: SessionLimit,
  ): SqlSteps<void> {
    yield {
      text: `DELETE FROM ${this.#table("sessions")} WHERE digest IN
       (SELECT digest FROM ${this.#table("sessions")} WHERE expires_at <= ? ORDER BY expires_at LIMIT ${MAX_SESSIONS_PER_CLEANUP})`,
      values: [Date.now()],
    };
    if (limit) yield* this.#closeOldest(limit);
    yield {
      text: `INSERT INTO ${this.#table("sessions")} (digest, key_digest, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
      values: [digest, keyDigest, expiresAt],
    };
  }

  /** Leaves room for one more session. */
  *#closeOldest({ prefix, most }: SessionLimit): SqlSteps<void> {
    yield sql(
      `DELETE FROM ${this.#table("sessions")} WHERE digest IN
       (SELECT digest FROM ${this.#table("sessions")} WHERE digest >= ? AND digest < ?
        ORDER BY expires_at DESC LIMIT ${MAX_SESSIONS_PER_CLEANUP} OFFSET ?)`,
      prefix,
      // Sorts after every digest with this prefix.
      `${prefix}~`,
      most - 1,
    );
  }

  *closeSession(digest: string): SqlSteps<void> {
    yield { text: `DELETE FROM ${this.#table("sessions")} WHERE digest = ?`, values: [digest] };
  }

  *#lock(): SqlSteps<void> {
    const { locks } = this.#dialect;
    if (locks) yield sql(locks.keysAndWebhooks);
  }

  *#lastId(): SqlSteps<number> {
    const [row] = yield sql(`SELECT max(id) FROM ${this.#table("keys")}`);
    return Number(row?.[0] ?? 0);
  }

  *#lastChange(): SqlSteps<number> {
    const [row] = yield sql(`SELECT max(change) FROM ${this.#table("keys")}`);
    return Number(row?.[0] ?? 0);
  }

  #table(name: string): string {
    return `${this.#dialect.schema}${name}`;
  }
}

/** The store of keys, for any engine. */
export function keyStore({ read, write }: EngineOf<KeyTables>): KeyStore {
  return {
    changes: (...args) => read("changes", args),
    list: (...args) => read("list", args),
    read: (...args) => read("read", args),
    create: (...args) => write("create", args),
    revoke: (...args) => write("revoke", args),
    count: (...args) => write("count", args),
    readDailyUsage: (...args) => read("readDailyUsage", args),
    removeDailyUsage: (...args) => write("removeDailyUsage", args),
    openSession: (...args) => write("openSession", args),
    readSession: (...args) => read("readSession", args),
    closeSession: (...args) => write("closeSession", args),
  };
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

/** Ignores unknown scopes: a later version may have added them. */
function toScopes(text: string): Scope[] {
  const stored = text.split(" ");
  return scopes.filter((scope) => stored.includes(scope));
}

function toRateLimit(requests: unknown, seconds: unknown): RateLimit | null {
  return requests === null ? null : { requests: Number(requests), seconds: Number(seconds) };
}

function keyCreated(key: DescribedKey, by: Origin): EventDraft {
  return draft("key.created", keyRecord(key), "{}", by);
}

/** `before` is the key before its expiry changed. */
function keyReplaced(before: DescribedKey, expiresAt: number | null, by: Origin): EventDraft {
  return changed("key.replaced", before, { ...before, expiresAt }, "expiresAt", by);
}

function keyRevoked(before: DescribedKey, revokedAt: number, by: Origin): EventDraft {
  return changed("key.revoked", before, { ...before, revokedAt }, "revokedAt", by);
}

function changed(
  type: EventDraft["type"],
  before: DescribedKey,
  after: DescribedKey,
  field: "expiresAt" | "revokedAt",
  by: Origin,
): EventDraft {
  const record = keyRecord(after);
  const [from, to] = [keyRecord(before)[field], record[field]];
  return draft(type, record, from === to ? "{}" : JSON.stringify({ [field]: { from, to } }), by);
}

function draft(type: EventDraft["type"], record: KeyRecord, changes: string, by: Origin): EventDraft {
  return { type, subjectId: record.id, version: null, by, changes, record: JSON.stringify(record) };
}
