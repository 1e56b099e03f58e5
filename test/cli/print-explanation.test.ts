import { describe, expect, test } from "bun:test";
import { printExplanation } from "../../src/cli/output/print-explanation.ts";
import type { ListExplanation } from "../../src/client/index.ts";
import { fakeScreen } from "./support/fake-screen.ts";

const sort = { plan: { kind: "sort", condition: 'city sw "o"' }, rowsExpected: 1300 } as const;
const walk = { plan: { kind: "walk" }, rowsExpected: 44 } as const;
const explanation: ListExplanation = {
  order: "-name",
  plan: sort.plan,
  ...{ rowsRead: 1428, statements: 5, found: 10, hasMore: true, complete: true },
  estimates: {
    rows: 6000,
    matches: 75,
    conditions: [
      { condition: 'city sw "o"', entries: 1300, exact: true },
      { condition: "q", entries: 2400, exact: false },
      { condition: "not (plan pr)", entries: null, exact: false },
    ],
  },
  compared: [
    { ...sort, microseconds: 780 },
    { plan: { kind: "walk" }, rowsExpected: 6000, microseconds: 19_800 },
  ],
  rounds: [
    { phase: "page", ...walk, limit: 128, rowsRead: 128, matches: 0 },
    { phase: "page", ...sort, limit: null, rowsRead: 1300, matches: 11 },
  ],
};
const all = { plan: { kind: "all" } } as const;
const unconditional: ListExplanation = {
  ...{ order: "id", ...all, rowsRead: 1, statements: 1, found: 1, hasMore: false, complete: true },
  ...{ estimates: null, compared: [] },
  rounds: [{ phase: "page", ...all, rowsExpected: 101, limit: null, rowsRead: 1, matches: 1 }],
};

function printed(explained: ListExplanation, isTTY: boolean, output?: "table" | "json" | "ndjson"): string {
  const { screen, written } = fakeScreen(isTTY, 80);
  printExplanation(screen, explained, "user", output);
  return written.join("");
}

describe("an explanation", () => {
  test("is a summary and tables on a terminal", () => {
    expect(printed(explanation, true)).toBe(`\
plan       sort (city sw "o")
order      -name
found      10 users, and there are more
rows read  1,428, with 5 statements
estimated  75 matches among 6,000 users

CONDITION      INDEX ENTRIES
city sw "o"            1,300
q                about 2,400
not (plan pr)       no index

COMPARED            EXPECTED ROWS  EXPECTED TIME
sort (city sw "o")          1,300         780 µs
walk                        6,000      19,800 µs

ROUND  FOR   PLAN                EXPECTED ROWS  LIMIT  ROWS READ  MATCHES
1      page  walk                           44    128        128        0
2      page  sort (city sw "o")          1,300   none      1,300       11
`);
  });

  test("has no tables without conditions and plans", () => {
    expect(printed(unconditional, true)).toBe(`\
plan       all
order      id
found      1 user
rows read  1, with 1 statement

ROUND  FOR   PLAN  EXPECTED ROWS  LIMIT  ROWS READ  MATCHES
1      page  all             101   none          1        1
`);
  });

  test("says that the search was not finished", () => {
    expect(printed({ ...explanation, found: 0, complete: false }, true)).toContain(
      "\nfound      0 users, and the search was not finished\n",
    );
  });

  test("is JSON on one line in a pipe, and with --output what it says", () => {
    expect(printed(explanation, false)).toBe(`${JSON.stringify(explanation)}\n`);
    expect(printed(explanation, true, "ndjson")).toBe(`${JSON.stringify(explanation)}\n`);
    expect(printed(explanation, true, "json")).toBe(`${JSON.stringify(explanation, null, 2)}\n`);
    expect(printed(explanation, false, "table")).toBe(printed(explanation, true));
  });
});
