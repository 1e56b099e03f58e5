import { expect, test } from "bun:test";
import { ProblemError } from "../../src/domain/problem-error.ts";
import { KeyedMutex } from "../../src/domain/scheduling/keyed-mutex.ts";
import { outcomeOf } from "../store/support/store-under-test.ts";

/** A task that ends when the test says so. */
function createTask(log: string[], name: string) {
  const end = Promise.withResolvers<void>();
  const task = () => {
    log.push(name);
    return end.promise;
  };
  return { task, end };
}

test("Tasks of one key run one after the other, in their order, and those of other keys at the same time", async () => {
  const mutex = new KeyedMutex();
  const log: string[] = [];
  const [a, b, c, other] = ["a", "b", "c", "other"].map((name) => createTask(log, name));
  if (!a || !b || !c || !other) throw new Error("A task is missing.");
  const runs = [a, b, c].map(({ task }) => mutex.run(1, task));
  runs.push(mutex.run(2, other.task));
  await Promise.resolve();
  expect(log).toEqual(["a", "other"]);
  a.end.resolve();
  await runs[0];
  await Promise.resolve();
  expect(log).toEqual(["a", "other", "b"]);
  b.end.reject(new Error("failed"));
  await expect(runs[1]).rejects.toThrow("failed");
  await Promise.resolve();
  expect(log).toEqual(["a", "other", "b", "c"]);
  c.end.resolve();
  other.end.resolve();
  await Promise.all([runs[2], runs[3]]);
  expect(await mutex.run(1, async () => "again")).toBe("again");
});

test("Tasks that wait fail with a task that finds the database unavailable, and later tasks run", async () => {
  const mutex = new KeyedMutex();
  const log: string[] = [];
  const [first, second, third] = ["first", "second", "third"].map((name) => createTask(log, name));
  if (!first || !second || !third) throw new Error("A task is missing.");
  const outcomes = [first, second, third].map(({ task }) => outcomeOf(mutex.run(1, task)));
  first.end.reject(new ProblemError("unavailable"));
  expect(await Promise.all(outcomes)).toEqual(["unavailable", "unavailable", "unavailable"]);
  expect(log).toEqual(["first"]);
  expect(await mutex.run(1, async () => "again")).toBe("again");
});

test("10,000 tasks wait for one key, and further ones fail at once", async () => {
  const mutex = new KeyedMutex();
  const running = createTask([], "running");
  const done: number[] = [];
  const run = (i: number) =>
    mutex.run(1, async () => {
      done.push(i);
    });
  const first = mutex.run(1, running.task);
  const waiting = Array.from({ length: 10_000 }, (_, i) => run(i));
  expect(await outcomeOf(run(10_000))).toBe("unavailable");
  expect(await outcomeOf(mutex.run(2, async () => undefined))).toBe("done");
  running.end.resolve();
  await Promise.all([first, ...waiting]);
  expect(done).toEqual(Array.from({ length: 10_000 }, (_, i) => i));
});
