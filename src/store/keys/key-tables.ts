import { keyLimits, type Scope, scopes } from "../../contract/keys/key.ts";
import type { RateLimit } from "../../contract/keys/key-schemas.ts";
import type { Origin } from "../../domain/caller.ts";
import type { EventDraft } from "../../domain/events/event.ts";
import type {
  KeyDraft,
  KeyUsage,
  Replacement,
  StoredKey,
  StoredSession,
} from "../../domain/keys/key-store.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { keyCreated, keyReplaced, keyRevoked } from "../events/key-events.ts";
import type { Sql, SqlValue } from "../sql/sql.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import { checkActor } from "./check-actor.ts";
import { SessionTable } from "./session-table.ts";
import { UsageTables } from "./usage-tables.ts";

/** SQL of the key tables that differs between engines. */
export interface KeyDialect {
  /** Prefix of table names. */
  readonly schema: string;
  /** Statement that locks out concurrent changes of keys; undefined if the engine has only one writer. */
  readonly lock: string | undefined;
  /** FROM item: the elements of a JSON array, as rows with a `value`. */
  readonly elements: string;
  /** Statement that appends an event, as the last one of its transaction. */
  readonly appendEvent: (event: EventDraft, now: number) => Sql;
}

/** A change of keys or sessions as plain data, which can be sent to the writer thread. */
export type KeyWrite =
  | {
      readonly kind: "create-key";
      readonly draft: KeyDraft;
      readonly replaces: Replacement | undefined;
      readonly by: Origin;
    }
  | { readonly kind: "revoke-key"; readonly id: number; readonly by: Origin }
  | { readonly kind: "count-uses"; readonly day: string; readonly uses: readonly KeyUsage[] }
  | { readonly kind: "remove-usage"; readonly before: string }
  | { readonly kind: "open-session"; readonly digest: string; readonly session: StoredSession }
  | { readonly kind: "close-session"; readonly digest: string };

/** Result of a change, with the `kind` of the change. */
export type KeyWriteOutcome =
  | { readonly kind: "create-key"; readonly id: number }
  | { readonly kind: "revoke-key"; readonly found: boolean }
  | { readonly kind: "count-uses"; readonly totals: ReadonlyMap<number, number> }
  | { readonly kind: "remove-usage"; readonly removed: number }
  | { readonly kind: "open-session" | "close-session" };

const DAY_MS = 86_400_000;

/** Every statement on the tables of keys, their usage and sessions, for any engine. Callers run writes in a transaction. */
export class KeyTables {
  readonly #dialect: KeyDialect;
  readonly #select: string;
  readonly usage: UsageTables;
  readonly sessions: SessionTable;

  constructor(dialect: KeyDialect) {
    this.#dialect = dialect;
    this.usage = new UsageTables(dialect);
    this.sessions = new SessionTable(dialect);
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
    const rows = yield this.#sql(
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
    const rows = yield this.#sql(`${this.#select} WHERE k.id > ? ORDER BY k.id LIMIT ?`, month, after, limit);
    return rows.map(toKey);
  }

  *read(id: number, month: string): SqlSteps<StoredKey | undefined> {
    const [row] = yield this.#sql(`${this.#select} WHERE k.id = ?`, month, id);
    return row && toKey(row);
  }

  /** Applies a change. Repeating it after a lost response changes nothing, except that counts are added twice. */
  *write(write: KeyWrite): SqlSteps<KeyWriteOutcome> {
    const { kind } = write;
    switch (kind) {
      case "create-key":
        return { kind, id: yield* this.#create(write.draft, write.replaces, write.by) };
      case "revoke-key":
        return { kind, found: yield* this.#revoke(write.id, write.by) };
      case "count-uses":
        return { kind, totals: yield* this.usage.count(write.day, write.uses) };
      case "remove-usage":
        return { kind, removed: yield* this.usage.removeDaily(write.before) };
      case "open-session":
        yield* this.sessions.open(write.digest, write.session);
        return { kind };
      case "close-session":
        yield* this.sessions.close(write.digest);
        return { kind };
    }
  }

  *#create(draft: KeyDraft, replaces: Replacement | undefined, by: Origin): SqlSteps<number> {
    const keys = this.#table("keys");
    const now = Date.now();
    yield* this.#lock();
    const [existing] = yield this.#sql(`SELECT id FROM ${keys} WHERE digest = ?`, draft.digest);
    if (existing) return Number(existing[0]);
    yield* checkActor(this.#dialect.schema, by);
    const [active] = yield this.#sql(
      `SELECT count(*) FROM ${keys} WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
      now,
    );
    if (Number(active?.[0]) >= keyLimits.keys) {
      throw problem("", `There are already ${keyLimits.keys} active keys. Revoke some that are not needed.`);
    }
    const change = (yield* this.#lastChange()) + 1;
    const [last] = yield this.#sql(`SELECT max(id) FROM ${keys}`);
    const id = Number(last?.[0] ?? 0) + 1;
    const replaced = replaces && (yield* this.#expire(replaces, now, change));
    yield this.#sql(
      `INSERT INTO ${keys} (id, name, prefix, digest, scopes, created_at, created_by, expires_at, rate_requests,
       rate_seconds, quota, lifetime, change) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      draft.name,
      draft.prefix,
      draft.digest,
      draft.scopes.join(" "),
      now,
      by.actor,
      draft.expiresAt,
      draft.rateLimit?.requests ?? null,
      draft.rateLimit?.seconds ?? null,
      draft.quota,
      draft.expiresAt === null ? null : draft.expiresAt - now,
      change + 1,
    );
    yield this.#dialect.appendEvent(keyCreated({ ...draft, id, createdAt: now, revokedAt: null }, by), now);
    if (replaced) yield this.#dialect.appendEvent(keyReplaced(replaced.before, replaced.expiresAt, by), now);
    return id;
  }

  /** Returns the key before, and when it expires now. */
  *#expire({ id, expiresAt: latest }: Replacement, now: number, change: number) {
    const before = yield* this.read(id, "");
    if (!before || before.revokedAt !== null || (before.expiresAt !== null && before.expiresAt <= now)) {
      throw problem("/replaces", `Key ${id} is expired or revoked. Create a key without \`replaces\`.`);
    }
    const expiresAt = Math.min(before.expiresAt ?? latest, latest);
    yield this.#sql(
      `UPDATE ${this.#table("keys")} SET expires_at = ?, change = ? WHERE id = ?`,
      expiresAt,
      change,
      id,
    );
    return { before, expiresAt };
  }

  *#revoke(id: number, by: Origin): SqlSteps<boolean> {
    const keys = this.#table("keys");
    yield* this.#lock();
    const before = yield* this.read(id, "");
    if (!before) return false;
    if (before.revokedAt !== null) return true;
    yield* checkActor(this.#dialect.schema, by);
    const now = Date.now();
    const change = (yield* this.#lastChange()) + 1;
    yield this.#sql(
      `UPDATE ${keys} SET revoked_at = ?, revoked_by = ?, change = ? WHERE id = ?`,
      now,
      by.actor,
      change,
      id,
    );
    yield this.#dialect.appendEvent(keyRevoked(before, now, by), now);
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

/** Ignores unknown scopes: a later version may have added them. */
function toScopes(text: string): Scope[] {
  const stored = text.split(" ");
  return scopes.filter((scope) => stored.includes(scope));
}

function toRateLimit(requests: unknown, seconds: unknown): RateLimit | null {
  return requests === null ? null : { requests: Number(requests), seconds: Number(seconds) };
}

function toNumber(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
