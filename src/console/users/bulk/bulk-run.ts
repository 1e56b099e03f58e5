import { Observable } from "../../lib/observable.ts";

/** What an error means: it is about this item alone, about all that follow as well, or about those while this one waits. */
export type FailureEffect = "fails" | "fails and pauses" | "pauses";

export interface Failed<Item> {
  readonly item: Item;
  readonly error: unknown;
}

export interface BulkProgress<Item> {
  readonly phase: "running" | "paused" | "stopping" | "ended";
  readonly total: number;
  readonly done: number;
  /** As they fail; when it has ended, in the order of the items. */
  readonly failed: readonly Failed<Item>[];
  /** How many have not been begun, or wait to be begun again. */
  readonly left: number;
  /** Why it is paused. */
  readonly pausedBy?: unknown;
}

interface BulkRunOptions<Item> {
  readonly items: readonly Item[];
  readonly act: (item: Item) => Promise<unknown>;
  readonly classifyError?: (error: unknown) => FailureEffect;
  readonly concurrency?: number;
  /** Called once, after the last outcome. */
  readonly onEnd?: (progress: BulkProgress<Item>) => void;
}

/**
 * Does the same with each of many items, a few at a time, and keeps count. What has been begun is never broken off, so that
 * it is known of every item whether it was done, failed or was not begun.
 */
export class BulkRun<Item> {
  /** Another object after every change. */
  readonly progress: Observable<BulkProgress<Item>>;
  readonly #options: BulkRunOptions<Item>;
  readonly #failed: Failed<Item>[] = [];
  /** The next one is the last. */
  readonly #left: Item[];
  #running = 0;

  constructor(options: BulkRunOptions<Item>) {
    this.#options = options;
    this.#left = [...options.items].reverse();
    const { length } = options.items;
    this.progress = new Observable<BulkProgress<Item>>({
      phase: "running",
      total: length,
      done: 0,
      failed: this.#failed,
      left: length,
    });
  }

  /** Those that were not begun, in the order in which they came. */
  get notStarted(): Item[] {
    return this.#left.toReversed();
  }

  start(): void {
    this.#advance({});
  }

  /** Begins no more. What has been begun is waited for. */
  stop(): void {
    if (this.progress.get().phase !== "ended") this.#advance({ phase: "stopping", pausedBy: undefined });
  }

  /** Goes on after a pause. */
  resume(): void {
    if (this.progress.get().phase === "paused") this.#advance({ phase: "running", pausedBy: undefined });
  }

  /** After a change, begins as many as may be under way, and tells of both; ends it where nothing is left to do. */
  #advance(change: Partial<BulkProgress<Item>>): void {
    const { concurrency = 4, onEnd } = this.#options;
    let { phase } = { ...this.progress.get(), ...change };
    const begun: Item[] = [];
    while (phase === "running" && this.#running < concurrency) {
      const item = this.#left.pop();
      if (item === undefined) break;
      this.#running++;
      begun.push(item);
    }
    const over = phase === "stopping" || this.#left.length === 0;
    if (over && this.#running === 0) {
      phase = "ended";
      const order = new Map(this.#options.items.map((item, index) => [item, index]));
      this.#failed.sort((a, b) => (order.get(a.item) ?? 0) - (order.get(b.item) ?? 0));
    }
    this.progress.set({ ...this.progress.get(), ...change, phase, left: this.#left.length });
    for (const item of begun) void this.#do(item);
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
      if (verdict === "pauses") this.#left.push(item);
      else this.#failed.push({ item, error });
      const pauses = verdict !== "fails" && this.progress.get().phase === "running" && this.#left.length > 0;
      if (pauses) change = { phase: "paused", pausedBy: error };
    }
    this.#running--;
    this.#advance(change);
  }
}
