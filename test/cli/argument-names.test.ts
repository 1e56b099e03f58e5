import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renameArguments } from "../../src/cli/mcp/argument-names.ts";
import { tools } from "../../src/cli/mcp/tools.ts";
import { root } from "../support/paths.ts";

/** The rows of the table in docs/mcp.md: arguments, and other names of each. */
const documented = readFileSync(join(root, "docs/mcp.md"), "utf8")
  .split("| argument | also |")[1]
  ?.split("\n\n")[0]
  ?.split("\n")
  .map((row) => row.split("|").map((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)))
  .filter(([, names = []]) => names.length > 0);

describe("other names of arguments", () => {
  test("are those that docs/mcp.md tells", () => {
    expect(documented?.length).toBeGreaterThan(10);
    for (const [, names = [], others = []] of documented ?? []) {
      const isPair = names.length > 1 && names.length === others.length;
      for (const [index, other] of others.entries()) {
        const name = (isPair ? names[index] : names[0]) ?? "";
        const having = tools.filter(({ inputSchema }) => Object.hasOwn(inputSchema.properties, name));
        expect(having).not.toBeEmpty();
        for (const tool of having) expect(renameArguments(tool, { [other]: 1 })).toEqual({ [name]: 1 });
      }
    }
  });

  test("never replace an argument of the tool, or one that it does not have", () => {
    for (const tool of tools) {
      const names = Object.keys(tool.inputSchema.properties);
      for (const name of names) expect(renameArguments(tool, { [name]: 1 })).toEqual({ [name]: 1 });
      expect(() => renameArguments(tool, { __proto__: null, constructor: 1 })).toThrow(
        "has no argument constructor",
      );
      expect(() => renameArguments(tool, { page: 2 })).toThrow(`Its arguments are ${names.join(", ")}.`);
    }
  });
});
