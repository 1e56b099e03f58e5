import { expect, test } from "bun:test";
import { formatTextCell, parseTextCell } from "../../src/domain/csv/cells.ts";
import { readAll } from "./support/read-all.ts";
import { readUserCsv } from "./support/read-user-csv.ts";

/** The CPU time of this process so far, in milliseconds. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

test("50,000 short rows below 10,000 columns take 4 s of CPU time at most", async () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `c${index}`).join();
  const begin = cpuTime();
  const { rows } = await readAll(readUserCsv, `name,${names}\n${"Ada,1\n".repeat(50_000)}`);
  expect(rows).toHaveLength(50_000);
  expect(cpuTime() - begin).toBeLessThan(4000);
});

test("long texts of separators, quotes and apostrophes take 2 s of CPU time at most", () => {
  const begin = cpuTime();
  for (const text of [`;${'"'.repeat(200_000)}=`, "'".repeat(200_000), ";=".repeat(100_000)]) {
    expect(parseTextCell(formatTextCell(text))).toBe(text);
  }
  expect(cpuTime() - begin).toBeLessThan(2000);
});
