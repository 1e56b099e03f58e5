/** Clearing a timer twice, or after it has called back, has no effect. */
export interface Timer {
  clear(): void;
}

/** The time of one service. Every part that waits, or that decides by time, gets the clock of its service. */
export interface Clock {
  /** Milliseconds since 1970. Jumps if somebody sets the time of the machine. */
  now(): number;
  /** Milliseconds that never run backwards. */
  monotonic(): number;
  /**
   * Milliseconds that stop while the process is suspended: by SIGSTOP, Ctrl+Z, or with its virtual machine. Time limits for
   * others use them, because the process could not notice their answers in that time.
   */
  running(): number;
  /** Resolves after this long, or when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once, after this long. The timer does not keep the process alive. */
  after(ms: number, callback: () => void): Timer;
  /** Calls back again and again. The timer does not keep the process alive. */
  every(ms: number, callback: () => void): Timer;
}

const TICK_MS = 250;
/** A longer gap between two readings means that the process was suspended, or its event loop blocked. */
const MAX_GAP_MS = 1000;

/** Counts the time in which the process runs. Somebody reads it every `TICK_MS`. */
export class RunningTime {
  #runningMs = 0;
  #readAt: number;

  constructor(monotonic: number) {
    this.#readAt = monotonic;
  }

  read(monotonic: number): number {
    const gap = monotonic - this.#readAt;
    this.#runningMs += gap > MAX_GAP_MS ? TICK_MS : Math.max(0, gap);
    this.#readAt = monotonic;
    return this.#runningMs;
  }
}

let machineTime: RunningTime | undefined;

function runningTime(): number {
  if (machineTime === undefined) {
    machineTime = new RunningTime(performance.now());
    setInterval(runningTime, TICK_MS).unref();
  }
  return machineTime.read(performance.now());
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  running: runningTime,
  sleep(ms, signal) {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      if (signal?.aborted) end();
      else signal?.addEventListener("abort", end);
    });
  },
  after(ms, callback) {
    const timer = setTimeout(callback, ms).unref();
    return { clear: () => clearTimeout(timer) };
  },
  every(ms, callback) {
    const timer = setInterval(callback, ms).unref();
    return { clear: () => clearInterval(timer) };
  },
};

/** The wait of a loop, which others can end early. */
export class Pause {
  readonly #clock: Clock;
  #end: (() => void) | undefined;
  #isStopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the loop has to end. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Resolves after this long, with the next `end`, or at once after `stop`. */
  wait(ms: number): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#clock.after(ms, resolve);
      this.#end = () => {
        timer.clear();
        resolve();
      };
    });
  }

  end(): void {
    this.#end?.();
  }

  /** Ends this wait and all later ones. */
  stop(): void {
    this.#isStopped = true;
    this.end();
  }
}
