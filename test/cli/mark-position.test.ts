import { describe, expect, test } from "bun:test";
import { markPosition } from "../../src/cli/output/mark-position.ts";

describe("the caret under a character", () => {
  test("counts characters, also those of two code units or two columns", () => {
    expect(markPosition('name eq "😀" or 山 is', 19, 80)).toBe(
      '  name eq "😀" or 山 is\n                      ^\n',
    );
  });

  test("stands after the end of the text", () => {
    expect(markPosition("level", 6, 80)).toBe("  level\n       ^\n");
    expect(markPosition("", 1, 80)).toBe("  \n  ^\n");
  });

  test("shows the part of a long text that is around the character", () => {
    const [line = "", caret = ""] = markPosition(`${"a".repeat(500)}!${"b".repeat(500)}`, 501, 40).split(
      "\n",
    );
    expect(line).toMatch(/^ {2}…a+!b+…$/);
    expect(line.length).toBeLessThanOrEqual(40);
    expect(line[caret.indexOf("^")]).toBe("!");
  });

  test("shows the whole text where lines have no limit", () => {
    const text = "a".repeat(5000);
    expect(markPosition(text, 4000, Number.POSITIVE_INFINITY)).toStartWith(`  ${text}\n`);
  });

  test("keeps control characters away from the terminal", () => {
    expect(markPosition("a\u001b[31m\nb", 8, 80)).toBe("  a\ufffd[31m\ufffdb\n         ^\n");
  });
});
