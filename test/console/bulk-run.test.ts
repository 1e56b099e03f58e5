import { describe, expect, test } from "bun:test";
import { type BulkProgress, BulkRun, type FailureEffect } from "../../src/console/users/bulk/bulk-run.ts";

/** Work whose outcomes a test decides, one by one. */
class Desk {
  readonly begun: number[] = [];
  readonly ends: BulkProgress<number>[] = [];
  readonly run: BulkRun<number>;
  most = 0;
  readonly #open = new Map<number, PromiseWithResolvers<void>>();

  constructor(
    count: number,
    options: { concurrency?: number; classifyError?: (error: unknown) => FailureEffect } = {},
  ) {
    this.run = new BulkRun({
      items: Array.from({ length: count }, (_, index) => index + 1),
      act: (item) => {
        this.begun.push(item);
        const work = Promise.withResolvers<void>();
        this.#open.set(item, work);
        this.most = Math.max(this.most, this.#open.size);
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

  async refuse(item: number, error: unknown): Promise<void> {
    await this.#settle(item, ({ reject }) => reject(error));
  }

  get summary() {
    const { phase, done, failed, left } = this.run.progress.get();
    return { phase, done, failed: failed.map(({ item }) => item), left };
  }

  async #settle(item: number, how: (work: PromiseWithResolvers<void>) => void): Promise<void> {
    const work = this.#open.get(item);
    if (!work) throw new Error(`${item} has not been begun.`);
    this.#open.delete(item);
    how(work);
    await Bun.sleep(0);
  }
}

describe("a run over many", () => {
  test("does them in order, no more at once than it may, and counts", async () => {
    const desk = new Desk(6, { concurrency: 2 });
    expect(desk.begun).toEqual([1, 2]);
    await desk.finish(2);
    expect(desk.begun).toEqual([1, 2, 3]);
    expect(desk.summary).toEqual({ phase: "running", done: 1, failed: [], left: 3 });
    await desk.finish(1, 3, 4, 5, 6);
    expect(desk.summary).toEqual({ phase: "ended", done: 6, failed: [], left: 0 });
    expect(desk.most).toBe(2);
    expect(desk.ends).toEqual([desk.run.progress.get()]);
  });

  test("begins four at once unless told otherwise", () => {
    expect(new Desk(10).begun).toEqual([1, 2, 3, 4]);
  });

  test("over nobody has ended at once", () => {
    const desk = new Desk(0);
    expect(desk.summary).toEqual({ phase: "ended", done: 0, failed: [], left: 0 });
    expect(desk.ends).toHaveLength(1);
  });

  test("goes on when one fails, and keeps who and why, in order", async () => {
    const desk = new Desk(3);
    await desk.refuse(3, "never");
    await desk.finish(2);
    await desk.refuse(1, "no");
    expect(desk.run.progress.get().failed).toEqual([
      { item: 1, error: "no" },
      { item: 3, error: "never" },
    ]);
    expect(desk.summary).toMatchObject({ phase: "ended", done: 1, left: 0 });
  });

  test("begins no more once it is stopped, and waits for what was begun", async () => {
    const desk = new Desk(5, { concurrency: 2 });
    desk.run.stop();
    expect(desk.summary.phase).toBe("stopping");
    await desk.finish(1);
    expect(desk.ends).toEqual([]);
    await desk.refuse(2, "no");
    expect(desk.summary).toEqual({ phase: "ended", done: 1, failed: [2], left: 3 });
    expect(desk.run.notStarted).toEqual([3, 4, 5]);
    expect(desk.begun).toEqual([1, 2]);
    desk.run.stop();
    desk.run.resume();
    expect(desk.ends).toHaveLength(1);
  });

  test("waits where others would fare the same, and does that one again", async () => {
    const desk = new Desk(4, { concurrency: 2, classifyError: () => "pauses" });
    await desk.refuse(1, "ended");
    expect(desk.run.progress.get()).toMatchObject({ phase: "paused", pausedBy: "ended", done: 0, left: 3 });
    await desk.finish(2);
    expect(desk.begun).toEqual([1, 2]);
    desk.run.resume();
    expect(desk.begun).toEqual([1, 2, 1, 3]);
    expect(desk.run.progress.get().pausedBy).toBeUndefined();
    await desk.finish(1, 3, 4);
    expect(desk.summary).toEqual({ phase: "ended", done: 4, failed: [], left: 0 });
  });

  test("waits after a failure of which nobody knows whether it was one, and does that one no second time", async () => {
    const desk = new Desk(3, { concurrency: 1, classifyError: () => "fails and pauses" });
    await desk.refuse(1, "no answer");
    expect(desk.summary).toEqual({ phase: "paused", done: 0, failed: [1], left: 2 });
    desk.run.resume();
    await desk.finish(2);
    await desk.refuse(3, "no answer");
    expect(desk.summary).toEqual({ phase: "ended", done: 1, failed: [1, 3], left: 0 });
  });

  test("can be stopped while it waits", async () => {
    const desk = new Desk(3, { concurrency: 1, classifyError: () => "pauses" });
    await desk.refuse(1, "ended");
    desk.run.stop();
    expect(desk.summary).toEqual({ phase: "ended", done: 0, failed: [], left: 3 });
    expect(desk.run.notStarted).toEqual([1, 2, 3]);
  });

  test("tells those who listen of every change, and nobody else", async () => {
    const desk = new Desk(2, { concurrency: 1 });
    const heard: number[] = [];
    const leave = desk.run.progress.subscribe(() => heard.push(desk.run.progress.get().done));
    await desk.finish(1);
    leave();
    await desk.finish(2);
    expect(heard).toEqual([1]);
  });
});
