import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filterLimits } from "../../../src/contract/listing.ts";
import { compileExpression } from "../../../src/domain/filter/compile-expression.ts";
import { parseExpression } from "../../../src/domain/filter/parse-expression.ts";
import { root } from "../../support/paths.ts";

const page = readFileSync(join(root, "docs/api.md"), "utf8");
const section = page.split("\n## ").find((part) => part.startsWith("Filter expressions\n")) ?? "";
const examples = section.split("| operator |")[0] ?? "";

const ada = {
  email: "ada@example.com",
  department: "Sales",
  level: 3,
  createdAt: "2026-01-31T23:59:59.999Z",
  address: { city: "Oslo", "post code": "0150" },
  tags: ["new", "vip"],
  phones: [{ type: "work" }, { type: "Work", value: "+4721" }],
};

test.each([...examples.matchAll(/^\| `(.+?)` \| /gm)].slice(1).map(([, filter = ""]) => filter))(
  "docs/api.md has the example %s, which finds a user as the page says",
  (filter) => {
    const matches = compileExpression(parseExpression(filter));
    const findsAda = filter !== 'not (tags eq "vip")';
    expect(matches(ada)).toBe(findsAda);
    expect(matches({ manager: 1, level: "3" })).toBe(!findsAda);
  },
);

test("docs/api.md names the limits of filter expressions and shows a real error", () => {
  const text = section.replace(/\s+/g, " ");
  const { characters, comparisons, levels } = filterLimits;
  expect(text).toContain(`at most ${characters.toLocaleString("en")} characters, ${comparisons} comparisons`);
  expect(text).toContain(`and ${levels} levels of parentheses and brackets`);
  const [, message = "none"] = /`(Character [^`]+)`/.exec(text) ?? [];
  expect(() => parseExpression("department eq sales")).toThrow(message);
});
