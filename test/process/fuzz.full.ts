import { afterEach, describe, expect, test } from "bun:test";
import { onEachEngine } from "../support/engines.ts";
import { createCase } from "../support/fuzz/fuzz-case.ts";
import { fuzz } from "../support/fuzz/fuzz-run.ts";
import { stopAll } from "../support/process/roster.ts";

afterEach(stopAll, 60_000);

describe("random bytes", () => {
  onEachEngine((engine) => {
    // A sample: `npm run fuzz` plays as many cases as you want, with and without a key on both engines.
    test("cause no internal error, hang or invalid response", async () => {
      const access = engine === "sqlite" ? "off" : "key";
      const cases = { first: 1, last: 200 };
      const report = await fuzz({ engine, access, seed: "test", seconds: 60, clients: 8, cases });
      expect(report.findings).toEqual([]);
      expect(report.cases).toBe(200);
      expect(report.responses).toBeGreaterThan(150);
      expect(report.events).toBeGreaterThan(report.users + report.groups);
    }, 90_000);
  });

  test("depend only on the seed and the number of the case", () => {
    const target = { host: "127.0.0.1:3000", credentials: [] };
    for (let number = 0; number < 200; number++) {
      expect(createCase("a", number, target)).toEqual(createCase("a", number, target));
    }
    expect(createCase("a", 1, target)).not.toEqual(createCase("b", 1, target));
  });
});
