import { randomBytes } from "node:crypto";
import { keyLimits } from "../contract/key.ts";
import { hashSecret } from "./hash-secret.ts";
import type { KeyStore, StoredSession } from "./key-store.ts";
import { andThen, type MaybePromise } from "./maybe-promise.ts";

/** How long a session is believed without asking: one that was closed on another node is good that much longer. */
const BELIEVED_MS = 500;
const MOST_BELIEVED = 1000;

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** A session, as the browser has it and until when. */
export interface OpenedSession {
  readonly token: string;
  readonly expiresAt: number;
}

/** What keys are traded for in a browser. Only digests are kept. */
export class Sessions {
  readonly #store: KeyStore;
  readonly #believed = new Map<string, { readonly session: StoredSession; readonly until: number }>();

  constructor(store: KeyStore) {
    this.#store = store;
  }

  /** A new one each time: whoever knew one from before the sign-in knows nothing. */
  async open(keyDigest: string): Promise<OpenedSession> {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const expiresAt = Date.now() + keyLimits.sessionHours * 3_600_000;
    const session = { keyDigest, expiresAt };
    await this.#store.openSession(hashSecret(token), session);
    this.#believe(hashSecret(token), session, Date.now());
    return { token, expiresAt };
  }

  /** Whether it was a good one when it was last looked for here. */
  isCached(token: string): boolean {
    return this.#believed.has(hashSecret(token));
  }

  /** Undefined if there is none, or none any more. What cannot be a session is not looked for. */
  find(token: string): MaybePromise<StoredSession | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const digest = hashSecret(token);
    const now = Date.now();
    const believed = this.#believed.get(digest);
    if (believed && believed.until > now) return believed.session;
    return andThen(this.#store.readSession(digest), (session) => {
      this.#believed.delete(digest);
      if (!session || session.expiresAt <= now) return undefined;
      this.#believe(digest, session, now);
      return session;
    });
  }

  async close(token: string): Promise<void> {
    if (!(await this.find(token))) return;
    const digest = hashSecret(token);
    this.#believed.delete(digest);
    await this.#store.closeSession(digest);
    this.#believed.delete(digest);
  }

  #believe(digest: string, session: StoredSession, now: number): void {
    if (this.#believed.size >= MOST_BELIEVED) this.#believed.clear();
    this.#believed.set(digest, { session, until: Math.min(now + BELIEVED_MS, session.expiresAt) });
  }
}
