import { describe, expect, test } from "bun:test";
import { printChangedUser } from "../../src/cli/output/print-users.ts";

/** What is printed for a changed user that the key must not read. */
function printUnread(isTTY: boolean, json: boolean): string {
  let printed = "";
  const stdout = { isTTY, columns: 80, write: (text: string) => (printed += text) };
  printChangedUser(stdout, 7, undefined, json);
  return printed;
}

describe("a changed user that the key must not read", () => {
  test("is a line of text on a terminal", () => {
    expect(printUnread(true, false)).toBe(
      "User 7 is saved. Your key lacks the scope users:read, so the user is not shown.\n",
    );
  });

  test("prints nothing in a pipe, and with --json", () => {
    expect([printUnread(false, false), printUnread(false, true), printUnread(true, true)]).toEqual([
      "",
      "",
      "",
    ]);
  });
});
