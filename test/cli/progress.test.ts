import { describe, expect, test } from "bun:test";
import { Progress } from "../../src/cli/output/progress.ts";
import { fakeScreen } from "./support/fake-screen.ts";

/** Records the output, with a clock that the test sets. */
function startProgress(isTTY: boolean, columns?: number) {
  const { screen, written } = fakeScreen(isTTY, columns);
  const clock = { now: 0 };
  const progress = new Progress(screen, ["indexes"], () => clock.now);
  const at = (seconds: number, step: string, done: number, total: number) => {
    clock.now = seconds * 1000;
    progress.show({ step, done, total });
  };
  return { progress, written, at };
}

describe("on a terminal", () => {
  test("redraws a bar on one line, with the rate and the remaining time", () => {
    const { progress, written, at } = startProgress(true, 120);
    at(0, "users", 0, 1_000_000);
    at(10, "users", 250_000, 1_000_000);
    expect(written).toEqual([
      "\r░░░░░░░░░░░░░░  users        0 %  0 of 1,000,000\u001b[K",
      "\r████░░░░░░░░░░  users       25 %  250,000 of 1,000,000  25,000/s  30 s left\u001b[K",
    ]);
    at(40, "users", 1_000_000, 1_000_000);
    progress.end();
    expect(written.at(-2)).toBe(
      "\r██████████████  users      100 %  1,000,000 of 1,000,000  25,000/s\u001b[K",
    );
    expect(written.at(-1)).toBe("\n");
  });

  test("computes the rate from this run only, and shows long times in minutes and hours", () => {
    const { written, at } = startProgress(true, 120);
    at(0, "users", 600_000, 1_000_000);
    at(100, "users", 700_000, 1_000_000);
    expect(written.at(-1)).toContain("  1,000/s  5 min left");
    at(200, "users", 700_010, 1_000_000);
    at(10_000, "users", 710_000, 1_000_000);
    expect(written.at(-1)).toContain("  11/s  7 h 20 min left");
  });

  test("draws one line per step, and none for an empty step", () => {
    const { progress, written, at } = startProgress(true, 120);
    at(0, "users", 5, 5);
    at(1, "outcomes", 0, 0);
    at(2, "indexes", 1, 2);
    at(9, "indexes", 2, 2);
    progress.end();
    const lines = written.join("").split("\n");
    expect(lines.length).toBe(3);
    expect(lines[1]).toEndWith("indexes    100 %  2 of 2\u001b[K");
  });

  test("limits how often it redraws, and fits the terminal", () => {
    const { written, at } = startProgress(true, 40);
    for (let i = 0; i < 1000; i++) at(i / 1000, "users", i, 1000);
    expect(written.length).toBeLessThan(15);
    for (const line of written) expect(line.length - "\r\u001b[K".length).toBeLessThan(40);
  });
});

describe("on a narrow terminal", () => {
  test.each([
    [70, "\r██░░░░░░  users       25 %  250,000 of 1,000,000  25,000/s  30 s left\u001b[K"],
    [60, "\rusers       25 %  250,000 of 1,000,000  25,000/s  30 s left\u001b[K"],
    [50, "\rusers       25 %  250,000 of 1,000,000  25,000/s\u001b[K"],
    [30, "\r███░░░░░░░░  users       25 %\u001b[K"],
  ])("of %d columns shortens the bar first, and cuts no figure", (columns, line) => {
    const { written, at } = startProgress(true, columns);
    at(0, "users", 0, 1_000_000);
    at(10, "users", 250_000, 1_000_000);
    expect(written.at(-1)).toBe(line);
  });
});

describe("in a pipe", () => {
  test("prints a line every ten seconds, and nothing for shorter work", () => {
    const { progress, written, at } = startProgress(false);
    at(0, "users", 0, 100_000);
    at(9, "users", 9000, 100_000);
    expect(written).toEqual([]);
    for (let i = 10; i <= 30; i++) at(i, "users", i * 1000, 100_000);
    progress.end();
    expect(written).toEqual([
      "users       10 %  10,000 of 100,000  1,000/s  90 s left\n",
      "users       20 %  20,000 of 100,000  1,000/s  80 s left\n",
      "users       30 %  30,000 of 100,000  1,000/s  70 s left\n",
    ]);
  });
});
