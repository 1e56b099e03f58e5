import { afterEach, expect, spyOn, test } from "bun:test";
import { prefetchWhenIdle } from "../../src/console/lib/prefetch.ts";

const connection = (value: unknown) =>
  Object.defineProperty(navigator, "connection", { value, configurable: true });

afterEach(() => {
  Reflect.deleteProperty(navigator, "connection");
});

test.each([
  ["in a browser that does not say whether it saves data", undefined, 1],
  ["in a browser that does not save data", { saveData: false }, 1],
  ["in a browser that saves data", { saveData: true }, 0],
])("%s, the console prefetches views or not", (_, reported, timers) => {
  connection(reported);
  using setTimer = spyOn(globalThis, "setTimeout");
  prefetchWhenIdle();
  expect(setTimer).toHaveBeenCalledTimes(timers);
});
