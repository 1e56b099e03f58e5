import { type Clock, systemClock, type Timer } from "./clock.ts";

/** Calls `onTimeout` after this much running time, unless it is cleared before. */
export class RunningTimeout {
  readonly #clock: Clock;
  readonly #deadline: number;
  readonly #onTimeout: () => void;
  #timer: Timer;

  constructor(onTimeout: () => void, ms: number, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#deadline = clock.running() + ms;
    this.#onTimeout = onTimeout;
    this.#timer = clock.after(ms, () => this.#expire());
  }

  clear(): void {
    this.#timer.clear();
  }

  #expire(): void {
    const leftMs = Math.ceil(this.#deadline - this.#clock.running());
    if (leftMs <= 0) this.#onTimeout();
    else this.#timer = this.#clock.after(leftMs, () => this.#expire());
  }
}
