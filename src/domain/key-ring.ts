import { scopes } from "../contract/key.ts";
import type { RateLimit } from "../contract/key-schemas.ts";
import type { Caller } from "./caller.ts";
import { hashSecret } from "./hash-secret.ts";
import type { KeyStore, StoredKey } from "./key-store.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import { TokenBucket } from "./token-bucket.ts";

/** A key that somebody may show, and how much of what it may do is left. */
export interface CachedKey extends Caller {
  expiresAt: number | null;
  revokedAt: number | null;
  /** Undefined where no rate is set. */
  readonly bucket: TokenBucket | undefined;
  readonly quota: number | null;
  /** This month's calls: those that the store is or was told of, and those that it is to be told of. */
  counted: number;
  uncounted: number;
}

/** The id of the key that was given with the environment, which is in no database. */
const ENVIRONMENT = 0;
/** Revoking has to take effect within a second. */
const REFRESHED_EVERY_MS = 250;
/** How long after a call a node still asks how much of the key's quota is left. */
const WATCHED_MS = 60_000;
/** What a crash may take away of the counts. */
const COUNTED_EVERY_MS = 1000;

/**
 * Every key in memory, by its digest, so that checking one asks nobody. What has changed elsewhere is looked for a few
 * times a second, and every second the store is told how often each was used.
 */
export class KeyRing {
  readonly #store: KeyStore;
  readonly #rate: RateLimit | undefined;
  readonly #held = new Map<string, CachedKey>();
  #last = 0;
  #refreshing: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #counting: Promise<void> = Promise.resolve();
  #nextCount: Promise<void> | undefined;
  #month = monthOf(Date.now());
  /** Those with calls that the store is to be told of. */
  #used = new Set<CachedKey>();
  /** Those whose quota others may be spending too, and for how long that is looked at. */
  readonly #watched = new Map<CachedKey, number>();
  #timers: ReturnType<typeof setInterval>[] = [];
  #onFirst: (() => void) | undefined;

  constructor(store: KeyStore, rate: RateLimit | undefined, environmentKey: string | undefined) {
    this.#store = store;
    this.#rate = rate;
    if (environmentKey === undefined) return;
    this.#held.set(hashSecret(environmentKey), {
      actor: ENVIRONMENT,
      name: "ROSTER_API_KEY",
      scopes,
      expiresAt: null,
      revokedAt: null,
      bucket: rate && new TokenBucket(rate),
      quota: null,
      counted: 0,
      uncounted: 0,
    });
  }

  /** Whether there has never been a key. One that has ended still says that callers are to be asked for theirs. */
  get isEmpty(): boolean {
    return this.#last === 0 && this.#held.size === 0;
  }

  /** Whether there is a key that somebody could be let in by. */
  get hasActiveKey(): boolean {
    const now = Date.now();
    return this.#held
      .values()
      .some(({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > now));
  }

  /** Whether a month has begun of which nothing is counted yet, as it is for a second or so. */
  get isNewMonth(): boolean {
    return monthOf(Date.now()) !== this.#month;
  }

  /**
   * Keeps up with the store until `stop`. What goes wrong is tried again, and reported the first time; so is that there
   * is a key where there was none.
   */
  start(report: (error: unknown) => void, onFirst: () => void): void {
    if (this.isEmpty) this.#onFirst = onFirst;
    const repeat = (ms: number, work: () => Promise<void>) => {
      let failing = false;
      const attempt = async () => {
        try {
          await work();
          failing = false;
        } catch (error) {
          if (!failing) report(error);
          failing = true;
        }
      };
      const timer = setInterval(attempt, ms);
      this.#timers.push(timer);
      timer.unref();
    };
    repeat(REFRESHED_EVERY_MS, async () => this.refresh());
    repeat(COUNTED_EVERY_MS, () => this.count());
  }

  /** The store knows of every call then. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.allSettled([this.#refreshing, this.#next]);
    await this.count();
  }

  find(digest: string): CachedKey | undefined {
    return this.#held.get(digest);
  }

  /** Notes one more call with this key. */
  recordUse(key: CachedKey): void {
    if (key.uncounted++ === 0 && key.actor !== ENVIRONMENT) this.#used.add(key);
  }

  /** Learns what has changed until now. All who ask while that is under way share the next time. */
  refresh(): MaybePromise<void> {
    if (this.#next) return this.#next;
    if (!this.#refreshing) return this.#refresh();
    this.#next = this.#refreshing
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#refresh();
      });
    return this.#next;
  }

  /**
   * Tells the store of the calls since it was last told, and learns of those on other nodes. Answers must not overtake
   * each other: all who ask while one is awaited share the next.
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
    const month = this.#month;
    const now = Date.now();
    const used = [...this.#used, ...this.#watch(now)];
    this.#used = new Set();
    const uses = used.map((key) => ({ key, id: key.actor ?? ENVIRONMENT, requests: key.uncounted }));
    for (const { key, requests } of uses) {
      key.counted += requests;
      key.uncounted = 0;
    }
    try {
      const told = uses.map(({ id, requests }) => ({ id, requests, lastUsedAt: now }));
      const totals = told.length > 0 ? await this.#store.count(month, told) : new Map<number, number>();
      for (const { key, id } of uses) key.counted = totals.get(id) ?? key.counted;
    } catch (error) {
      for (const { key, requests } of uses) {
        key.counted -= requests;
        key.uncounted += requests;
        this.#used.add(key);
      }
      throw error;
    }
    if (monthOf(now) === month) return;
    this.#month = monthOf(now);
    for (const key of this.#held.values()) key.counted = 0;
  }

  /** Keys with a quota that are in use here, but were not used just now: perhaps they were elsewhere. */
  #watch(now: number): CachedKey[] {
    for (const key of this.#used) if (key.quota !== null) this.#watched.set(key, now + WATCHED_MS);
    for (const [key, until] of this.#watched) if (until < now) this.#watched.delete(key);
    return [...this.#watched.keys()].filter((key) => !this.#used.has(key));
  }

  #refresh(): MaybePromise<void> {
    const changes = this.#store.changes(this.#last, this.#month);
    if (!(changes instanceof Promise)) return this.#learn(changes);
    this.#refreshing = changes
      .then((found) => this.#learn(found))
      .finally(() => {
        this.#refreshing = undefined;
      });
    return this.#refreshing;
  }

  #learn({ keys, last }: { readonly keys: readonly StoredKey[]; readonly last: number }): void {
    this.#last = last;
    for (const key of keys) {
      const held = this.#held.get(key.digest);
      // One that the service was started with, too, is good for what its record says and no more.
      if (held && held.actor !== ENVIRONMENT) {
        held.expiresAt = key.expiresAt;
        held.revokedAt = key.revokedAt;
      } else this.#held.set(key.digest, this.#hold(key));
    }
    if (this.isEmpty) return;
    this.#onFirst?.();
    this.#onFirst = undefined;
  }

  #hold({ id, name, scopes, expiresAt, revokedAt, rateLimit, quota, requests }: StoredKey): CachedKey {
    const rate = rateLimit ?? this.#rate;
    const bucket = rate && new TokenBucket(rate);
    return { actor: id, name, scopes, expiresAt, revokedAt, bucket, quota, counted: requests, uncounted: 0 };
  }
}

/** The calendar month of a moment, like 2026-11. */
export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

/** Milliseconds from a moment until the next month begins. */
export function untilNextMonth(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) - time;
}
