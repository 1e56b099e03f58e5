import { expect, test } from "bun:test";
import { Columns, JsonStatement } from "../../src/store/sql/json-statement.ts";

interface Pair {
  readonly id: number;
  readonly text: string | null;
}

const pairs = new Columns<Pair>([
  { name: "id", type: "bigint", value: ({ id }) => id },
  { name: "text", type: "text", value: ({ text }) => text },
]);
const words = new Columns<string>([{ name: "word", type: "text", value: (word) => word }]);

const statement = new JsonStatement(
  { now: "bigint", part: "integer" },
  { pairs, words },
  (value, rows) => `${rows("words")}; ${rows("pairs")}; ${value("part")}; ${value("now")}`,
);

test("numbers the parameters: single values first, then the columns of each table", () => {
  const list = (number: number) => `json_array_elements_text($${number}::text::json)`;
  expect(statement.text).toBe(
    `ROWS FROM (${list(5)}) AS t (word); ROWS FROM (${list(3)}, ${list(4)}) AS t (id, text); $2::integer; $1::bigint`,
  );
});

test("returns the parameters in that order, each column as a JSON array", () => {
  const rows = [
    { id: 1, text: "a" },
    { id: 2, text: null },
  ];
  expect(statement.parameters({ part: "7", now: "5" }, { words: ["x"], pairs: rows })).toEqual([
    "5",
    "7",
    "[1,2]",
    '["a",null]',
    '["x"]',
  ]);
});

test("writes the columns as lists for SELECT and UPDATE, cast to their types", () => {
  expect(pairs.names).toBe("id, text");
  expect(pairs.selection).toBe("id::bigint, text");
  expect(pairs.assignments).toBe("id = t.id::bigint, text = t.text");
});
