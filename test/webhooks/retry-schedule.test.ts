import { expect, test } from "bun:test";
import { retryDelay } from "../../src/webhooks/retry-schedule.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].map((s) => s * SECOND);

test("retries after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, then never", () => {
  const failures = Array.from({ length: 10 }, (_, index) => index + 1);
  expect(failures.map((count) => retryDelay(count, undefined, 0))).toEqual([...schedule, undefined]);
});

test("waits up to 10 % longer, at random", () => {
  expect(retryDelay(1, undefined, 1)).toBe(5500);
  expect(retryDelay(9, undefined, 0.5)).toBe(25.2 * HOUR);
});

test("waits as long as the receiver asks, but not shorter than the schedule", () => {
  expect(retryDelay(1, 90 * SECOND, 0)).toBe(90 * SECOND);
  expect(retryDelay(2, 90 * SECOND, 0)).toBe(300 * SECOND);
  expect(retryDelay(10, 90 * SECOND, 0)).toBeUndefined();
});
