import { expect, test } from "bun:test";
import type { Json } from "../../src/contract/json.ts";
import { parseTypedCell } from "../../src/domain/csv/cells.ts";

test.each<[cell: string, types: string[], value: Json | undefined]>([
  ["123", ["string"], "123"],
  ['"123"', ["string"], "123"],
  ["true", ["string", "null"], "true"],
  ["null", ["string", "null"], null],
  ["123", ["integer"], 123],
  ["007", ["integer"], 7],
  ["1.50", ["number"], 1.5],
  ["TRUE", ["boolean"], true],
  ["[1,2]", ["array"], [1, 2]],
  ["high", ["integer"], "high"],
  ["", ["string"], undefined],
])("reads the cell %j of a field of type %j as %j", (cell, types, value) => {
  expect(parseTypedCell(cell, new Set(types))).toEqual(value);
});
