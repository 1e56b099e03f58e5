import { scopes } from "../../contract/keys/key.ts";
import type { RateLimit } from "../../contract/keys/key-schemas.ts";
import { type Caller, environmentActor, type KeyActor } from "../caller.ts";
import type { Clock, Timer } from "../clock.ts";
import { dayOf, monthOfDay } from "../days.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { TokenBucket } from "../token-bucket.ts";
import { hashSecret } from "./hash-secret.ts";
import type { KeyStore, StoredKey } from "./key-store.ts";

/** A key in memory, with its rate limit and its usage. */
export interface CachedKey extends Caller {
  readonly actor: KeyActor;
  expiresAt: number | null;
  revokedAt: number | null;
  /** Undefined without a rate limit. */
  readonly bucket: TokenBucket | undefined;
  readonly quota: number | null;
  /** This month's requests: `counted` is sent to the store or confirmed by it, `uncounted` is not yet sent. */
  counted: number;
  uncounted: number;
}

/** Learns whether the database works. */
export interface DatabaseMonitor {
  /** `start` is the monotonic time at which the access started. */
  failed(error: unknown, access: "read" | "write", start: number): void;
  readSucceeded(start: number): void;
}

/** A revoked key must stop working within a second. */
const REFRESH_INTERVAL_MS = 250;
/** Every node that reaches the database knows a change after this long: one interval to begin a refresh, one to finish it. */
export const KNOWN_TO_ALL_MS = 2 * REFRESH_INTERVAL_MS;
/** How long after its last request a key's quota is still read from the store. */
const WATCH_MS = 60_000;
/** A crash loses at most the usage of this time. */
const COUNT_INTERVAL_MS = 1000;

/**
 * Every key in memory, by its digest, so that authentication needs no database. Reads changes by other nodes a few times
 * a second, and writes the usage of each key every second.
 */
export class KeyRing {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  readonly #defaultRateLimit: RateLimit | undefined;
  readonly #keys = new Map<string, CachedKey>();
  #lastChange = 0;
  #firstCreatedAt = Number.POSITIVE_INFINITY;
  #refreshing: Promise<void> | undefined;
  #nextRefresh: Promise<void> | undefined;
  #counting: Promise<void> = Promise.resolve();
  #nextCount: Promise<void> | undefined;
  /** The day of the requests that are not counted yet. */
  #day: string;
  /** Keys with uncounted requests. */
  #used = new Set<CachedKey>();
  /** Keys whose quota other nodes may use too, and until when to read it. */
  readonly #watched = new Map<CachedKey, number>();
  #timers: Timer[] = [];
  #onFirstKey: (() => void) | undefined;

  constructor(store: KeyStore, clock: Clock, defaultRateLimit?: RateLimit, environmentKey?: string) {
    this.#store = store;
    this.#clock = clock;
    this.#day = dayOf(clock.now());
    this.#defaultRateLimit = defaultRateLimit;
    if (environmentKey === undefined) return;
    this.#keys.set(hashSecret(environmentKey), {
      actor: environmentActor,
      name: "ROSTER_API_KEY",
      scopes,
      expiresAt: null,
      revokedAt: null,
      bucket: defaultRateLimit && new TokenBucket(defaultRateLimit),
      quota: null,
      counted: 0,
      uncounted: 0,
    });
  }

  /** Whether no key was ever created. After the first key, callers need one even if it has expired. */
  get isEmpty(): boolean {
    return this.#lastChange === 0 && this.#keys.size === 0;
  }

  /** Whether other nodes may not know yet that keys exist. They then serve callers without a key. */
  get isNews(): boolean {
    return this.isEmpty || this.#clock.now() - this.#firstCreatedAt < KNOWN_TO_ALL_MS;
  }

  /** Whether any key is neither expired nor revoked. */
  get hasActiveKey(): boolean {
    const now = this.#clock.now();
    return this.#keys
      .values()
      .some(({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > now));
  }

  /** Whether a new month has begun that has not been counted yet. Lasts about a second. */
  get isNewMonth(): boolean {
    return monthOf(this.#clock.now()) !== monthOfDay(this.#day);
  }

  /**
   * Follows the store until `stop`. Failures are retried. Calls `onFirstKey` when the first key appears.
   */
  start(monitor: DatabaseMonitor, onFirstKey: () => void): void {
    if (this.isEmpty) this.#onFirstKey = onFirstKey;
    const repeat = (ms: number, access: "read" | "write", work: () => Promise<void>) => {
      const attempt = async () => {
        const start = this.#clock.monotonic();
        try {
          await work();
          if (access === "read") monitor.readSucceeded(start);
        } catch (error) {
          monitor.failed(error, access, start);
        }
      };
      this.#timers.push(this.#clock.every(ms, attempt));
    };
    repeat(REFRESH_INTERVAL_MS, "read", async () => this.refresh());
    repeat(COUNT_INTERVAL_MS, "write", () => this.count());
  }

  /** Writes all usage to the store before it resolves. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) timer.clear();
    await Promise.allSettled([this.#refreshing, this.#nextRefresh]);
    await this.count();
  }

  find(digest: string): CachedKey | undefined {
    return this.#keys.get(digest);
  }

  /** Counts one request with this key. */
  recordUse(key: CachedKey): void {
    if (key.uncounted++ === 0 && key.actor.type === "key") this.#used.add(key);
  }

  /** Reads all changes so far. Calls during a running refresh share one more refresh, which starts after it. */
  refresh(): MaybePromise<void> {
    if (this.#nextRefresh) return this.#nextRefresh;
    if (!this.#refreshing) return this.#refresh();
    this.#nextRefresh = this.#refreshing
      .catch(() => undefined)
      .then(() => {
        this.#nextRefresh = undefined;
        return this.#refresh();
      });
    return this.#nextRefresh;
  }

  /**
   * Writes uncounted requests to the store and reads the totals of all nodes. Counts run one at a time: calls during a
   * running count share the next one.
   */
  count(): Promise<void> {
    this.#nextCount ??= this.#counting
      .catch(() => undefined)
      .then(() => {
        this.#nextCount = undefined;
        this.#counting = this.#count();
        return this.#counting;
      });
    return this.#nextCount;
  }

  async #count(): Promise<void> {
    const day = this.#day;
    const now = this.#clock.now();
    const used = [...this.#used, ...this.#listWatched(now)];
    this.#used = new Set();
    const uses = used.map((key) => ({ key, id: key.actor.id, requests: key.uncounted }));
    for (const { key, requests } of uses) {
      key.counted += requests;
      key.uncounted = 0;
    }
    try {
      const usages = uses.map(({ id, requests }) => ({ id, requests, lastUsedAt: now }));
      const totals = usages.length > 0 ? await this.#store.count(day, usages) : new Map<number, number>();
      for (const { key, id } of uses) key.counted = totals.get(id) ?? key.counted;
    } catch (error) {
      for (const { key, requests } of uses) {
        key.counted -= requests;
        key.uncounted += requests;
        this.#used.add(key);
      }
      throw error;
    }
    this.#day = dayOf(now);
    if (monthOfDay(this.#day) === monthOfDay(day)) return;
    for (const key of this.#keys.values()) key.counted = 0;
  }

  /** Recently used keys with a quota that have no uncounted requests here. Other nodes may have used them. */
  #listWatched(now: number): CachedKey[] {
    for (const key of this.#used) if (key.quota !== null) this.#watched.set(key, now + WATCH_MS);
    for (const [key, until] of this.#watched) if (until < now) this.#watched.delete(key);
    return [...this.#watched.keys()].filter((key) => !this.#used.has(key));
  }

  #refresh(): MaybePromise<void> {
    const changes = this.#store.changes(this.#lastChange, monthOfDay(this.#day));
    if (!(changes instanceof Promise)) return this.#applyChanges(changes);
    this.#refreshing = changes
      .then((found) => this.#applyChanges(found))
      .finally(() => {
        this.#refreshing = undefined;
      });
    return this.#refreshing;
  }

  #applyChanges({ keys, last }: { readonly keys: readonly StoredKey[]; readonly last: number }): void {
    this.#lastChange = last;
    for (const key of keys) {
      this.#firstCreatedAt = Math.min(this.#firstCreatedAt, key.createdAt);
      const cached = this.#keys.get(key.digest);
      // If the database also has the key in ROSTER_API_KEY, the record in the database applies.
      if (cached && cached.actor.type === "key") {
        cached.expiresAt = key.expiresAt;
        cached.revokedAt = key.revokedAt;
      } else this.#keys.set(key.digest, this.#toCachedKey(key));
    }
    if (this.isEmpty) return;
    this.#onFirstKey?.();
    this.#onFirstKey = undefined;
  }

  #toCachedKey({ id, name, scopes, expiresAt, revokedAt, rateLimit, quota, requests }: StoredKey): CachedKey {
    const limit = rateLimit ?? this.#defaultRateLimit;
    const bucket = limit && new TokenBucket(limit);
    const actor: KeyActor = { type: "key", id };
    return { actor, name, scopes, expiresAt, revokedAt, bucket, quota, counted: requests, uncounted: 0 };
  }
}

/** The calendar month (UTC) of a time, like 2026-11. */
export function monthOf(time: number): string {
  return monthOfDay(dayOf(time));
}

/** Milliseconds until the next month (UTC). */
export function untilNextMonth(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) - time;
}
