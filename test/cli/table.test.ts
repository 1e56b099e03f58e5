import { describe, expect, test } from "bun:test";
import { formatTable, wrapText } from "../../src/cli/output/table.ts";

const head = ["ID", "NAME", "SCOPES"];
const rows = [
  ["1", "ci", "users:read"],
  ["12", "web frontend of the shop", "users:read users:write"],
];

describe("a table", () => {
  test("makes each column as wide as its longest cell if there is room", () => {
    expect(formatTable(head, rows, 80, [0])).toBe(
      [
        "ID  NAME                      SCOPES",
        " 1  ci                        users:read",
        "12  web frontend of the shop  users:read users:write",
        "",
      ].join("\n"),
    );
  });

  test("wraps cells between words if there is less room", () => {
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

  test("breaks long words between grapheme clusters", () => {
    const text = formatTable(["A", "B"], [["x", "👩‍👩‍👧日本語のとても長い名前です"]], 12, []);
    expect(text).toBe("A  B\nx  👩‍👩‍👧日本語\n   のとても\n   長い名前\n   です\n");
  });

  test("becomes a list if no column can be narrower", () => {
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

  test("is never wider than the terminal", () => {
    for (let terminal = 21; terminal < 100; terminal++) {
      for (const line of formatTable(head, rows, terminal, [0]).split("\n")) {
        expect(Bun.stringWidth(line)).toBeLessThanOrEqual(terminal);
      }
    }
  });

  test("does not break at a non-breaking space", () => {
    expect(formatTable(["A"], [["5\u00a0minutes for a while"]], 12, [])).toBe("A\n5 minutes\nfor a while\n");
  });
});

test("wraps a paragraph between words", () => {
  expect(wrapText("Copy the key now: it is not shown again.", 20)).toBe(
    "Copy the key now: it\nis not shown again.\n",
  );
});

test("does not break a long word of a paragraph", () => {
  const url = "https://users.example/api/users";
  expect(wrapText(`See ${url} for it.`, 20)).toBe(`See\n${url}\nfor it.\n`);
  expect(wrapText(url, 20)).toBe(`${url}\n`);
});
