import { describe, expect, test } from "bun:test";
import { formatTable, wrapText } from "../../src/cli/output/table.ts";

const head = ["ID", "NAME", "SCOPES"];
const rows = [
  ["1", "ci", "users:read"],
  ["12", "web frontend of the shop", "users:read users:write"],
];

describe("a table", () => {
  test("has a column as wide as its longest text where there is room", () => {
    expect(formatTable(head, rows, 80, [0])).toBe(
      [
        "ID  NAME                      SCOPES",
        " 1  ci                        users:read",
        "12  web frontend of the shop  users:read users:write",
        "",
      ].join("\n"),
    );
  });

  test("breaks between words where there is less, each text in its own column", () => {
    expect(formatTable(head, rows, 30, [0])).toBe(
      [
        "ID  NAME          SCOPES",
        " 1  ci            users:read",
        "12  web frontend  users:read",
        "    of the shop   users:write",
        "",
      ].join("\n"),
    );
  });

  test("breaks words that are long, by characters that are seen as one", () => {
    const text = formatTable(["A", "B"], [["x", "👩‍👩‍👧日本語のとても長い名前です"]], 12, []);
    expect(text).toBe("A  B\nx  👩‍👩‍👧日本語\n   のとても\n   長い名前\n   です\n");
  });

  test("becomes a list where no column can be narrower", () => {
    expect(formatTable(head, rows, 24, [0])).toBe(
      [
        "ID      1",
        "NAME    ci",
        "SCOPES  users:read",
        "",
        "ID      12",
        "NAME    web frontend of",
        "        the shop",
        "SCOPES  users:read",
        "        users:write",
        "",
      ].join("\n"),
    );
  });

  test("is never wider than the terminal, however wide that is", () => {
    for (let terminal = 21; terminal < 100; terminal++) {
      for (const line of formatTable(head, rows, terminal, [0]).split("\n")) {
        expect(Bun.stringWidth(line)).toBeLessThanOrEqual(terminal);
      }
    }
  });

  test("keeps together what is joined by a space that does not break", () => {
    expect(formatTable(["A"], [["in\u00a0force for a while"]], 12, [])).toBe("A\nin force for\na while\n");
  });
});

test("a paragraph is broken between its words", () => {
  expect(wrapText("It is shown this once: keep it.", 20)).toBe("It is shown this\nonce: keep it.\n");
});
