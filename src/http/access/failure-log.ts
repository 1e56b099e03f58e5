import type { Clock, Timer } from "../../domain/clock.ts";
import type { Log } from "../../telemetry/log.ts";

/** Why a credential was rejected. */
export type FailureReason =
  | "malformed key"
  | "unknown key"
  | "expired key"
  | "revoked key"
  | "ended session"
  | "malformed token"
  | "ended token";

/** The failures of one address since the last log entry. */
interface Failures {
  count: number;
  readonly reasons: Map<FailureReason, number>;
  /** Ids of the expired and revoked keys. */
  readonly keys: Set<number>;
}

const INTERVAL_MS = 60_000;
const MAX_ADDRESSES = 100;
const MAX_KEYS = 10;
const OTHERS = "other addresses";

/**
 * Logs rejected keys and sessions: one line per address and minute, so that wrong keys cannot flood the log. Addresses
 * after the first 100 in a minute share one line.
 */
export class FailureLog {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #addresses = new Map<string, Failures>();
  #timer: Timer | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** `key` is the id of an expired or revoked key. */
  record(address: string, reason: FailureReason, key?: number): void {
    const failures = this.#getOrAdd(address);
    failures.count++;
    failures.reasons.set(reason, (failures.reasons.get(reason) ?? 0) + 1);
    if (typeof key === "number" && failures.keys.size < MAX_KEYS) failures.keys.add(key);
    this.#timer ??= this.#clock.after(INTERVAL_MS, () => this.flush());
  }

  /** Logs the failures so far. */
  flush(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    for (const [address, { count, reasons, keys }] of this.#addresses) {
      this.#log.write("info", "rejected credentials", {
        address,
        count,
        reasons: [...reasons].map(([reason, times]) => `${times} ${reason}`).join(", "),
        keys: keys.size > 0 ? [...keys].join(", ") : undefined,
      });
    }
    this.#addresses.clear();
  }

  #getOrAdd(address: string): Failures {
    const isNew = !this.#addresses.has(address);
    const name = isNew && this.#addresses.size >= MAX_ADDRESSES ? OTHERS : address;
    const existing = this.#addresses.get(name);
    if (existing) return existing;
    const failures: Failures = { count: 0, reasons: new Map(), keys: new Set() };
    this.#addresses.set(name, failures);
    return failures;
  }
}
