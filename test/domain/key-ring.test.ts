import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import fc from "fast-check";
import { systemClock } from "../../src/domain/clock.ts";
import { KeyRing, monthOf, untilNextMonth } from "../../src/domain/keys/key-ring.ts";
import { TestClock } from "../support/test-clock.ts";
import { answerUntilDone, ManualKeyStore, nextTick, ringWith } from "./support/manual-key-store.ts";

afterEach(() => {
  setSystemTime();
});

describe("refreshing", () => {
  test("calls during a refresh share one more refresh, which starts after it", async () => {
    const store = new ManualKeyStore();
    const ring = new KeyRing(store, systemClock);
    const first = ring.refresh();
    const digest = store.add();
    const later = Array.from({ length: 10 }, () => ring.refresh());
    expect(store.calls.changes).toBe(1);
    store.waiting[0]?.answer();
    await first;
    expect(ring.find(digest)).toBeUndefined();
    await nextTick();
    expect(store.calls.changes).toBe(2);
    store.waiting[0]?.answer();
    await Promise.all(later);
    expect(ring.find(digest)?.actor).toEqual({ type: "key", id: 1 });
    expect(store.calls.changes).toBe(2);
  });

  test("continues after a failed refresh, and only its own callers get the error", async () => {
    const store = new ManualKeyStore();
    const ring = new KeyRing(store, systemClock);
    const first = Promise.resolve(ring.refresh());
    const second = Promise.resolve(ring.refresh());
    const digest = store.add();
    store.waiting[0]?.fail();
    expect(first).rejects.toThrow("away");
    await nextTick();
    store.waiting[0]?.answer();
    await second;
    expect(ring.find(digest)).toBeDefined();
  });

  test("never runs twice at once, and each call sees every change made before it", async () => {
    const steps = fc.array(fc.constantFrom("ask", "ask", "chain", "answer", "fail", "change", "wait"), {
      maxLength: 60,
      size: "max",
    });
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const store = new ManualKeyStore();
        const ring = new KeyRing(store, systemClock);
        const asks: Promise<unknown>[] = [];
        const unseen: number[] = [];
        const ask = async (again: boolean): Promise<void> => {
          const wanted = store.last;
          const failed = await Promise.resolve(ring.refresh()).catch((error: unknown) => error);
          if (!failed && wanted > 0 && !ring.find(`digest ${wanted}`)) unseen.push(wanted);
          if (again) await ask(false);
        };
        for (const step of sequence) {
          if (step === "ask" || step === "chain") asks.push(ask(step === "chain"));
          if (step === "answer") store.waiting[0]?.answer();
          if (step === "fail") store.waiting[0]?.fail();
          if (step === "change") store.add();
          if (step === "wait") await nextTick();
        }
        await answerUntilDone(store, Promise.all(asks));
        expect(unseen).toEqual([]);
        expect(store.maxConcurrent.changes).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("counting", () => {
  test("sends each request to the store exactly once, even after failures", async () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ do: fc.constant("use"), key: fc.nat({ max: 2 }) }) },
        {
          weight: 5,
          arbitrary: fc.record({
            do: fc.constantFrom("count", "answer", "fail", "wait", "elsewhere"),
            key: fc.nat({ max: 2 }),
          }),
        },
      ),
      { maxLength: 80, size: "max" },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const store = new ManualKeyStore();
        const { ring, keys } = await ringWith(store, [null, null, 1000]);
        const here = [0, 0, 0];
        const elsewhere = [0, 0, 0];
        for (const { do: step, key } of sequence) {
          const held = keys[key];
          if (!held) throw new Error(`There is no key ${key}.`);
          if (step === "use") {
            ring.recordUse(held);
            here[key] = (here[key] ?? 0) + 1;
          }
          if (step === "elsewhere") {
            store.use(key + 1, 1);
            elsewhere[key] = (elsewhere[key] ?? 0) + 1;
          }
          if (step === "count") ring.count().catch(() => undefined);
          if (step === "answer") store.waiting.at(-1)?.answer();
          if (step === "fail") store.waiting.at(-1)?.fail();
          if (step === "wait") await nextTick();
          // The number for the quota includes every request of this node, and at most all requests of others.
          keys.forEach(({ counted, uncounted }, index) => {
            const [own = 0, others = 0] = [here[index], elsewhere[index]];
            expect(counted + uncounted).toBeWithin(own, own + others + 1);
          });
        }
        await answerUntilDone(store, ring.stop());
        expect([1, 2, 3].map((id) => store.total(id))).toEqual(
          here.map((own, i) => own + (elsewhere[i] ?? 0)),
        );
        expect(keys.map(({ uncounted }) => uncounted)).toEqual([0, 0, 0]);
      }),
    );
  });

  test("never lets one node exceed a quota, even during a count", async () => {
    const steps = fc.array(fc.constantFrom("call", "call", "call", "count", "answer", "fail", "wait"), {
      maxLength: 100,
      size: "max",
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20 }), steps, async (quota, sequence) => {
        const store = new ManualKeyStore();
        const { ring, keys } = await ringWith(store, [quota]);
        const [key] = keys;
        if (!key) throw new Error("There is no key.");
        let [asked, admitted] = [0, 0];
        for (const step of sequence) {
          if (step === "call") {
            asked++;
            if (key.counted + key.uncounted < quota) {
              ring.recordUse(key);
              admitted++;
            }
          }
          if (step === "count") ring.count().catch(() => undefined);
          if (step === "answer") store.waiting.at(-1)?.answer();
          if (step === "fail") store.waiting.at(-1)?.fail();
          if (step === "wait") await nextTick();
        }
        expect(admitted).toBe(Math.min(asked, quota));
        await answerUntilDone(store, ring.stop());
        expect(store.total(1)).toBe(admitted);
      }),
    );
  });

  test("includes the counts of other nodes", async () => {
    const store = new ManualKeyStore();
    const { ring, keys } = await ringWith(store, [100, null]);
    store.use(1, 41);
    for (const key of keys) ring.recordUse(key);
    await answerUntilDone(store, ring.count());
    expect(keys.map(({ counted }) => counted)).toEqual([42, 1]);
  });

  test("does not call the store without requests", async () => {
    const store = new ManualKeyStore();
    const { ring } = await ringWith(store, [null]);
    await ring.count();
    expect(store.calls.count).toBe(0);
  });
});

describe("the month", () => {
  const lastMoment = Date.parse("2026-11-30T23:59:59.900Z");

  test("counts requests in the month in which they came, and starts the next month at zero", async () => {
    setSystemTime(lastMoment);
    const store = new ManualKeyStore();
    const { ring, keys } = await ringWith(store, [5, null]);
    for (const key of keys) for (let call = 0; call < 5; call++) ring.recordUse(key);
    await answerUntilDone(store, ring.count());
    for (const key of keys) ring.recordUse(key);
    setSystemTime(lastMoment + 200);
    await answerUntilDone(store, ring.count());
    expect(keys.map(({ counted, uncounted }) => counted + uncounted)).toEqual([0, 0]);
    for (const key of keys) ring.recordUse(key);
    await answerUntilDone(store, ring.count());
    expect(Object.fromEntries(store.totals)).toEqual({
      "2026-11/1": 6,
      "2026-11/2": 6,
      "2026-12/1": 1,
      "2026-12/2": 1,
    });
  });

  test("counts requests during the last count of a month in the new month", async () => {
    setSystemTime(lastMoment);
    const store = new ManualKeyStore();
    const { ring, keys } = await ringWith(store, [5]);
    const [key] = keys;
    if (!key) throw new Error("There is no key.");
    ring.recordUse(key);
    setSystemTime(lastMoment + 200);
    const counting = ring.count();
    await nextTick();
    for (let call = 0; call < 3; call++) ring.recordUse(key);
    await answerUntilDone(store, counting);
    expect([key.counted, key.uncounted]).toEqual([0, 3]);
    await answerUntilDone(store, ring.stop());
    expect(Object.fromEntries(store.totals)).toEqual({ "2026-11/1": 1, "2026-12/1": 3 });
  });

  test("loses no request if the store is unavailable at the end of the month", async () => {
    setSystemTime(lastMoment);
    const store = new ManualKeyStore();
    const { ring, keys } = await ringWith(store, [2, null]);
    for (const key of keys) ring.recordUse(key);
    setSystemTime(lastMoment + 200);
    const failing = ring.count();
    await nextTick();
    store.waiting[0]?.fail();
    expect(failing).rejects.toThrow("away");
    await nextTick();
    await answerUntilDone(store, ring.count());
    expect(keys.map(({ counted, uncounted }) => counted + uncounted)).toEqual([0, 0]);
    for (const key of keys) ring.recordUse(key);
    await answerUntilDone(store, ring.stop());
    expect(Object.fromEntries(store.totals)).toEqual({
      "2026-11/1": 1,
      "2026-11/2": 1,
      "2026-12/1": 1,
      "2026-12/2": 1,
    });
  });

  test("is the calendar month in UTC", () => {
    const moments = fc.date({
      min: new Date("1971-01-01T00:00:00Z"),
      max: new Date("9990-01-01T00:00:00Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moments, (moment) => {
        const time = moment.getTime();
        const next = new Date(time + untilNextMonth(time));
        expect(monthOf(time)).toBe(moment.toISOString().slice(0, 7));
        expect(next.toISOString()).toMatch(/^\d{4}-\d{2}-01T00:00:00\.000Z$/);
        expect(monthOf(next.getTime() - 1)).toBe(monthOf(time));
        expect(untilNextMonth(time)).toBeWithin(1, 31 * 86_400_000 + 1);
      }),
    );
  });
});

describe("after start", () => {
  test("follows the store, reports failures and successes, and counts the remaining requests at the end", async () => {
    const clock = TestClock.stopped();
    const store = new ManualKeyStore();
    const ring = new KeyRing(store, clock);
    const failures: string[] = [];
    const reads: number[] = [];
    const monitor = {
      failed: (_: unknown, access: string) => failures.push(access),
      readSucceeded: (start: number) => reads.push(start),
    };
    let first = 0;
    ring.start(monitor, () => first++);
    const digest = store.add();
    await clock.advance(249);
    expect(store.waiting).toEqual([]);
    const start = clock.monotonic() + 1;
    await clock.advance(1);
    await answerAll(store);
    expect([ring.find(digest)?.actor.id, first, failures]).toEqual([1, 1, []]);
    expect(reads).toEqual([start]);
    for (let tries = 0; tries < 3; tries++) {
      await clock.advance(250);
      for (const call of [...store.waiting]) call.fail();
      await nextTick();
    }
    expect(failures).toEqual(["read", "read", "read"]);
    const late = store.add();
    await clock.advance(250);
    await answerAll(store);
    const key = ring.find(late);
    expect([key?.actor.id, first, failures.length, reads.length]).toEqual([2, 1, 3, 2]);
    expect(store.maxConcurrent.changes).toBe(1);
    if (key) ring.recordUse(key);
    await answerUntilDone(store, ring.stop());
    expect(store.total(2)).toBe(1);
    const asked = store.calls.changes;
    await clock.advance(10_000);
    expect(store.calls.changes).toBe(asked);
  });

  test("writes the usage of keys every second, and keeps it if that fails", async () => {
    const clock = TestClock.stopped();
    const store = new ManualKeyStore();
    const { ring, keys } = await ringWith(store, [null], clock);
    const failures: string[] = [];
    const monitor = {
      failed: (_: unknown, access: string) => failures.push(access),
      readSucceeded: () => undefined,
    };
    ring.start(monitor, () => undefined);
    for (const key of keys) ring.recordUse(key);
    for (let times = 0; times < 4; times++) {
      await clock.advance(250);
      for (const call of store.waiting.filter(({ kind }) => kind === "changes")) call.answer();
    }
    expect(store.waiting.map(({ kind }) => kind)).toEqual(["count"]);
    store.waiting[0]?.fail();
    await nextTick();
    expect([failures, store.total(1)]).toEqual([["write"], 0]);
    await answerUntilDone(store, ring.stop());
    expect(store.total(1)).toBe(1);
  });
});

async function answerAll(store: ManualKeyStore): Promise<void> {
  for (const call of [...store.waiting]) call.answer();
  await nextTick();
}
