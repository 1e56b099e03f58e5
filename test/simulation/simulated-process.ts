import type { Clock, Timer } from "../../src/domain/clock.ts";
import { type Machine, repeat } from "./machine.ts";

/** Sums of times are not exact. */
const ROUNDING_MS = 0.001;
/** How much of a suspension counts as running: the process notices it with its next tick. */
const NOTICED_MS = 250;

/**
 * A process of the simulation, with its clock. While it is frozen, nothing happens in it: what is due waits for its end. In a killed
 * process, nothing happens any more.
 */
export class SimulatedProcess {
  readonly clock: Clock;
  readonly #machine: Machine;
  #frozenUntil = 0;
  #suspendedMs = 0;
  #isKilled = false;

  constructor(machine: Machine) {
    this.#machine = machine;
    this.clock = {
      now: () => Math.floor(machine.now),
      monotonic: () => machine.elapsedMs,
      running: () => machine.elapsedMs - this.#suspendedMs,
      sleep: (ms, signal) => this.#sleep(ms, signal),
      after: (ms, callback) => this.#after(ms, callback),
      every: (ms, callback) => repeat((again) => this.#after(ms, again), callback),
    };
  }

  get isKilled(): boolean {
    return this.#isKilled;
  }

  get isFrozen(): boolean {
    return this.#machine.elapsedMs < this.#frozenUntil;
  }

  kill(): void {
    this.#isKilled = true;
  }

  freeze(ms: number): void {
    this.#frozenUntil = this.#machine.elapsedMs + ms;
    this.#suspendedMs += Math.max(0, ms - NOTICED_MS);
  }

  /** Calls back in this process after this long: later if it is frozen then, and never if it is killed. */
  deliver(ms: number, callback: () => void): Timer {
    return this.#after(ms, callback);
  }

  #after(ms: number, callback: () => void): Timer {
    let timer = this.#machine.after(ms, () => {
      if (this.#isKilled) return;
      const leftMs = this.#frozenUntil - this.#machine.elapsedMs;
      if (leftMs > ROUNDING_MS) timer = this.#after(leftMs, callback);
      else callback();
    });
    return { clear: () => timer.clear() };
  }

  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        timer.clear();
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = this.#after(ms, end);
      if (signal?.aborted) end();
      else signal?.addEventListener("abort", end);
    });
  }
}
