import { randomBytes } from "node:crypto";
import { keyLimits } from "../../contract/keys/key.ts";
import { createAccessToken, readAccessTokenKey } from "../../contract/keys/key-secret.ts";
import type { Clock } from "../clock.ts";
import { andThen, type MaybePromise } from "../maybe-promise.ts";
import { hashSecret } from "./hash-secret.ts";
import type { KeyStore, StoredSession } from "./key-store.ts";

/** How long a session is cached. A session that ended on another node works that much longer here. */
const CACHE_MS = 500;
const MAX_CACHED = 1000;

const RANDOM_BYTES = 32;
/** The length of 32 bytes in base64url: of random bytes and of a SHA-256. */
const PART_CHARACTERS = 43;
const TOKEN = /^[\w-]{86}$/;

export type SessionStore = Pick<KeyStore, "openSession" | "readSession" | "closeSession">;

/** A new session. Requests need both: the cookie's value, and the token that the page stores. */
export interface OpenedSession {
  readonly cookie: string;
  readonly token: string;
  readonly expiresAt: number;
}

/** A new access token. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** The digest under which an access token is stored. Undefined if the text does not have the form of one. */
export function digestAccessToken(text: string): string | undefined {
  const keyId = readAccessTokenKey(text);
  return keyId === undefined ? undefined : prefixOfTokens(keyId) + hashSecret(text);
}

/** Digests of access tokens begin with the id of their key, so that the store finds all tokens of a key. */
function prefixOfTokens(keyId: number): string {
  return `${keyId}.`;
}

/** The value among `cookies` that belongs to the token, if any. Other servers on the same host may set cookies too. */
export function findCookie(token: string, cookies: readonly string[]): string | undefined {
  if (!TOKEN.test(token)) return undefined;
  const digest = token.slice(PART_CHARACTERS);
  return cookies.find((cookie) => cookie.length === PART_CHARACTERS && hashSecret(cookie) === digest);
}

/**
 * Browser sign-ins, and the access tokens of programs, which are sessions without a cookie. A cookie alone is not enough, because
 * browsers send it to every port of the host. The token ends with the digest of the cookie, and only the digest of the token is
 * stored: it stands for both.
 */
export class Sessions {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #cached = new Map<string, { readonly session: StoredSession; readonly until: number }>();
  /** How many sessions have ended on this node. */
  #closed = 0;

  constructor(store: SessionStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Creates a new cookie and token for each sign-in, to prevent session fixation. */
  async open(keyDigest: string): Promise<OpenedSession> {
    const cookie = randomText();
    const token = randomText() + hashSecret(cookie);
    const expiresAt = this.#clock.now() + keyLimits.sessionHours * 3_600_000;
    const session = { keyDigest, expiresAt };
    await this.#store.openSession(hashSecret(token), session);
    this.#cache(hashSecret(token), session, this.#clock.now());
    return { cookie, token, expiresAt };
  }

  /** Creates an access token that stands for a key. The oldest token of the key ends if there are too many. */
  async issueToken(keyId: number, keyDigest: string): Promise<IssuedToken> {
    const token = createAccessToken(keyId);
    const prefix = prefixOfTokens(keyId);
    const digest = prefix + hashSecret(token);
    const expiresAt = this.#clock.now() + keyLimits.accessTokenSeconds * 1000;
    const session = { keyDigest, expiresAt };
    await this.#store.openSession(digest, session, { prefix, most: keyLimits.accessTokens });
    this.#cache(digest, session, this.#clock.now());
    return { token, expiresAt };
  }

  /** Undefined if no cookie belongs to the token, or if the session does not exist or has ended. */
  find(token: string, cookies: readonly string[]): MaybePromise<StoredSession | undefined> {
    return findCookie(token, cookies) === undefined ? undefined : this.findByDigest(hashSecret(token));
  }

  /** By the digest of its token: a session whose request has been admitted, or an access token. Undefined if it has ended. */
  findByDigest(digest: string): MaybePromise<StoredSession | undefined> {
    const now = this.#clock.now();
    const cached = this.#cached.get(digest);
    if (cached && cached.until > now) return cached.session;
    const closed = this.#closed;
    return andThen(this.#store.readSession(digest), (session) => {
      this.#cached.delete(digest);
      if (!session || session.expiresAt <= now) return undefined;
      // The session may have ended since it was read.
      if (closed === this.#closed) this.#cache(digest, session, now);
      return session;
    });
  }

  async close(token: string, cookies: readonly string[]): Promise<void> {
    if (!(await this.find(token, cookies))) return;
    const digest = hashSecret(token);
    this.#cached.delete(digest);
    await this.#store.closeSession(digest);
    this.#closed++;
    this.#cached.delete(digest);
  }

  #cache(digest: string, session: StoredSession, now: number): void {
    if (this.#cached.size >= MAX_CACHED) this.#cached.clear();
    this.#cached.set(digest, { session, until: Math.min(now + CACHE_MS, session.expiresAt) });
  }
}

function randomText(): string {
  return randomBytes(RANDOM_BYTES).toString("base64url");
}
