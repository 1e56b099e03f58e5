import { expect, test } from "bun:test";
import { describeDuration, parseDuration } from "../../src/cli/output/duration.ts";

test("parses a number with a unit", () => {
  const seconds = (text: string) => parseDuration(text) / 1000;
  expect(["90s", "15m", "1h", "30d", "0s"].map(seconds)).toEqual([90, 900, 3600, 2_592_000, 0]);
});

test("rejects everything else", () => {
  for (const text of ["", "90", "1w", "1.5h", "-1h", "1h30m", "h", "1 h", "1H", "1234567890s"]) {
    expect(() => parseDuration(text)).toThrow(RangeError);
  }
});

test("formats in the largest unit of which there are at least two", () => {
  const format = (seconds: number) => describeDuration(seconds * 1000);
  expect([0, 0.4, 59, 90, 120, 5400, 7200, 86_400, 172_800, 86_400 * 400 - 1].map(format)).toEqual([
    "0s",
    "0s",
    "59s",
    "90s",
    "2m",
    "90m",
    "2h",
    "24h",
    "2d",
    "400d",
  ]);
});
