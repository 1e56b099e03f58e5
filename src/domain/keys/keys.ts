import type { CreatedKey, Key } from "../../contract/keys/key-schemas.ts";
import { createSecret, secretPrefix } from "../../contract/keys/key-secret.ts";
import type { UsageHistory } from "../../contract/users/stats-schemas.ts";
import type { Caller, Origin } from "../caller.ts";
import type { Clock } from "../clock.ts";
import { ignoreUnavailable } from "../database-unavailable.ts";
import { lastDays } from "../days.ts";
import { andThen, type MaybePromise } from "../maybe-promise.ts";
import { ProblemError } from "../problem-error.ts";
import { checkKey, type KeyRequest, LATEST_EXPIRY } from "./check-key.ts";
import { hashSecret } from "./hash-secret.ts";
import { keyRecord, toText } from "./key-record.ts";
import { type KeyRing, KNOWN_TO_ALL_MS, monthOf } from "./key-ring.ts";
import type { KeyStore, StoredKey } from "./key-store.ts";

const andList = new Intl.ListFormat("en");

/** What callers can do with keys. Methods throw a `ProblemError` if they fail. */
export class Keys {
  readonly #store: KeyStore;
  readonly #ring: KeyRing;
  readonly #clock: Clock;

  /** Each change refreshes the key ring before it returns. */
  constructor(store: KeyStore, ring: KeyRing, clock: Clock) {
    this.#store = store;
    this.#ring = ring;
    this.#clock = clock;
  }

  list(after: number, limit: number): MaybePromise<Key[]> {
    const month = monthOf(this.#clock.now());
    return andThen(this.#store.list(after, limit, month), (keys) => keys.map((key) => toKey(key, month)));
  }

  read(id: number): MaybePromise<Key> {
    const month = monthOf(this.#clock.now());
    return andThen(this.#readStored(id), (key) => toKey(key, month));
  }

  /** The requests on each of the last days up to today (UTC), oldest first. */
  readUsage(id: number, count: number): MaybePromise<UsageHistory> {
    const dates = lastDays(count, this.#clock.now());
    return andThen(this.#readStored(id), () =>
      andThen(this.#store.readDailyUsage(id, dates[0] ?? ""), (used) => {
        const requests = new Map(used.map((day) => [day.date, day.requests]));
        return { days: dates.map((date) => ({ date, requests: requests.get(date) ?? 0 })) };
      }),
    );
  }

  /**
   * Every node requires keys when this returns, unless the node cannot reach the database. Fails with
   * `invalid-key`, or with `insufficient-scope` if the new key would have a scope that the caller lacks.
   */
  async create(caller: Pick<Caller, "scopes"> & Origin, body: unknown): Promise<CreatedKey> {
    const now = this.#clock.now();
    const request = checkKey(body, now);
    const { name, scopes, expiresAt, rateLimit, quota } = await this.#withDefaults(request);
    const missing = scopes.filter((scope) => !caller.scopes.includes(scope));
    if (missing.length > 0) {
      const detail = `You can only grant scopes that your own key has. It lacks ${andList.format(missing)}.`;
      throw new ProblemError("insufficient-scope", detail, [{ pointer: "/scopes", detail }]);
    }
    const secret = createSecret();
    const draft = {
      name,
      scopes,
      expiresAt,
      rateLimit,
      quota,
      prefix: secretPrefix(secret),
      digest: hashSecret(secret),
    };
    const { replaces } = request;
    const replacement = replaces && { id: replaces.id, expiresAt: now + replaces.graceSeconds * 1000 };
    const { isNews } = this.#ring;
    const created = await this.#store.create(draft, replacement, caller);
    await this.#refreshRing();
    if (isNews) await this.#clock.sleep(KNOWN_TO_ALL_MS);
    return { ...toKey(created, monthOf(now)), key: secret };
  }

  async revoke(by: Origin, id: number): Promise<void> {
    if (!(await this.#store.revoke(id, by))) throw notFound(id);
    await this.#refreshRing();
  }

  /** After a change, which has happened even if the database cannot be read now. The ring tries again soon. */
  async #refreshRing(): Promise<void> {
    try {
      await this.#ring.refresh();
    } catch (error) {
      ignoreUnavailable(error);
    }
  }

  /** Fills omitted fields with those of the replaced key, or with defaults. */
  async #withDefaults({
    replaces,
    ...requested
  }: KeyRequest): Promise<Required<Omit<KeyRequest, "replaces">>> {
    const defaults = { name: "", scopes: [], expiresAt: null, rateLimit: null, quota: null };
    if (!replaces) return { ...defaults, ...requested };
    const old = await this.#store.read(replaces.id, monthOf(this.#clock.now()));
    if (!old) {
      const detail = `There is no key ${replaces.id}.`;
      throw new ProblemError("invalid-key", detail, [{ pointer: "/replaces", detail }]);
    }
    // The new key gets the same lifetime as the replaced one.
    const expiresAt =
      old.lifetime === null ? null : Math.min(this.#clock.now() + old.lifetime, LATEST_EXPIRY);
    return { ...old, expiresAt, ...requested };
  }

  #readStored(id: number): MaybePromise<StoredKey> {
    return andThen(this.#store.read(id, monthOf(this.#clock.now())), (key) => {
      if (!key) throw notFound(id);
      return key;
    });
  }
}

function notFound(id: number): ProblemError {
  return new ProblemError("key-not-found", `There is no key ${id}.`);
}

function toKey(key: StoredKey, month: string): Key {
  const { lastUsedAt, requests } = key;
  return { ...keyRecord(key), lastUsedAt: toText(lastUsedAt), usage: { month, requests } };
}
