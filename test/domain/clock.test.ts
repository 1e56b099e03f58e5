import { describe, expect, test } from "bun:test";
import { startTimeout } from "../../src/client/transport/timer.ts";
import { Pause, RunningTime, systemClock } from "../../src/domain/clock.ts";
import { RunningTimeout } from "../../src/domain/running-timeout.ts";
import { TestClock } from "../support/test-clock.ts";

describe("running time", () => {
  test("counts the time between readings, but not the time in which the process was suspended", () => {
    const time = new RunningTime(1000);
    expect(time.read(1250)).toBe(250);
    expect(time.read(2250)).toBe(1250);
    // An hour of suspension counts as one tick.
    expect(time.read(3_602_250)).toBe(1500);
    expect(time.read(3_602_500)).toBe(1750);
  });

  test("does not run backwards", () => {
    const time = new RunningTime(1000);
    expect(time.read(900)).toBe(0);
    expect(time.read(1000)).toBe(100);
  });
});

describe("a time limit", () => {
  test("ends after its running time", async () => {
    const clock = TestClock.stopped();
    let expired = 0;
    new RunningTimeout(() => expired++, 1500, clock);
    await clock.advance(1400);
    expect(expired).toBe(0);
    await clock.advance(101);
    expect(expired).toBe(1);
  });

  test("does not count the time in which the process was suspended", async () => {
    const clock = TestClock.stopped();
    let expired = 0;
    new RunningTimeout(() => expired++, 1500, clock);
    await clock.advance(500);
    clock.jump(60_000);
    await clock.advance(500);
    expect(expired).toBe(0);
    await clock.advance(1000);
    expect(expired).toBe(1);
  });

  test("that is cleared does not end", async () => {
    const clock = TestClock.stopped();
    let expired = 0;
    new RunningTimeout(() => expired++, 1500, clock).clear();
    await clock.advance(10_000);
    expect(expired).toBe(0);
  });
});

describe.each([
  ["the clock of the machine", systemClock],
  ["the clock of tests", new TestClock()],
])("%s", (_, clock) => {
  test("calls back once, or again and again until it is cleared", async () => {
    const calls: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    clock.after(1, () => calls.push("once"));
    clock.after(1, () => calls.push("never")).clear();
    const timer = clock.every(1, () => {
      calls.push("again");
      if (calls.filter((call) => call === "again").length === 3) resolve();
    });
    await promise;
    timer.clear();
    expect(calls.toSorted()).toEqual(["again", "again", "again", "once"]);
  });

  test("ends a sleep when its signal aborts, also before it began", async () => {
    const controller = new AbortController();
    const sleeping = clock.sleep(3_600_000, controller.signal);
    controller.abort();
    await sleeping;
    await clock.sleep(3_600_000, controller.signal);
  });

  test("never runs backwards", () => {
    const times = Array.from({ length: 1000 }, () => [clock.monotonic(), clock.running()]);
    for (const [index, [monotonic = 0, running = 0]] of times.entries()) {
      const [before = 0, runningBefore = 0] = times[index - 1] ?? [];
      expect([monotonic >= before, running >= runningBefore]).toEqual([true, true]);
    }
  });
});

test("a pause ends after its time, or when somebody ends it", async () => {
  const clock = TestClock.stopped();
  const pause = new Pause(clock);
  const ended: string[] = [];
  void pause.wait(1000).then(() => ended.push("by time"));
  await clock.advance(999);
  expect(ended).toEqual([]);
  await clock.advance(1);
  expect(ended).toEqual(["by time"]);
  const waiting = pause.wait(3_600_000);
  pause.end();
  await waiting;
  // Nobody waits: the next pause is not shorter.
  pause.end();
  void pause.wait(1000).then(() => ended.push("again by time"));
  await clock.advance(999);
  expect(ended).toEqual(["by time"]);
});

test("a pause that is stopped does not wait again", async () => {
  const pause = new Pause(TestClock.stopped());
  const waiting = pause.wait(3_600_000);
  expect(pause.isStopped).toBe(false);
  pause.stop();
  await waiting;
  await pause.wait(3_600_000);
  expect(pause.isStopped).toBe(true);
});

test("the time limit of the client does not count the time in which the process is suspended", async () => {
  const expired = Promise.withResolvers<string>();
  startTimeout(() => expired.resolve("expired"), 300);
  // No timer can call back in this time.
  Bun.sleepSync(1800);
  const next = new Promise<string>((resolve) => setImmediate(() => setTimeout(resolve, 0, "not yet")));
  expect(await Promise.race([expired.promise, next])).toBe("not yet");
  expect(await expired.promise).toBe("expired");
});
