import type { RateLimit } from "../contract/key-schemas.ts";
import { isSecret } from "../contract/key-secret.ts";
import type { Operation } from "../contract/operation.ts";
import { localCaller, publicCaller } from "../domain/caller.ts";
import { hashSecret } from "../domain/hash-secret.ts";
import type { CachedKey, KeyRing } from "../domain/key-ring.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { Sessions } from "../domain/sessions.ts";
import { type TokenBucket, TokenBuckets } from "../domain/token-bucket.ts";
import type { ClientAddress } from "./client-address.ts";
import { isFromOwnPage, readKey, readSessionToken } from "./credentials.ts";
import { HttpProblemError } from "./problem-response.ts";
import { RateLimitHeaders, secondsUntilNextMonth } from "./rate-limit-headers.ts";
import type { RequestContext } from "./request-context.ts";

/** How callers are let in: all of this machine, all who reach the port, or those with a key. */
export type Mode = "open" | "off" | "required";

export interface GateOptions {
  readonly auth: "auto" | "required" | "off";
  /** Whether only this machine can reach the service, so far as it knows. */
  readonly local: boolean;
  /** Of callers that are told apart by their address. */
  readonly rate: RateLimit | undefined;
}

/** Wrong keys from one address: so many at once, and one every three seconds. */
const FAILURES: RateLimit = { requests: 20, seconds: 60 };
/** However many call: addresses beyond these push out those with nothing to remember, then those that came first. */
const MOST_ADDRESSES = 10_000;

const BY_KEY = { auth: "key", expiresAt: null } as const;
const OPEN = { auth: "open", expiresAt: null } as const;
const OFF = { auth: "off", expiresAt: null } as const;

/** Decides who a request comes from, and whether it may do what it asks for. */
export class Gate {
  readonly #options: GateOptions;
  readonly #ring: KeyRing;
  readonly #sessions: Sessions;
  readonly #addresses: ClientAddress;
  readonly #failures = new TokenBuckets(FAILURES, MOST_ADDRESSES);
  readonly #anybody: TokenBuckets | undefined;
  readonly #rateLimitHeaders = new WeakMap<object, RateLimitHeaders>();

  constructor(options: GateOptions, ring: KeyRing, sessions: Sessions, addresses: ClientAddress) {
    this.#options = options;
    this.#ring = ring;
    this.#sessions = sessions;
    this.#addresses = addresses;
    this.#anybody = options.rate && new TokenBuckets(options.rate, MOST_ADDRESSES);
  }

  get mode(): Mode {
    const { auth, local } = this.#options;
    if (auth !== "auto") return auth;
    return local && this.#ring.isEmpty ? "open" : "required";
  }

  /**
   * Lets a request in, as somebody, or refuses it: `unauthenticated`, `key-expired`, `key-revoked`, `cross-site`,
   * `insufficient-scope`, `rate-limited`, `quota-exceeded`.
   */
  admit(context: RequestContext, access: Operation["access"]): MaybePromise<void> {
    if (access === "public") return;
    switch (this.mode) {
      case "required":
        return this.#admitKnown(context, access);
      case "open":
        return this.#admitHere(context, access);
      case "off":
        return this.#admitAnybody(context, access);
    }
  }

  /** The key that this text is, in force, with its rate taken into account. Fails as `admit` does. */
  verify(context: RequestContext, secret: string): MaybePromise<CachedKey> {
    const held = this.#find(secret);
    return held ? this.#limited(context, held) : this.#doubt(context, secret);
  }

  #admitHere(context: RequestContext, access: Operation["access"]): MaybePromise<void> {
    // Whoever shows a key knows that one exists: it may have been made on the host, a moment ago. For reads, which
    // come most and change nothing, nobody looks.
    const isKnowing = access !== "users:read" && readKey(context.request) !== undefined;
    const looked = isKnowing ? this.#ring.refresh() : undefined;
    return andThen(looked, () => {
      if (this.mode === "required") return this.#admitKnown(context, access);
      context.caller = localCaller;
      context.authentication = OPEN;
    });
  }

  #admitKnown(context: RequestContext, access: Operation["access"]): MaybePromise<void> {
    const secret = readKey(context.request);
    if (secret === undefined) return this.#admitSession(context, access);
    context.authentication = BY_KEY;
    const held = this.#find(secret);
    if (held) return this.#allow(this.#limited(context, held), access);
    return andThen(this.#doubt(context, secret), (key) => this.#allow(key, access));
  }

  #admitSession(context: RequestContext, access: Operation["access"]): MaybePromise<void> {
    const { request } = context;
    const token = readSessionToken(request, this.#addresses.isSecure(request));
    if (token === undefined) {
      throw unauthenticated(
        "unauthenticated",
        "The request carries no key: send Authorization: Bearer with one.",
      );
    }
    if (!isFromOwnPage(request)) throw new ProblemError("cross-site");
    const failures = this.#failuresOf(context);
    // Whoever makes up sessions shuts nobody out who has one.
    if (failures.remaining < 1 && !this.#sessions.isCached(token)) throw tooManyWrong(failures);
    const found = andThen(this.#sessions.find(token), (session) => {
      // Its key may have been made elsewhere, a moment ago.
      const unheard = session && !this.#ring.find(session.keyDigest);
      return andThen(unheard ? this.#ring.refresh() : undefined, () => session);
    });
    return andThen(found, (session) => {
      const key = session && this.#ring.find(session.keyDigest);
      if (!key || endOf(key)) {
        failures.take(context.start);
        throw unauthenticated("unauthenticated", "The session has ended: sign in again.");
      }
      context.authentication = { auth: "session", expiresAt: session.expiresAt };
      this.#allow(this.#limited(context, key), access);
    });
  }

  #admitAnybody(context: RequestContext, access: Operation["access"]): void {
    context.caller = publicCaller;
    context.authentication = OFF;
    if (this.#anybody) {
      const bucket = this.#anybody.get(this.#addresses.networkOf(context.request), context.start);
      context.rateLimitHeaders = this.#headersOf(bucket, () => new RateLimitHeaders(bucket));
      if (!bucket.take(context.start)) throw tooFast(bucket.retryAfterSeconds);
    }
    if (access === "keys:manage") {
      throw new ProblemError(
        "insufficient-scope",
        "With ROSTER_AUTH=off keys are managed on the host alone, with `roster keys`.",
      );
    }
  }

  #find(secret: string): CachedKey | undefined {
    if (!isSecret(secret)) return undefined;
    const key = this.#ring.find(hashSecret(secret));
    return key && !endOf(key) ? key : undefined;
  }

  /**
   * A key that is not in force, as far as is known here: perhaps it was made a moment ago, elsewhere. Whether it has
   * ended or never was, the same is done before the answer, and only so often for one address.
   */
  #doubt(context: RequestContext, secret: string): MaybePromise<CachedKey> {
    const failures = this.#failuresOf(context);
    context.logAtInfo = true;
    if (!failures.take(context.start)) throw tooManyWrong(failures);
    if (!isSecret(secret)) {
      throw unauthenticated("unauthenticated", "This is no key, or one that was not copied whole.");
    }
    return andThen(this.#ring.refresh(), () => {
      const key = this.#ring.find(hashSecret(secret));
      const end = key && endOf(key);
      if (end) throw unauthenticated(...end);
      if (!key) throw unauthenticated("unauthenticated", "This service does not know the key.");
      // Nobody's fault: it was made elsewhere a moment ago.
      failures.refund();
      return this.#limited(context, key);
    });
  }

  #failuresOf({ request, start }: RequestContext): TokenBucket {
    const failures = this.#failures.get(this.#addresses.networkOf(request), start);
    failures.isFull(start);
    return failures;
  }

  #limited(context: RequestContext, key: CachedKey): CachedKey {
    context.caller = key;
    const { bucket, quota } = key;
    if (!bucket && quota === null) return key;
    // No closure is made where the allowance is known, as it is but for the first time.
    context.rateLimitHeaders =
      this.#rateLimitHeaders.get(key) ?? this.#headersOf(key, () => new RateLimitHeaders(bucket, key));
    if (bucket && !bucket.take(context.start)) throw tooFast(bucket.retryAfterSeconds);
    return key;
  }

  #allow(key: CachedKey, access: Operation["access"]): void {
    if (access !== "authenticated" && access !== "public" && !key.scopes.includes(access)) {
      const challenge = `Bearer realm="roster", error="insufficient_scope", scope="${access}"`;
      throw new HttpProblemError("insufficient-scope", `This takes a key with the scope ${access}.`, {
        "www-authenticate": challenge,
      });
    }
    const spent = key.quota !== null && key.counted + key.uncounted >= key.quota;
    // What was spent last month is no reason to send anybody away until the next.
    if (spent && !this.#ring.isNewMonth) {
      throw new HttpProblemError("quota-exceeded", `The key has made its ${key.quota} calls of this month.`, {
        "retry-after": String(secondsUntilNextMonth()),
      });
    }
    this.#ring.recordUse(key);
  }

  #headersOf(of: object, make: () => RateLimitHeaders): RateLimitHeaders {
    const known = this.#rateLimitHeaders.get(of);
    if (known) return known;
    const headers = make();
    this.#rateLimitHeaders.set(of, headers);
    return headers;
  }
}

/** Why a key is not in force any more, if so. */
function endOf({ revokedAt, expiresAt }: CachedKey): ["key-revoked" | "key-expired", string] | undefined {
  if (revokedAt !== null) {
    return ["key-revoked", `The key was revoked at ${new Date(revokedAt).toISOString()}.`];
  }
  if (expiresAt !== null && expiresAt <= Date.now()) {
    return ["key-expired", `The key was good until ${new Date(expiresAt).toISOString()}.`];
  }
  return undefined;
}

function unauthenticated(
  type: "unauthenticated" | "key-revoked" | "key-expired",
  detail: string,
): HttpProblemError {
  return new HttpProblemError(type, detail, { "www-authenticate": 'Bearer realm="roster"' });
}

function tooManyWrong({ retryAfterSeconds: wait }: TokenBucket): HttpProblemError {
  return tooFast(wait, "Too many wrong keys came from this address.");
}

function tooFast(seconds: number, why = "More requests came than the rate allows."): HttpProblemError {
  const detail = `${why} Wait ${seconds === 1 ? "a second" : `${seconds} seconds`}.`;
  return new HttpProblemError("rate-limited", detail, { "retry-after": String(seconds) });
}
