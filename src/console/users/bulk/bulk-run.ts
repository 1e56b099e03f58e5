import { Observable } from "../../lib/observable.ts";

/**
 * What an error does to the run. "fails": only this item fails. "fails and pauses": the item fails, and the run pauses.
 * "pauses": the run pauses, and the item is tried again.
 */
export type FailureEffect = "fails" | "fails and pauses" | "pauses";

export interface Failed<Item> {
  readonly item: Item;
  readonly error: unknown;
}

export interface BulkProgress<Item> {
  readonly phase: "running" | "paused" | "stopping" | "ended";
  readonly total: number;
  readonly done: number;
  /** In the order of failure. After the end, in the order of the items. */
  readonly failed: readonly Failed<Item>[];
  /** Number of items that are not started, or wait to be tried again. */
  readonly left: number;
  /** The error that paused the run. */
  readonly pausedBy?: unknown;
}

interface BulkRunOptions<Item> {
  readonly items: readonly Item[];
  readonly act: (item: Item) => Promise<unknown>;
  readonly classifyError?: (error: unknown) => FailureEffect;
  readonly concurrency?: number;
  /** Called once, after the last item. */
  readonly onEnd?: (progress: BulkProgress<Item>) => void;
}

/**
 * Runs an action for each of many items, a few in parallel. Started actions are never aborted, so every item is known to
 * be done, failed or not started.
 */
export class BulkRun<Item> {
  /** A new object after every change. */
  readonly progress: Observable<BulkProgress<Item>>;
  readonly #options: BulkRunOptions<Item>;
  readonly #failed: Failed<Item>[] = [];
  /** A stack: the last element is next. */
  readonly #remaining: Item[];
  #running = 0;

  constructor(options: BulkRunOptions<Item>) {
    this.#options = options;
    this.#remaining = [...options.items].reverse();
    const { length } = options.items;
    this.progress = new Observable<BulkProgress<Item>>({
      phase: "running",
      total: length,
      done: 0,
      failed: this.#failed,
      left: length,
    });
  }

  /** Items that were not started, in their original order. */
  get notStarted(): Item[] {
    return this.#remaining.toReversed();
  }

  start(): void {
    this.#advance({});
  }

  /** Starts no more items, and waits for the running ones. */
  stop(): void {
    if (this.progress.get().phase !== "ended") this.#advance({ phase: "stopping", pausedBy: undefined });
  }

  /** Continues after a pause. */
  resume(): void {
    if (this.progress.get().phase === "paused") this.#advance({ phase: "running", pausedBy: undefined });
  }

  /** Applies a change, starts as many items as allowed, and ends the run if nothing is left. */
  #advance(change: Partial<BulkProgress<Item>>): void {
    const { concurrency = 4, onEnd } = this.#options;
    let { phase } = { ...this.progress.get(), ...change };
    const started: Item[] = [];
    while (phase === "running" && this.#running < concurrency) {
      const item = this.#remaining.pop();
      if (item === undefined) break;
      this.#running++;
      started.push(item);
    }
    const isOver = phase === "stopping" || this.#remaining.length === 0;
    if (isOver && this.#running === 0) {
      phase = "ended";
      const order = new Map(this.#options.items.map((item, index) => [item, index]));
      this.#failed.sort((a, b) => (order.get(a.item) ?? 0) - (order.get(b.item) ?? 0));
    }
    this.progress.set({ ...this.progress.get(), ...change, phase, left: this.#remaining.length });
    for (const item of started) void this.#do(item);
    if (phase === "ended") onEnd?.(this.progress.get());
  }

  async #do(item: Item): Promise<void> {
    const { act, classifyError = () => "fails" } = this.#options;
    let change: Partial<BulkProgress<Item>> = {};
    try {
      await act(item);
      change = { done: this.progress.get().done + 1 };
    } catch (error) {
      const verdict = classifyError(error);
      if (verdict === "pauses") this.#remaining.push(item);
      else this.#failed.push({ item, error });
      const pauses =
        verdict !== "fails" && this.progress.get().phase === "running" && this.#remaining.length > 0;
      if (pauses) change = { phase: "paused", pausedBy: error };
    }
    this.#running--;
    this.#advance(change);
  }
}
