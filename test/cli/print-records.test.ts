import { describe, expect, test } from "bun:test";
import { type Output, outputs } from "../../src/cli/flags/output-flag.ts";
import { printChangedRecord } from "../../src/cli/output/print-records.ts";
import { userKind } from "../../src/cli/records/record-kind.ts";
import { fakeScreen } from "./support/fake-screen.ts";

/** What is printed for a changed user that the key must not read. */
async function printUnread(isTTY: boolean, output?: Output): Promise<string> {
  const { screen, written } = fakeScreen(isTTY, 80);
  await printChangedRecord(
    screen,
    { kind: userKind, id: 7, record: undefined },
    { output, columns: undefined },
  );
  return written.join("");
}

describe("a changed user that the key must not read", () => {
  test("is a line of text on a terminal", async () => {
    expect(await printUnread(true)).toBe(
      "User 7 is saved. Your key lacks the scope users:read, so the user is not shown.\n",
    );
  });

  test("prints nothing in a pipe, and with --output", async () => {
    expect(await printUnread(false)).toBe("");
    for (const output of outputs) expect(await printUnread(true, output)).toBe("");
  });
});
