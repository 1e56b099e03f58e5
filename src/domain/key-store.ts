import type { Scope } from "../contract/key.ts";
import type { RateLimit } from "../contract/key-schemas.ts";
import type { Actor } from "./caller.ts";
import type { MaybePromise } from "./maybe-promise.ts";

/** What is decided about a key when it is made. Of its secret there is only the digest. */
export interface KeyDraft {
  readonly name: string;
  readonly prefix: string;
  readonly digest: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly rateLimit: RateLimit | null;
  readonly quota: number | null;
}

/** A key as it is kept. Times are milliseconds since 1970. */
export interface StoredKey extends KeyDraft {
  readonly id: number;
  readonly createdAt: number;
  /** How long it was made for, in milliseconds, even if it ends sooner; null for ever. */
  readonly lifetime: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  /** Calls in the month that was asked for. */
  readonly requests: number;
}

/** Another key that a new one takes the place of, and when that one ends. */
export interface Replacement {
  readonly id: number;
  readonly endsAt: number;
}

/** How often a key was used since it was last said, and when last. */
export interface KeyUsage {
  readonly id: number;
  readonly requests: number;
  readonly lastUsedAt: number;
}

export interface StoredSession {
  /** Of the key that was traded for it. */
  readonly keyDigest: string;
  readonly expiresAt: number;
}

/** Where keys and sessions are kept; the promises of `Store` hold here too. Months are written like 2026-11. */
export interface KeyStore {
  /** The keys that have changed after that change, and the last change there is; 0 is before the first. */
  changes(
    after: number,
    month: string,
  ): MaybePromise<{ readonly keys: readonly StoredKey[]; readonly last: number }>;

  /** The keys with a higher id, in order. */
  list(after: number, limit: number, month: string): MaybePromise<readonly StoredKey[]>;
  read(id: number, month: string): MaybePromise<StoredKey | undefined>;

  /** Fails with `invalid-key` when there are too many in force, or when the one to be replaced has ended. */
  create(draft: KeyDraft, replaces: Replacement | undefined, by: Actor): Promise<number>;

  /** Ends a key now; one that was revoked before stays as it was. False if there is none. */
  revoke(id: number, by: Actor): Promise<boolean>;

  /** Adds to the month's calls; gives what they come to, by id, with those of other nodes. */
  count(month: string, uses: readonly KeyUsage[]): Promise<ReadonlyMap<number, number>>;

  /** Sessions are named by the digest of what the cookie holds. */
  openSession(digest: string, session: StoredSession): Promise<void>;
  readSession(digest: string): MaybePromise<StoredSession | undefined>;
  closeSession(digest: string): Promise<void>;
}
