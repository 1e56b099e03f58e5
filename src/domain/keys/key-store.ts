import type { Scope } from "../../contract/keys/key.ts";
import type { RateLimit } from "../../contract/keys/key-schemas.ts";
import type { DailyUsage } from "../../contract/users/stats-schemas.ts";
import type { Origin } from "../caller.ts";
import type { MaybePromise } from "../maybe-promise.ts";

/** A key to create. The store never sees the secret, only its digest. */
export interface KeyDraft {
  readonly name: string;
  readonly prefix: string;
  readonly digest: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly rateLimit: RateLimit | null;
  readonly quota: number | null;
}

/** A stored key. Times are in milliseconds since 1970. */
export interface StoredKey extends KeyDraft {
  readonly id: number;
  readonly createdAt: number;
  /** The lifetime it was created with, in milliseconds, even if it expires sooner. Null for no expiry. */
  readonly lifetime: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  /** Requests in the requested month. */
  readonly requests: number;
}

/** The key that a new key replaces, and when the replaced key expires. */
export interface Replacement {
  readonly id: number;
  readonly expiresAt: number;
}

/** New requests of a key since the last count, and the time of the last one. */
export interface KeyUsage {
  readonly id: number;
  readonly requests: number;
  readonly lastUsedAt: number;
}

/** What stands for a key until it expires: a session, or an access token. */
export interface StoredSession {
  /** The digest of the key that signed in, or that got the token. */
  readonly keyDigest: string;
  readonly expiresAt: number;
}

/** Sessions whose digests begin with `prefix`, and how many of them may be open. */
export interface SessionLimit {
  readonly prefix: string;
  readonly most: number;
}

/** Storage for keys and sessions, with the guarantees of `Store`. Months are written like 2026-11, days like 2026-11-16. */
export interface KeyStore {
  /** Keys that changed after change number `after`, and the number of the last change. 0 is before the first change. */
  changes(
    after: number,
    month: string,
  ): MaybePromise<{ readonly keys: readonly StoredKey[]; readonly last: number }>;

  /** Keys with an id greater than `after`, by id. */
  list(after: number, limit: number, month: string): MaybePromise<readonly StoredKey[]>;
  read(id: number, month: string): MaybePromise<StoredKey | undefined>;

  /** Fails with `invalid-key` if there are too many active keys, or if the replaced key is not active. */
  create(draft: KeyDraft, replaces: Replacement | undefined, by: Origin): Promise<StoredKey>;

  /** Revokes a key. An already revoked key does not change. Returns false if the key does not exist. */
  revoke(id: number, by: Origin): Promise<boolean>;

  /** Adds to the usage of the day and of its month. Returns the month's totals of all nodes, by key id. */
  count(day: string, uses: readonly KeyUsage[]): Promise<ReadonlyMap<number, number>>;

  /** The requests of a key on each day since `from`. Days without requests are left out. */
  readDailyUsage(id: number, from: string): MaybePromise<readonly DailyUsage[]>;

  /** Removes some of the daily usage before this day, and returns how much. */
  removeDailyUsage(before: string): Promise<number>;

  /**
   * Sessions are identified by the digest of their token. With a limit, the oldest sessions above it end. Nodes that open sessions
   * at the same time can leave a few more open, until the next one.
   */
  openSession(digest: string, session: StoredSession, limit?: SessionLimit): Promise<void>;
  readSession(digest: string): MaybePromise<StoredSession | undefined>;
  closeSession(digest: string): Promise<void>;
}
