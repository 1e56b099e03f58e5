import { describe, expect, test } from "bun:test";
import { printChangedUser } from "../../src/cli/output/print-users.ts";
import { fakeScreen } from "./support/fake-screen.ts";

/** What is printed for a changed user that the key must not read. */
function printUnread(isTTY: boolean, json: boolean): string {
  const { screen, written } = fakeScreen(isTTY, 80);
  printChangedUser(screen, 7, undefined, json);
  return written.join("");
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
