import { expect, test } from "bun:test";
import { ReceiverHealth } from "../../src/webhooks/receiver-health.ts";

const SECOND = 1000;
const refused = { isReached: false, retryAfterMs: undefined };
const failed = { isReached: true, retryAfterMs: undefined };

test("each pause after a refused connection is as long as the outage so far: at least 5 s, at most a minute", () => {
  const health = new ReceiverHealth(null);
  const pauses: number[] = [];
  for (let now = 1000; pauses.length < 7; now = health.pausedUntil) {
    health.fail(now, refused);
    pauses.push((health.pausedUntil - now) / SECOND);
  }
  expect(pauses).toEqual([5, 5, 10, 20, 40, 60, 60]);
});

test("another node continues with the same pauses", () => {
  const health = new ReceiverHealth(0);
  health.fail(30 * SECOND, refused);
  expect(health.pausedUntil).toBe(60 * SECOND);
});

test("after a refused connection, and after an outage, one attempt is made first", () => {
  const health = new ReceiverHealth(null);
  expect(health.concurrency).toBe(32);
  health.fail(0, refused);
  expect(health.concurrency).toBe(1);
  health.succeed(SECOND);
  expect(health.concurrency).toBe(2);
  expect(new ReceiverHealth(0).concurrency).toBe(1);
});

test("a delivery that succeeds ends the pause after a refused connection, and not the pause that the receiver asked for", () => {
  const health = new ReceiverHealth(null);
  health.fail(0, refused);
  health.succeed(1);
  expect(health.pausedUntil).toBe(0);
  health.fail(2, { isReached: true, retryAfterMs: 100 });
  health.succeed(3);
  expect(health.pausedUntil).toBe(102);
});

test("a receiver that answers with an error is not paused", () => {
  const health = new ReceiverHealth(null);
  health.fail(0, failed);
  expect(health.pausedUntil).toBe(0);
});
