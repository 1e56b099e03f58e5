import { expect, test } from "bun:test";
import { checkPatch, checkUser } from "../../src/domain/check-user.ts";
import { defaultRecordRules } from "../../src/domain/record-rules.ts";

/** The largest bodies of their kind that fit into 64 KiB. */
const numbers = { name: "Ada", list: Array.from({ length: 32_000 }, () => 1) };
const fields = Object.fromEntries(Array.from({ length: 7000 }, (_, i) => [`f${i.toString(36)}`, 1]));

/** CPU time of the fastest of ten calls, in milliseconds. Other processes do not change it much. */
function cost(check: () => unknown): number {
  const times = Array.from({ length: 10 }, () => {
    const before = process.cpuUsage().user;
    try {
      check();
    } catch {
      // The cost of a rejection counts too.
    }
    return (process.cpuUsage().user - before) / 1000;
  });
  return Math.min(...times);
}

test.each([
  ["an array of 32,000 numbers", () => checkUser(numbers, defaultRecordRules)],
  ["an array that ends with an error", () => checkUser({ ...numbers, z: "\u0000" }, defaultRecordRules)],
  ["7,000 fields", () => checkUser({ name: "Ada", ...fields }, defaultRecordRules)],
  ["a patch of 7,000 fields", () => checkPatch(fields, 1)],
])("the check of %s does not hold the event loop", (_name, check) => {
  expect(cost(check)).toBeLessThan(10);
});
