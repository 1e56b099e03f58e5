import { describe, expect, test } from "bun:test";
import { FairQueue } from "../../src/domain/scheduling/fair-queue.ts";
import { FairSlots } from "../../src/domain/scheduling/fair-slots.ts";
import { LoopShare } from "../../src/domain/scheduling/loop-share.ts";

/** Lets the callbacks of settled promises run. */
const settled = () => new Promise(setImmediate);
const never = new AbortController().signal;

function takeAllInTurn(queue: FairQueue<string>): string[] {
  return Array.from({ length: queue.size }, () => queue.take() ?? "");
}

describe("a fair queue", () => {
  test("gives each owner one turn after the other, and keeps the order of each", () => {
    const queue = new FairQueue<string>();
    for (const item of ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]) queue.add(item.slice(0, 1), item);
    expect(takeAllInTurn(queue)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
    expect([queue.size, queue.take()]).toEqual([0, undefined]);
  });

  test("lets an owner that comes later wait for one item of each other owner, however many they have", () => {
    const queue = new FairQueue<string>();
    for (let number = 0; number < 1000; number++) {
      for (const owner of ["a", "b"]) queue.add(owner, `${owner}${number}`);
    }
    queue.take();
    queue.add("c", "c");
    expect([queue.take(), queue.take(), queue.take()]).toEqual(["b0", "a1", "c"]);
  });

  test("makes room for an owner with fewer items, and for nobody else", () => {
    const queue = new FairQueue<string>();
    for (const item of ["a1", "a2", "a3", "a4", "b1"]) queue.add(item.slice(0, 1), item);
    expect([queue.displace("a"), queue.displace("c"), queue.displace("c")]).toEqual([undefined, "a4", "a3"]);
    // Both would then have one.
    expect([queue.displace("b"), queue.displace("")]).toEqual([undefined, "a2"]);
    expect(takeAllInTurn(queue)).toEqual(["a1", "b1"]);
  });

  test("removes single items and all items", () => {
    const queue = new FairQueue<string>();
    for (const item of ["a1", "a2", "b1"]) queue.add(item.slice(0, 1), item);
    expect([queue.delete("a", "a1"), queue.delete("a", "a1"), queue.delete("x", "b1")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(queue.size).toBe(2);
    expect(queue.takeAll()).toEqual(["a2", "b1"]);
    expect([queue.size, queue.take()]).toEqual([0, undefined]);
  });
});

describe("fair slots", () => {
  test("let owners take turns, and as many run as there are places", async () => {
    const slots = new FairSlots(2);
    const entered: string[] = [];
    for (const task of ["a1", "a2", "a3", "a4", "a5", "b1"]) {
      void slots.enter(task.slice(0, 1), never).then(() => entered.push(task));
    }
    await settled();
    expect(entered).toEqual(["a1", "a2"]);
    for (let left = 0; left < 4; left++) {
      slots.leave();
      await settled();
    }
    expect(entered).toEqual(["a1", "a2", "a3", "b1", "a4", "a5"]);
  });

  test("reject a task that waits when its signal aborts, and give its place to the next", async () => {
    const slots = new FairSlots(1);
    await slots.enter("a", never);
    const controller = new AbortController();
    const givenUp = slots.enter("b", controller.signal);
    const next = slots.enter("c", never);
    controller.abort(new Error("too late"));
    expect(givenUp).rejects.toThrow("too late");
    slots.leave();
    await next;
    expect(slots.enter("d", controller.signal)).rejects.toThrow("too late");
    slots.leave();
    await slots.enter("e", never);
  });
});

describe("turns of the event loop", () => {
  test("go to one owner after the other, and to work with locks first", async () => {
    const share = new LoopShare();
    const order: string[] = [];
    const wait = (name: string, options: { first?: boolean; owner?: string }) =>
      share.nextTurn(options).then(() => order.push(name));
    await Promise.all([
      ...["a1", "a2", "a3"].map((name) => wait(name, { owner: "a" })),
      wait("b1", { owner: "b" }),
      wait("other", {}),
      wait("locked", { first: true }),
    ]);
    expect(order).toEqual(["locked", "a1", "b1", "other", "a2", "a3"]);
  });

  test("are for one alone if it says so, also if it goes on over several promises", async () => {
    const share = new LoopShare();
    let running = 0;
    const work = async () => {
      await share.nextTurn({ owner: "a", alone: true });
      expect(++running).toBe(1);
      for (let promise = 0; promise < 20; promise++) await undefined;
      running--;
    };
    await Promise.all(Array.from({ length: 5 }, work));
  });
});
