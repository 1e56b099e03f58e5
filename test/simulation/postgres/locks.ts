export type LockMode = "exclusive" | "shared";

/** A lock that a statement needs, held to the end of its transaction. */
export interface LockRequest {
  readonly key: string;
  readonly mode: LockMode;
}

interface Waiter<Owner> {
  readonly owner: Owner;
  readonly mode: LockMode;
  readonly onGranted: () => void;
}

interface Lock<Owner> {
  readonly holders: Map<Owner, LockMode>;
  /** Those who wait, first come, first served. */
  waiters: Waiter<Owner>[];
}

/** The locks of all transactions. */
export class LockTable<Owner> {
  readonly #locks = new Map<string, Lock<Owner>>();
  readonly #held = new Map<Owner, Set<string>>();
  /** The lock that an owner waits for. */
  readonly #waits = new Map<Owner, string>();

  /** Returns whether the owner has the lock now. Otherwise, calls back when it has. */
  acquire(owner: Owner, { key, mode }: LockRequest, onGranted: () => void): boolean {
    const lock = this.#lockOf(key);
    if (this.#canHave(lock, { owner, mode }, lock.waiters)) {
      this.#grant(key, lock, owner, mode);
      return true;
    }
    lock.waiters.push({ owner, mode, onGranted });
    this.#waits.set(owner, key);
    return false;
  }

  /** Returns false, and does not wait, if another transaction has the lock. */
  tryAcquire(owner: Owner, { key, mode }: LockRequest): boolean {
    const lock = this.#lockOf(key);
    if (!this.#canHave(lock, { owner, mode }, lock.waiters)) return false;
    this.#grant(key, lock, owner, mode);
    return true;
  }

  /** Releases all locks of a transaction that has ended, and ends its wait. */
  release(owner: Owner): void {
    const keys = [...(this.#held.get(owner) ?? [])];
    const waited = this.#waits.get(owner);
    if (waited !== undefined) keys.push(waited);
    this.#held.delete(owner);
    this.#waits.delete(owner);
    const granted: (() => void)[] = [];
    for (const key of keys) {
      const lock = this.#lockOf(key);
      lock.holders.delete(owner);
      lock.waiters = lock.waiters.filter((waiter) => waiter.owner !== owner);
      granted.push(...this.#grantWaiters(key, lock));
      if (lock.holders.size === 0 && lock.waiters.length === 0) this.#locks.delete(key);
    }
    for (const onGranted of granted) onGranted();
  }

  /** Whether the owner waits for somebody who waits for the owner. */
  isDeadlocked(owner: Owner): boolean {
    const seen = new Set<Owner>();
    const open = [owner];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const blocker of this.#blockersOf(next)) {
        if (blocker === owner) return true;
        if (!seen.has(blocker)) open.push(blocker);
        seen.add(blocker);
      }
    }
    return false;
  }

  #blockersOf(owner: Owner): Owner[] {
    const key = this.#waits.get(owner);
    const lock = key === undefined ? undefined : this.#locks.get(key);
    const index = lock?.waiters.findIndex((waiter) => waiter.owner === owner) ?? -1;
    const waiter = lock?.waiters[index];
    if (!lock || !waiter) return [];
    const holders = [...lock.holders].filter(
      ([holder, mode]) => holder !== owner && conflicts(mode, waiter.mode),
    );
    const earlier = lock.waiters.slice(0, index).filter(({ mode }) => conflicts(mode, waiter.mode));
    return [...holders.map(([holder]) => holder), ...earlier.map((each) => each.owner)];
  }

  #grantWaiters(key: string, lock: Lock<Owner>): (() => void)[] {
    const granted: (() => void)[] = [];
    const left: Waiter<Owner>[] = [];
    for (const waiter of lock.waiters) {
      if (this.#canHave(lock, waiter, left)) {
        this.#grant(key, lock, waiter.owner, waiter.mode);
        this.#waits.delete(waiter.owner);
        granted.push(waiter.onGranted);
      } else left.push(waiter);
    }
    lock.waiters = left;
    return granted;
  }

  #canHave(
    { holders }: Lock<Owner>,
    { owner, mode }: Pick<Waiter<Owner>, "owner" | "mode">,
    before: readonly Waiter<Owner>[],
  ): boolean {
    const held = holders.get(owner);
    if (held === "exclusive" || held === mode) return true;
    for (const [holder, heldMode] of holders) if (holder !== owner && conflicts(heldMode, mode)) return false;
    return held !== undefined || before.every((waiter) => !conflicts(waiter.mode, mode));
  }

  #grant(key: string, lock: Lock<Owner>, owner: Owner, mode: LockMode): void {
    if (lock.holders.get(owner) !== "exclusive") lock.holders.set(owner, mode);
    const held = this.#held.get(owner);
    if (held) held.add(key);
    else this.#held.set(owner, new Set([key]));
  }

  #lockOf(key: string): Lock<Owner> {
    let lock = this.#locks.get(key);
    if (!lock) {
      lock = { holders: new Map(), waiters: [] };
      this.#locks.set(key, lock);
    }
    return lock;
  }
}

function conflicts(one: LockMode, other: LockMode): boolean {
  return one === "exclusive" || other === "exclusive";
}
