import type { RateLimit } from "../../contract/keys/key-schemas.ts";
import { isSecret, looksLikeAccessToken, SECRET_CHARACTERS } from "../../contract/keys/key-secret.ts";
import type { AccessRule } from "../../contract/operation.ts";
import { type Caller, localCaller, publicCaller } from "../../domain/caller.ts";
import type { Clock } from "../../domain/clock.ts";
import { hashSecret } from "../../domain/keys/hash-secret.ts";
import type { CachedKey, KeyRing } from "../../domain/keys/key-ring.ts";
import type { StoredSession } from "../../domain/keys/key-store.ts";
import { digestAccessToken, type Sessions } from "../../domain/keys/sessions.ts";
import { andThen, type MaybePromise } from "../../domain/maybe-promise.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { TokenBuckets } from "../../domain/token-bucket.ts";
import { HttpProblemError } from "../problem-response.ts";
import type { Authentication, RequestContext } from "../request-context.ts";
import { inactiveReason, rateLimited } from "./access-problems.ts";
import { CallerLimits } from "./caller-limits.ts";
import { type ClientAddress, MAX_ADDRESSES } from "./client-address.ts";
import { hasCredentials, readKey, readSession } from "./credentials.ts";
import type { FailureLog, FailureReason } from "./failure-log.ts";
import type { OriginCheck } from "./origin-check.ts";
import { requireAccess, requireKey } from "./require-scope.ts";

/** `open`: requests from this machine need no key. `off`: no request needs one. `required`: requests need a key or a session. */
export type AuthMode = "open" | "off" | "required";

export interface GateParts {
  readonly auth: "auto" | "required" | "off";
  /** Whether only this machine can reach the service. */
  readonly local: boolean;
  /** The rate limit per address in mode `off`. */
  readonly rateLimit: RateLimit | undefined;
  readonly clock: Clock;
  readonly ring: KeyRing;
  readonly sessions: Sessions;
  readonly addresses: ClientAddress;
  readonly origins: OriginCheck;
  readonly failureLog: FailureLog;
}

/** Wrong keys per address: 20 at once, then one every three seconds. */
const FAILURE_LIMIT: RateLimit = { requests: 20, seconds: 60 };

const BY_KEY: Authentication = { auth: "key", expiresAt: null };
const OPEN: Authentication = { auth: "open", expiresAt: null };
const OFF: Authentication = { auth: "off", expiresAt: null };

const READING_USERS: AccessRule = { access: ["users:read"] };

const refusedToPublic = {
  "keys:manage": "you can manage keys only on the host, with `roster keys`.",
  "webhooks:manage": "nobody can manage webhooks: they would outlive this setting.",
} as const;

/** What stands for a key in a request. */
interface KeyProxy {
  readonly auth: "session" | "token";
  readonly digest: string;
  readonly failure: FailureReason;
  /** What a caller learns if it has ended. */
  readonly ended: () => ProblemError;
}

/** Authenticates and authorizes requests: mode, key, session or access token, rate limit, scope, quota. */
export class Gate {
  readonly #parts: GateParts;
  readonly #failures = new TokenBuckets(FAILURE_LIMIT, MAX_ADDRESSES);
  readonly limits: CallerLimits;

  constructor(parts: GateParts) {
    this.#parts = parts;
    this.limits = new CallerLimits(parts.ring, parts.clock, parts.addresses, parts.rateLimit);
  }

  get mode(): AuthMode {
    const { auth, local, ring } = this.#parts;
    if (auth !== "auto") return auth;
    return local && ring.isEmpty ? "open" : "required";
  }

  /**
   * Sets the caller of a request. Throws `unauthenticated`, `key-expired`, `key-revoked`, `cross-site`,
   * `insufficient-scope`, `key-required`, `rate-limited` or `quota-exceeded`.
   */
  admit(context: RequestContext, rule: AccessRule): MaybePromise<void> {
    if (rule.access === "public") return;
    this.#parts.origins.rejectOtherOrigins(context.request);
    switch (this.mode) {
      case "required":
        return this.#admitAuthenticated(context, rule);
      case "open":
        return this.#admitLocal(context, rule);
      case "off":
        return this.#admitPublic(context, rule);
    }
  }

  /** Whether the caller of a public operation may read users too. */
  async mayReadUsers(context: RequestContext): Promise<boolean> {
    const { request } = context;
    const isAnonymous = readKey(request) === undefined && request.headers.get("cookie") === null;
    if (this.mode === "required" && isAnonymous) return false;
    try {
      await this.admit(context, READING_USERS);
      return true;
    } catch (error) {
      if (error instanceof ProblemError) return false;
      throw error;
    }
  }

  /** Whether the caller of an admitted request may still call: the key is active, and the session has not ended. */
  isStillAdmitted({ caller, authentication: { auth, session } }: RequestContext): MaybePromise<boolean> {
    if (auth === "open" || auth === "off") return this.mode === auth;
    if (!isCachedKey(caller) || inactiveReason(caller, this.#parts.clock.now())) return false;
    return session === undefined || andThen(this.#parts.sessions.findByDigest(session), Boolean);
  }

  /**
   * Finds the active key of a secret, and takes a request from its rate limit. With an `id`, the secret of another key is a wrong
   * one. Throws like `admit`.
   */
  verify(context: RequestContext, secret: string, id?: string): MaybePromise<CachedKey> {
    const key = this.#findActive(secret);
    return key && hasId(key, id) ? this.#limitRate(context, key) : this.#verifyUncached(context, secret, id);
  }

  #admitLocal(context: RequestContext, rule: AccessRule): MaybePromise<void> {
    // A caller that sends a key or a session knows that a key exists: another node may have created it a moment ago.
    return andThen(hasCredentials(context.request) ? this.#parts.ring.refresh() : undefined, () => {
      if (this.mode === "required") return this.#admitAuthenticated(context, rule);
      context.caller = localCaller;
      context.authentication = OPEN;
    });
  }

  #admitAuthenticated(context: RequestContext, rule: AccessRule): MaybePromise<void> {
    const secret = readKey(context.request);
    if (secret === undefined) return this.#admitSession(context, rule);
    if (looksLikeAccessToken(secret)) return this.#admitToken(context, rule, secret);
    context.authentication = BY_KEY;
    const key = this.verify(context, secret);
    if (key instanceof Promise) return key.then((verified) => this.#authorize(verified, rule));
    this.#authorize(key, rule);
  }

  #admitSession(context: RequestContext, rule: AccessRule): MaybePromise<void> {
    const { request } = context;
    const { token, cookies } = readSession(request, this.#parts.addresses.isSecure(request));
    if (cookies.length > 0 && !this.#parts.origins.isSameOrigin(request))
      throw new ProblemError("cross-site");
    if (cookies.length === 0 || token === undefined) {
      throw new ProblemError(
        "unauthenticated",
        cookies.length === 0
          ? "The request has no API key. Send one as Authorization: Bearer."
          : "The request has a session cookie, but not the token of the session. Sign in again, or send an API key.",
      );
    }
    const values = cookies.map(({ value }) => value);
    return this.#admitKeyOf(context, rule, this.#parts.sessions.find(token, values), {
      auth: "session",
      digest: hashSecret(token),
      failure: "ended session",
      ended: () => new ProblemError("unauthenticated", "The session has expired. Sign in again."),
    });
  }

  #admitToken(context: RequestContext, rule: AccessRule, token: string): MaybePromise<void> {
    const digest = digestAccessToken(token);
    if (digest === undefined) {
      throw this.#rejectKey(
        context,
        "malformed token",
        "This is not a valid access token. Copy the whole token.",
      );
    }
    return this.#admitKeyOf(context, rule, this.#parts.sessions.findByDigest(digest), {
      auth: "token",
      digest,
      failure: "ended token",
      ended: tokenEnded,
    });
  }

  /** Admits a request as the key that a session or an access token stands for. */
  #admitKeyOf(
    context: RequestContext,
    rule: AccessRule,
    stored: MaybePromise<StoredSession | undefined>,
    { auth, digest, failure, ended }: KeyProxy,
  ): MaybePromise<void> {
    const found = andThen(stored, (session) => {
      // Another node may have created the session's key a moment ago.
      const isKeyMissing = session && !this.#parts.ring.find(session.keyDigest);
      return andThen(isKeyMissing ? this.#parts.ring.refresh() : undefined, () => session);
    });
    return andThen(found, (session) => {
      const key = session && this.#parts.ring.find(session.keyDigest);
      if (!key || inactiveReason(key, this.#parts.clock.now())) {
        // Not counted as a wrong key: nobody guesses so many bits, and a caller whose session has ended must be able to get a new one.
        this.#parts.failureLog.record(this.#addressLabel(context), failure, key?.actor.id);
        throw ended();
      }
      context.authentication = { auth, expiresAt: session.expiresAt, session: digest };
      this.#authorize(this.#limitRate(context, key), rule);
      if (rule.keyOnly) requireKey(context);
    });
  }

  #admitPublic(context: RequestContext, { access }: AccessRule): void {
    context.caller = publicCaller;
    context.authentication = OFF;
    this.limits.limitAddress(context);
    if (access === "public" || access === "authenticated") return;
    for (const scope of access) {
      if (scope === "keys:manage" || scope === "webhooks:manage")
        throw new ProblemError("insufficient-scope", `With ROSTER_AUTH=off, ${refusedToPublic[scope]}`);
    }
  }

  #findActive(secret: string): CachedKey | undefined {
    // The hash of a known key proves the form and the checksum too.
    const key = secret.length === SECRET_CHARACTERS ? this.#parts.ring.find(hashSecret(secret)) : undefined;
    return key && !inactiveReason(key, this.#parts.clock.now()) ? key : undefined;
  }

  /**
   * Looks in the database for a key that is not active in memory: another node may have created it. An inactive and an
   * unknown key take the same steps: the time of the response must not tell them apart. The limit of wrong keys applies
   * after the look-up: wrong keys of others at the same address must not lock out a valid key.
   */
  #verifyUncached(context: RequestContext, secret: string, id?: string): MaybePromise<CachedKey> {
    if (!isSecret(secret)) {
      throw this.#rejectKey(context, "malformed key", "This is not a valid key. Copy the whole key.");
    }
    return andThen(this.#parts.ring.refresh(), () => {
      const key = this.#parts.ring.find(hashSecret(secret));
      if (!key || !hasId(key, id))
        throw this.#rejectKey(context, "unknown key", "This service has no such key.");
      const reason = inactiveReason(key, this.#parts.clock.now());
      if (!reason) return this.#limitRate(context, key);
      const failure = reason.type === "key-revoked" ? "revoked key" : "expired key";
      throw this.#rejectKey(context, failure, reason.detail, reason.type, key);
    });
  }

  /** The problem of a wrong key: `rate-limited` if the address has sent too many. */
  #rejectKey(
    context: RequestContext,
    reason: FailureReason,
    detail: string,
    type: "unauthenticated" | "key-revoked" | "key-expired" = "unauthenticated",
    key?: CachedKey,
  ): ProblemError {
    this.#parts.failureLog.record(this.#addressLabel(context), reason, key?.actor.id);
    const failures = this.#failures.get(this.#parts.addresses.findNetwork(context.request), context.start);
    if (failures.take(context.start)) return new ProblemError(type, detail);
    return rateLimited(failures.retryAfterSeconds, "Too many wrong keys from this address.");
  }

  /** The client's address for the log. IPv6 addresses are summarized by network, like their limits. */
  #addressLabel({ request }: RequestContext): string {
    const network = this.#parts.addresses.findNetwork(request);
    return network.includes(":") ? `${network}::/64` : network;
  }

  #limitRate(context: RequestContext, key: CachedKey): CachedKey {
    context.caller = key;
    this.limits.limitKey(context, key);
    return key;
  }

  #authorize(key: CachedKey, rule: AccessRule): void {
    requireAccess(key, rule);
    this.limits.countRequest(key);
  }
}

function hasId({ actor }: CachedKey, id: string | undefined): boolean {
  return id === undefined || String(actor.id) === id;
}

function tokenEnded(): ProblemError {
  return new HttpProblemError(
    "unauthenticated",
    "The access token has ended. Get a new one with POST /oauth/token.",
    { "www-authenticate": 'Bearer realm="roster", error="invalid_token"' },
  );
}

const isCachedKey = (caller: Caller): caller is CachedKey => "revokedAt" in caller;
