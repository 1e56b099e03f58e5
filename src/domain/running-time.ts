const TICK_MS = 250;
/** A longer gap between two ticks means that the process was suspended, or its event loop blocked. */
const MAX_GAP_MS = 1000;

let runningMs = 0;
let seenAt = 0;
let ticks: ReturnType<typeof setInterval> | undefined;

/**
 * A clock in milliseconds that stops while the process is suspended: by SIGSTOP, Ctrl+Z, or with its virtual machine.
 * Time limits for others use it, because the process could not notice their answers in that time.
 */
export function runningTime(): number {
  const now = performance.now();
  if (ticks === undefined) {
    ticks = setInterval(runningTime, TICK_MS);
    ticks.unref();
  } else {
    const gap = now - seenAt;
    runningMs += gap > MAX_GAP_MS ? TICK_MS : Math.max(0, gap);
  }
  seenAt = now;
  return runningMs;
}

/** Calls `onTimeout` after this much running time, unless it is cleared before. */
export class RunningTimeout {
  readonly #deadline: number;
  readonly #onTimeout: () => void;
  #timer: ReturnType<typeof setTimeout>;

  constructor(onTimeout: () => void, ms: number) {
    this.#deadline = runningTime() + ms;
    this.#onTimeout = onTimeout;
    this.#timer = setTimeout(() => this.#expire(), ms);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  #expire(): void {
    const leftMs = Math.ceil(this.#deadline - runningTime());
    if (leftMs <= 0) this.#onTimeout();
    else this.#timer = setTimeout(() => this.#expire(), leftMs);
  }
}
