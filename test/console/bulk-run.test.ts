import { describe, expect, test } from "bun:test";
import { type BulkProgress, BulkRun, type FailureEffect } from "../../src/console/users/bulk/bulk-run.ts";

/** A run whose actions a test settles one by one. */
class ControlledRun {
  readonly started: number[] = [];
  readonly ends: BulkProgress<number>[] = [];
  readonly run: BulkRun<number>;
  maxRunning = 0;
  readonly #open = new Map<number, PromiseWithResolvers<void>>();

  constructor(
    count: number,
    options: { concurrency?: number; classifyError?: (error: unknown) => FailureEffect } = {},
  ) {
    this.run = new BulkRun({
      items: Array.from({ length: count }, (_, index) => index + 1),
      act: (item) => {
        this.started.push(item);
        const work = Promise.withResolvers<void>();
        this.#open.set(item, work);
        this.maxRunning = Math.max(this.maxRunning, this.#open.size);
        return work.promise;
      },
      onEnd: (progress) => this.ends.push(progress),
      ...options,
    });
    this.run.start();
  }

  async finish(...items: number[]): Promise<void> {
    for (const item of items) await this.#settle(item, ({ resolve }) => resolve());
  }

  async fail(item: number, error: unknown): Promise<void> {
    await this.#settle(item, ({ reject }) => reject(error));
  }

  get summary() {
    const { phase, done, failed, left } = this.run.progress.get();
    return { phase, done, failed: failed.map(({ item }) => item), left };
  }

  async #settle(item: number, how: (work: PromiseWithResolvers<void>) => void): Promise<void> {
    const work = this.#open.get(item);
    if (!work) throw new Error(`${item} has not been started.`);
    this.#open.delete(item);
    how(work);
    await Bun.sleep(0);
  }
}

describe("BulkRun", () => {
  test("runs items in order, within the concurrency limit, and counts them", async () => {
    const controlled = new ControlledRun(6, { concurrency: 2 });
    expect(controlled.started).toEqual([1, 2]);
    await controlled.finish(2);
    expect(controlled.started).toEqual([1, 2, 3]);
    expect(controlled.summary).toEqual({ phase: "running", done: 1, failed: [], left: 3 });
    await controlled.finish(1, 3, 4, 5, 6);
    expect(controlled.summary).toEqual({ phase: "ended", done: 6, failed: [], left: 0 });
    expect(controlled.maxRunning).toBe(2);
    expect(controlled.ends).toEqual([controlled.run.progress.get()]);
  });

  test("runs four items in parallel by default", () => {
    expect(new ControlledRun(10).started).toEqual([1, 2, 3, 4]);
  });

  test("ends at once without items", () => {
    const controlled = new ControlledRun(0);
    expect(controlled.summary).toEqual({ phase: "ended", done: 0, failed: [], left: 0 });
    expect(controlled.ends).toHaveLength(1);
  });

  test("continues after a failure, and lists failures in order", async () => {
    const controlled = new ControlledRun(3);
    await controlled.fail(3, "never");
    await controlled.finish(2);
    await controlled.fail(1, "no");
    expect(controlled.run.progress.get().failed).toEqual([
      { item: 1, error: "no" },
      { item: 3, error: "never" },
    ]);
    expect(controlled.summary).toMatchObject({ phase: "ended", done: 1, left: 0 });
  });

  test("starts no more items after stop, and waits for running ones", async () => {
    const controlled = new ControlledRun(5, { concurrency: 2 });
    controlled.run.stop();
    expect(controlled.summary.phase).toBe("stopping");
    await controlled.finish(1);
    expect(controlled.ends).toEqual([]);
    await controlled.fail(2, "no");
    expect(controlled.summary).toEqual({ phase: "ended", done: 1, failed: [2], left: 3 });
    expect(controlled.run.notStarted).toEqual([3, 4, 5]);
    expect(controlled.started).toEqual([1, 2]);
    controlled.run.stop();
    controlled.run.resume();
    expect(controlled.ends).toHaveLength(1);
  });

  test('pauses on "pauses", and tries that item again', async () => {
    const controlled = new ControlledRun(4, { concurrency: 2, classifyError: () => "pauses" });
    await controlled.fail(1, "ended");
    expect(controlled.run.progress.get()).toMatchObject({
      phase: "paused",
      pausedBy: "ended",
      done: 0,
      left: 3,
    });
    await controlled.finish(2);
    expect(controlled.started).toEqual([1, 2]);
    controlled.run.resume();
    expect(controlled.started).toEqual([1, 2, 1, 3]);
    expect(controlled.run.progress.get().pausedBy).toBeUndefined();
    await controlled.finish(1, 3, 4);
    expect(controlled.summary).toEqual({ phase: "ended", done: 4, failed: [], left: 0 });
  });

  test('pauses on "fails and pauses", and does not repeat that item', async () => {
    const controlled = new ControlledRun(3, { concurrency: 1, classifyError: () => "fails and pauses" });
    await controlled.fail(1, "no response");
    expect(controlled.summary).toEqual({ phase: "paused", done: 0, failed: [1], left: 2 });
    controlled.run.resume();
    await controlled.finish(2);
    await controlled.fail(3, "no response");
    expect(controlled.summary).toEqual({ phase: "ended", done: 1, failed: [1, 3], left: 0 });
  });

  test("can be stopped while paused", async () => {
    const controlled = new ControlledRun(3, { concurrency: 1, classifyError: () => "pauses" });
    await controlled.fail(1, "ended");
    controlled.run.stop();
    expect(controlled.summary).toEqual({ phase: "ended", done: 0, failed: [], left: 3 });
    expect(controlled.run.notStarted).toEqual([1, 2, 3]);
  });

  test("notifies only current subscribers", async () => {
    const controlled = new ControlledRun(2, { concurrency: 1 });
    const received: number[] = [];
    const unsubscribe = controlled.run.progress.subscribe(() =>
      received.push(controlled.run.progress.get().done),
    );
    await controlled.finish(1);
    unsubscribe();
    await controlled.finish(2);
    expect(received).toEqual([1]);
  });
});
