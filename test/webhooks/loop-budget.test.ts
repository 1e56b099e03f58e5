import { beforeEach, describe, expect, test } from "bun:test";
import { DeliveryTurns, type TurnTaker } from "../../src/webhooks/delivery-turns.ts";
import { LoopBudget } from "../../src/webhooks/loop-budget.ts";
import { TestClock } from "../support/test-clock.ts";

const SECOND = 1000;
const REQUESTS_PER_SECOND = 50;

let clock: TestClock;
let used: { deliveriesMs: number; cpuMs: number; requests: number };
let budget: LoopBudget;
beforeEach(() => {
  clock = TestClock.stopped();
  used = { deliveriesMs: 0, cpuMs: 0, requests: 0 };
  budget = new LoopBudget(clock, {
    deliveriesMs: () => used.deliveriesMs,
    cpuMs: () => used.cpuMs,
    requests: () => used.requests,
  });
});

/** CPU time of a delivery, for a millisecond of the event loop. */
const DELIVERY_CPU_MS = 3;

/** Webhooks whose deliveries keep the event loop for a millisecond each. Remembers the order of the deliveries. */
function createTakers(counts: Readonly<Record<string, number>>) {
  const sent: string[] = [];
  const takers = Object.entries(counts).map(([name, count]): TurnTaker => {
    let left = count;
    return {
      sendNext() {
        if (left === 0) return false;
        sent.push(name);
        used.deliveriesMs += 1;
        used.cpuMs += DELIVERY_CPU_MS;
        return --left > 0;
      },
    };
  });
  const turns = new DeliveryTurns(clock, budget);
  for (const taker of takers) turns.add(taker);
  return { sent, turns, takers };
}

/** A second in which callers send requests that take this much CPU time. */
async function passSecond(requestsCpuMs: number, requests = REQUESTS_PER_SECOND): Promise<void> {
  for (let step = 0; step < 100; step++) {
    used.cpuMs += requestsCpuMs / 100;
    used.requests += requests / 100;
    await clock.advance(SECOND / 100);
  }
}

describe("the deliveries of all webhooks together", () => {
  test("keep the event loop for a slice of two milliseconds, and then leave it to others", async () => {
    const { sent } = createTakers({ a: 100 });
    await clock.advance(1);
    expect(sent).toHaveLength(2);
    await clock.advance(1);
    expect(sent).toHaveLength(2);
  });

  test.each([100, 300, 600])(
    "cost less CPU time than requests that take %d ms a second",
    async (requestsCpuMs) => {
      const { sent } = createTakers({ a: 1e6 });
      for (let second = 0; second < 5; second++) await passSecond(requestsCpuMs);
      const before = sent.length;
      for (let second = 0; second < 10; second++) await passSecond(requestsCpuMs);
      const cpuMs = ((sent.length - before) * DELIVERY_CPU_MS) / 10;
      expect(cpuMs).toBeLessThan(requestsCpuMs);
      expect(cpuMs).toBeGreaterThan(requestsCpuMs / 3);
    },
  );

  test("get a fiftieth of the event loop if requests take hardly any time", async () => {
    const { sent } = createTakers({ a: 1e6 });
    await passSecond(1);
    const before = sent.length;
    await passSecond(1);
    expect(sent.length - before).toBeWithin(17, 23);
  });

  test("get half of the event loop if there are few requests", async () => {
    const { sent } = createTakers({ a: 1e6 });
    await passSecond(0, 1);
    const before = sent.length;
    await passSecond(0, 1);
    expect(sent.length - before).toBeWithin(400, 501);
  });

  test("save up no more than a slice while there is nothing to send", async () => {
    await passSecond(0, 1);
    const { sent } = createTakers({ a: 100 });
    await clock.advance(0);
    await clock.advance(1);
    expect(sent.length).toBeLessThanOrEqual(3);
  });
});

test("webhooks take turns: each sends one delivery, and one with many delays no other", async () => {
  const { sent } = createTakers({ many: 50, few: 3, one: 1 });
  await passSecond(0, 1);
  await passSecond(0, 1);
  expect(sent.slice(0, 7)).toEqual(["many", "few", "one", "many", "few", "many", "few"]);
  expect(sent).toHaveLength(54);
});

test("a webhook that asks for a turn twice gets one", async () => {
  const { sent, turns, takers } = createTakers({ a: 1, b: 1 });
  for (const taker of takers) turns.add(taker);
  await clock.advance(1);
  expect(sent).toEqual(["a", "b"]);
});
