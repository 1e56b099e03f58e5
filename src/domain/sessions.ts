import { randomBytes } from "node:crypto";
import { keyLimits } from "../contract/key.ts";
import { hashSecret } from "./hash-secret.ts";
import type { KeyStore, StoredSession } from "./key-store.ts";
import { andThen, type MaybePromise } from "./maybe-promise.ts";

/** How long a session is cached. A session that ended on another node works that much longer here. */
const CACHE_MS = 500;
const MAX_CACHED = 1000;

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** A new session, for the cookie. */
export interface OpenedSession {
  readonly token: string;
  readonly expiresAt: number;
}

/** Browser sign-ins. Only digests of their tokens are stored. */
export class Sessions {
  readonly #store: KeyStore;
  readonly #cached = new Map<string, { readonly session: StoredSession; readonly until: number }>();

  constructor(store: KeyStore) {
    this.#store = store;
  }

  /** Creates a new token for each sign-in, to prevent session fixation. */
  async open(keyDigest: string): Promise<OpenedSession> {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const expiresAt = Date.now() + keyLimits.sessionHours * 3_600_000;
    const session = { keyDigest, expiresAt };
    await this.#store.openSession(hashSecret(token), session);
    this.#cache(hashSecret(token), session, Date.now());
    return { token, expiresAt };
  }

  /** Whether the session was valid when this node last looked. */
  isCached(token: string): boolean {
    return this.#cached.has(hashSecret(token));
  }

  /** Undefined if the session does not exist or has ended. Malformed tokens are not looked up. */
  find(token: string): MaybePromise<StoredSession | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const digest = hashSecret(token);
    const now = Date.now();
    const cached = this.#cached.get(digest);
    if (cached && cached.until > now) return cached.session;
    return andThen(this.#store.readSession(digest), (session) => {
      this.#cached.delete(digest);
      if (!session || session.expiresAt <= now) return undefined;
      this.#cache(digest, session, now);
      return session;
    });
  }

  async close(token: string): Promise<void> {
    if (!(await this.find(token))) return;
    const digest = hashSecret(token);
    this.#cached.delete(digest);
    await this.#store.closeSession(digest);
    this.#cached.delete(digest);
  }

  #cache(digest: string, session: StoredSession, now: number): void {
    if (this.#cached.size >= MAX_CACHED) this.#cached.clear();
    this.#cached.set(digest, { session, until: Math.min(now + CACHE_MS, session.expiresAt) });
  }
}
