import { type Clock, systemClock } from "../../../src/domain/clock.ts";
import { monthOfDay } from "../../../src/domain/days.ts";
import { KeyRing, monthOf } from "../../../src/domain/keys/key-ring.ts";
import type { KeyDraft, KeyStore, KeyUsage, StoredKey } from "../../../src/domain/keys/key-store.ts";

interface PendingCall {
  readonly kind: "changes" | "count";
  answer(): void;
  fail(error?: Error): void;
}

/** A key store in memory. Each read and each count waits until the test answers it or lets it fail. */
export class ManualKeyStore implements KeyStore {
  readonly waiting: PendingCall[] = [];
  readonly totals = new Map<string, number>();
  readonly #now: () => number;
  readonly #keys: StoredKey[] = [];
  /** The most concurrent calls and the number of all calls, by kind. */
  readonly maxConcurrent = { changes: 0, count: 0 };
  readonly calls = { changes: 0, count: 0 };

  /** `now` is the time at which a key is created. */
  constructor(now: () => number = () => 0) {
    this.#now = now;
  }

  /** Adds a key, as another node does, and returns its digest. */
  add(quota: number | null = null): string {
    const plain = { name: "key", prefix: "roster_", scopes: [], expiresAt: null, rateLimit: null };
    return this.#add({ ...plain, digest: `digest ${this.last + 1}`, quota }).digest;
  }

  get last(): number {
    return this.#keys.length;
  }

  total(id: number, month = monthOf(Date.now())): number {
    return this.totals.get(`${month}/${id}`) ?? 0;
  }

  use(id: number, requests: number, month = monthOf(Date.now())): number {
    const total = this.total(id, month) + requests;
    this.totals.set(`${month}/${id}`, total);
    return total;
  }

  /** The keys at the time of the call. */
  changes(after: number) {
    const found = { keys: this.#keys.slice(after), last: this.last };
    return this.#later("changes", () => found);
  }

  count(day: string, uses: readonly KeyUsage[]) {
    return this.#later(
      "count",
      () => new Map(uses.map(({ id, requests }) => [id, this.use(id, requests, monthOfDay(day))])),
    );
  }

  list = () => [];
  read = () => undefined;
  readSession = () => undefined;
  readDailyUsage = () => [];
  removeDailyUsage = async () => 0;
  create = async (draft: KeyDraft) => this.#add(draft);
  revoke = async (id: number) => id <= this.last;
  openSession = async () => undefined;
  closeSession = async () => undefined;

  #add(draft: KeyDraft): StoredKey {
    const unused = { lifetime: null, revokedAt: null, lastUsedAt: null, requests: 0 };
    const key = { ...draft, ...unused, id: this.last + 1, createdAt: this.#now() };
    this.#keys.push(key);
    return key;
  }

  #later<T>(kind: PendingCall["kind"], answer: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const call: PendingCall = {
      kind,
      answer: () => this.#settle(call, () => resolve(answer())),
      fail: (error = new Error("The store is away.")) => this.#settle(call, () => reject(error)),
    };
    this.waiting.push(call);
    this.calls[kind]++;
    this.maxConcurrent[kind] = Math.max(
      this.maxConcurrent[kind],
      this.waiting.filter((each) => each.kind === kind).length,
    );
    return promise;
  }

  #settle(call: PendingCall, how: () => void): void {
    const at = this.waiting.indexOf(call);
    if (at < 0) return;
    this.waiting.splice(at, 1);
    how();
  }
}

/** Lets the callbacks of settled promises run. */
export const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A key ring with a key for each quota. */
export async function ringWith(
  store: ManualKeyStore,
  quotas: readonly (number | null)[],
  clock: Clock = systemClock,
) {
  const digests = quotas.map((quota) => store.add(quota));
  const ring = new KeyRing(store, clock);
  const refreshed = ring.refresh();
  store.waiting[0]?.answer();
  await refreshed;
  const keys = digests.map((digest) => {
    const key = ring.find(digest);
    if (!key) throw new Error(`The ring does not know ${digest}.`);
    return key;
  });
  return { ring, keys };
}

/** Answers every call until the work is done. */
export async function answerUntilDone<T>(store: ManualKeyStore, work: Promise<T>): Promise<T> {
  let done = false;
  const end = work.finally(() => {
    done = true;
  });
  end.catch(() => undefined);
  while (!done) {
    store.waiting[0]?.answer();
    await nextTick();
  }
  return end;
}
