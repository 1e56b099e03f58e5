import { describe, expect, test } from "bun:test";
import { Progress } from "../../src/cli/output/progress.ts";

/** A screen that keeps what was written, and a clock that is set by hand. */
function screen(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  const clock = { now: 0 };
  const progress = new Progress(
    { write: (text) => written.push(text), isTTY, columns },
    ["indexes"],
    () => clock.now,
  );
  const at = (seconds: number, step: string, done: number, total: number) => {
    clock.now = seconds * 1000;
    progress.show({ step, done, total });
  };
  return { progress, written, at };
}

describe("on a terminal", () => {
  test("a bar is drawn over and over on one line, with the rate and the time that is left", () => {
    const { progress, written, at } = screen(true, 120);
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

  test("the rate is of this run alone, and long times are told in minutes and hours", () => {
    const { written, at } = screen(true, 120);
    at(0, "users", 600_000, 1_000_000);
    at(100, "users", 700_000, 1_000_000);
    expect(written.at(-1)).toContain("  1,000/s  5 min left");
    at(200, "users", 700_010, 1_000_000);
    at(10_000, "users", 710_000, 1_000_000);
    expect(written.at(-1)).toContain("  11/s  7 h 20 min left");
  });

  test("each step has a line of its own; one with nothing to do has none", () => {
    const { progress, written, at } = screen(true, 120);
    at(0, "users", 5, 5);
    at(1, "outcomes", 0, 0);
    at(2, "indexes", 1, 2);
    at(9, "indexes", 2, 2);
    progress.end();
    const lines = written.join("").split("\n");
    expect(lines.length).toBe(3);
    expect(lines[1]).toEndWith("indexes    100 %  2 of 2\u001b[K");
  });

  test("it is not drawn more often than can be seen, nor wider than the terminal", () => {
    const { written, at } = screen(true, 40);
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
  ])("of %d columns the bar gives way first, and no figure is cut in two", (columns, line) => {
    const { written, at } = screen(true, columns);
    at(0, "users", 0, 1_000_000);
    at(10, "users", 250_000, 1_000_000);
    expect(written.at(-1)).toBe(line);
  });
});

describe("in a pipe", () => {
  test("there is a line every ten seconds, and nothing of what ends before", () => {
    const { progress, written, at } = screen(false);
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
