import type { Timer } from "../../src/domain/clock.ts";
import { Random } from "./random.ts";

interface Task extends Timer {
  readonly dueAt: number;
  /** Decides between tasks that are due at the same time. */
  readonly order: number;
  readonly run: () => void;
  isCleared: boolean;
}

/** 2026-11-16T09:00:00Z. */
const START_MS = 1_794_819_600_000;

const runOtherPromises = setImmediate;

/**
 * The time and the event loop of a simulation. Time moves from one task to the next: a simulated minute takes a few milliseconds. The
 * seed decides everything that a real machine leaves open: which of two tasks runs first, and how long each turn takes.
 */
export class Machine {
  readonly random: Random;
  /** How much time each turn of the event loop takes at most. */
  slownessMs = 0;
  #elapsedMs = 0;
  /** A binary heap: the next task comes first. */
  readonly #tasks: Task[] = [];
  #immediates: (() => void)[] = [];
  #steps = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  /** Milliseconds since 1970. */
  get now(): number {
    return START_MS + this.#elapsedMs;
  }

  /** Milliseconds since the simulation began. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** The turns of the event loop so far. */
  get steps(): number {
    return this.#steps;
  }

  after(ms: number, run: () => void): Timer {
    const task: Task = {
      dueAt: this.#elapsedMs + Math.max(0, ms),
      order: this.random.next(),
      run,
      isCleared: false,
      clear: () => {
        task.isCleared = true;
      },
    };
    this.#push(task);
    return task;
  }

  every(ms: number, run: () => void): Timer {
    return repeat((again) => this.after(ms, again), run);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** Runs until this time, in milliseconds since the beginning. Calls `onStep` after every turn; ends when it returns false. */
  async runUntil(elapsedMs: number, onStep: () => boolean = () => true): Promise<void> {
    while (await this.#step(elapsedMs)) if (!onStep()) return;
    this.#elapsedMs = Math.max(this.#elapsedMs, elapsedMs);
  }

  /** Ends the simulation: nothing is left that could run in a later one. */
  async end(): Promise<void> {
    this.#tasks.length = 0;
    while (await this.#runImmediate());
  }

  /** Takes one task. Returns false if none is due until `end`. */
  async #step(end: number): Promise<boolean> {
    this.#steps++;
    if (this.slownessMs > 0) this.#elapsedMs += this.random.next() * this.slownessMs;
    if (await this.#runImmediate()) return true;
    let next = this.#tasks[0];
    while (next?.isCleared) {
      this.#pop();
      next = this.#tasks[0];
    }
    if (!next || next.dueAt > end) return false;
    this.#pop();
    this.#elapsedMs = Math.max(this.#elapsedMs, next.dueAt);
    next.run();
    await new Promise(runOtherPromises);
    return true;
  }

  async #runImmediate(): Promise<boolean> {
    const immediates = this.#immediates;
    if (immediates.length === 0) return false;
    this.#immediates = [];
    for (const run of immediates) run();
    await new Promise(runOtherPromises);
    return true;
  }

  /**
   * Replaces the clock, the timers and the random numbers of this process until the result is disposed of. All code of the process
   * then uses those of the simulation.
   */
  install(): Disposable {
    const { Date: date, performance: clock, Math: math, Bun: bun } = globalThis;
    const originals = {
      now: date.now,
      performanceNow: clock.now,
      random: math.random,
      sleep: bun.sleep,
      setTimeout: globalThis.setTimeout,
      setInterval: globalThis.setInterval,
      setImmediate: globalThis.setImmediate,
      clearTimeout: globalThis.clearTimeout,
      clearInterval: globalThis.clearInterval,
    };
    const { cpuUsage } = process;
    const replaceTimer =
      (start: (ms: number, run: () => void) => Timer) =>
      (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
        toTimeout(start(ms, () => run(...args)));
    const clearTimer = (timer: unknown) => {
      if (timer instanceof Timeout) timer.clear();
    };
    date.now = () => Math.floor(this.now);
    clock.now = () => this.#elapsedMs;
    math.random = () => this.random.next();
    Object.assign(bun, { sleep: (ms: number) => this.sleep(ms) });
    Object.assign(process, { cpuUsage: () => ({ user: 0, system: 0 }) });
    Object.assign(globalThis, {
      setTimeout: replaceTimer((ms, run) => this.after(ms, run)),
      setInterval: replaceTimer((ms, run) => this.every(ms, run)),
      setImmediate: (run: () => void) => {
        this.#immediates.push(run);
      },
      clearTimeout: clearTimer,
      clearInterval: clearTimer,
    });
    return {
      [Symbol.dispose]: () => {
        const { now, performanceNow, random, sleep, ...timers } = originals;
        date.now = now;
        clock.now = performanceNow;
        math.random = random;
        Object.assign(bun, { sleep });
        Object.assign(process, { cpuUsage });
        Object.assign(globalThis, timers);
      },
    };
  }

  #push(task: Task): void {
    const tasks = this.#tasks;
    let index = tasks.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = tasks[parent];
      if (!above || !isBefore(task, above)) break;
      tasks[index] = above;
      index = parent;
    }
    tasks[index] = task;
  }

  #pop(): void {
    const tasks = this.#tasks;
    const last = tasks.pop();
    if (!last || tasks.length === 0) return;
    let index = 0;
    for (;;) {
      const left = tasks[2 * index + 1];
      const right = tasks[2 * index + 2];
      const isRight = right !== undefined && left !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (!child || !isBefore(child, last)) break;
      tasks[index] = child;
      index = 2 * index + (isRight ? 2 : 1);
    }
    tasks[index] = last;
  }
}

/** Runs something again and again. `later` says when. */
export function repeat(later: (again: () => void) => Timer, run: () => void): Timer {
  let timer: Timer;
  let isCleared = false;
  const next = () => {
    timer = later(() => {
      run();
      if (!isCleared) next();
    });
  };
  next();
  return {
    clear() {
      isCleared = true;
      timer.clear();
    },
  };
}

function isBefore(one: Task, other: Task): boolean {
  return one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.order < other.order);
}

/** What `setTimeout` returns. */
class Timeout {
  readonly #timer: Timer;

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  clear(): void {
    this.#timer.clear();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

function toTimeout(timer: Timer): Timeout {
  return new Timeout(timer);
}
