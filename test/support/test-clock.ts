import { type Clock, RunningTime, type Timer } from "../../src/domain/clock.ts";

interface PendingTimer extends Timer {
  dueAt: number;
  /** Undefined for a timer that calls back once. */
  readonly periodMs: number | undefined;
  readonly callback: () => void;
}

const STEP_MS = 50;

/**
 * A clock that tests advance. It runs as fast as the clock of the machine or, if it is stopped, only when it is advanced. Timers
 * call back in the order in which they are due.
 */
export class TestClock implements Clock {
  /** Milliseconds by which this clock is ahead of the machine or, if it is stopped, of the moment when it was stopped. */
  #aheadMs = 0;
  #stopped: { readonly now: number; readonly monotonic: number } | undefined;
  readonly #timers = new Set<PendingTimer>();
  /** The part of the jumps that counts as suspension. */
  #suspendedMs = 0;
  #machineTimer: ReturnType<typeof setTimeout> | undefined;

  /** A clock that only moves when it is advanced. */
  static stopped(): TestClock {
    const clock = new TestClock();
    clock.stop();
    return clock;
  }

  now(): number {
    return Math.floor((this.#stopped?.now ?? Date.now()) + this.#aheadMs);
  }

  monotonic(): number {
    return (this.#stopped?.monotonic ?? performance.now()) + this.#aheadMs;
  }

  running(): number {
    return this.monotonic() - this.#suspendedMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        timer.clear();
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = this.after(ms, end);
      if (signal?.aborted) end();
      else signal?.addEventListener("abort", end);
    });
  }

  after(ms: number, callback: () => void): Timer {
    return this.#add({ dueAt: this.monotonic() + ms, periodMs: undefined, callback });
  }

  every(ms: number, callback: () => void): Timer {
    return this.#add({ dueAt: this.monotonic() + ms, periodMs: ms, callback });
  }

  /** Stops the clock until the result is disposed of. */
  stop(): Disposable {
    if (!this.#stopped) {
      // Whole milliseconds: sums of fractions are not exact.
      this.#stopped = { now: this.now(), monotonic: Math.ceil(this.monotonic()) };
      this.#aheadMs = 0;
    }
    clearTimeout(this.#machineTimer);
    return { [Symbol.dispose]: () => this.resume() };
  }

  resume(): void {
    if (!this.#stopped) return;
    this.#aheadMs = this.monotonic() - performance.now();
    this.#stopped = undefined;
    this.#arm();
  }

  /** Moves the clock. Timers that become due call back at their own time, and the program runs between two of them. */
  async advance(ms: number): Promise<void> {
    const runProgram = () => new Promise(setImmediate);
    const end = this.monotonic() + ms;
    for (let next = this.#next(); next && next.dueAt <= end; next = this.#next()) {
      this.#moveTo(Math.max(next.dueAt, this.monotonic()));
      this.#call(next);
      await runProgram();
    }
    this.#moveTo(Math.max(end, this.monotonic()));
    await runProgram();
  }

  /**
   * Advances the clock in small steps until the promise is settled, by `mostMs` at most, and returns its result. For work that
   * waits for the clock, and for other processes in between.
   */
  async skipTo<Result>(promise: Promise<Result>, mostMs = 2000): Promise<Result> {
    let isSettled = false;
    const settled = promise.finally(() => {
      isSettled = true;
    });
    settled.catch(() => undefined);
    for (let skippedMs = 0; skippedMs < mostMs && !isSettled; skippedMs += STEP_MS) {
      await this.advance(STEP_MS);
      await Bun.sleep(1);
    }
    return settled;
  }

  /**
   * Moves the clock at once, as if the process was suspended: timers that have become due call back once, afterwards. A stopped
   * clock calls them when it is advanced.
   */
  jump(ms: number): void {
    this.#suspendedMs += ms - new RunningTime(0).read(ms);
    this.#aheadMs += ms;
    this.#arm();
  }

  #add(timer: Omit<PendingTimer, "clear">): Timer {
    const pending = {
      ...timer,
      clear: () => {
        this.#timers.delete(pending);
      },
    };
    const isFirst = pending.dueAt < (this.#next()?.dueAt ?? Number.POSITIVE_INFINITY);
    this.#timers.add(pending);
    if (isFirst) this.#arm();
    return pending;
  }

  #next(): PendingTimer | undefined {
    let next: PendingTimer | undefined;
    for (const timer of this.#timers) if (!next || timer.dueAt < next.dueAt) next = timer;
    return next;
  }

  #call(timer: PendingTimer): void {
    if (timer.periodMs === undefined) timer.clear();
    else timer.dueAt = Math.max(timer.dueAt + timer.periodMs, this.monotonic());
    timer.callback();
  }

  #moveTo(time: number): void {
    this.#aheadMs += time - this.monotonic();
    this.#arm();
  }

  /** Calls back at the machine's pace, unless the clock is stopped. */
  #arm(): void {
    clearTimeout(this.#machineTimer);
    const next = this.#next();
    if (this.#stopped || !next) return;
    this.#machineTimer = setTimeout(
      () => {
        const due = [...this.#timers].filter(({ dueAt }) => dueAt <= this.monotonic());
        for (const timer of due.sort((one, other) => one.dueAt - other.dueAt)) {
          if (this.#timers.has(timer)) this.#call(timer);
        }
        this.#arm();
      },
      Math.max(0, next.dueAt - this.monotonic()),
    ).unref();
  }
}
