import { expect, test } from "bun:test";
import { userCheck } from "../../src/domain/users/check-user.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { countReads, countStringCalls } from "../support/counted-work.ts";

/** The largest bodies of their kind that fit into 64 KiB. */
const numbers = { name: "Ada", list: Array.from({ length: 32_000 }, () => 1) };
const fields = Object.fromEntries(Array.from({ length: 7000 }, (_, i) => [`f${i.toString(36)}`, 1]));
/** Errors that one response lists. */
const MAX_ERRORS = 100;

const check = (body: unknown) => userCheck.whole(body, defaultRecordRules);

test.each([
  ["an array of 32,000 numbers", numbers, check, 32_000, 0],
  ["an array that ends with an error", { ...numbers, z: "\u0000" }, check, 32_000, 1],
  [
    "an array of 8,000 errors",
    { name: "Ada", list: Array(8000).fill("\u0000") },
    check,
    MAX_ERRORS,
    MAX_ERRORS,
  ],
  ["7,000 fields", { name: "Ada", ...fields }, check, 0, 0],
  ["a patch of 7,000 fields", fields, (body: unknown) => userCheck.patch(body, 1), 7000, 0],
])(
  "the check of %s reads each value a few times, and makes pointers for errors only",
  (_, body, run, values, errors) => {
    const { value, reads } = countReads(body);
    const { calls } = countStringCalls("replaceAll", () => {
      try {
        run(value);
      } catch {
        // The work of a rejection counts too.
      }
    });
    expect(reads()).toBeWithin(values, 3 * values + 10);
    // A name or an index in a pointer escapes two characters.
    expect(calls).toBeWithin(2 * errors, 4 * errors + 1);
  },
);
