import { expect, test } from "bun:test";
import { type ColumnWidth, columnStyle, fitColumns } from "../../src/console/users/table/column-fit.ts";

const text = { canGrow: true, canShrink: true, isPinned: false };
const columns: ColumnWidth[] = [
  { ...text, field: "name", width: 200, isPinned: true },
  { ...text, field: "email", width: 200 },
  { ...text, field: "plan", width: 100 },
  { ...text, field: "level", width: 100, canGrow: false, canShrink: false },
  { ...text, field: "createdAt", width: 100, canShrink: false },
];
const widthsIn = (room: number) => fitColumns(columns, room).map(({ width }) => width);

test("wide columns of text get narrower if the table then fits", () => {
  expect(widthsIn(700)).toEqual([200, 200, 100, 100, 100]);
  expect(widthsIn(600)).toEqual([150, 150, 100, 100, 100]);
  expect(widthsIn(560)).toEqual([130, 130, 100, 100, 100]);
  // Too narrow: the table scrolls sideways.
  expect(widthsIn(559)).toEqual([200, 200, 100, 100, 100]);
});

const withPins = (...fields: string[]) =>
  columns.map((column) => ({ ...column, isPinned: fields.includes(column.field) }));

test("columns grow, except those with a fixed width, and pinned columns keep their distance from the left", () => {
  expect(columnStyle(withPins("name", "email", "plan"))).toEqual({
    "--widths": "minmax(200px, 200fr) minmax(200px, 200fr) minmax(100px, 100fr) 100px minmax(100px, 100fr)",
    "--pin-0": "0px",
    "--level-0": "1",
    "--pin-1": "200px",
    "--level-1": "1",
    "--pin-2": "400px",
    "--level-2": "1",
    "--pinned": "500px",
  });
});

test("pinned columns stay in view only while they leave room for another column", () => {
  const kept = (room: number) => {
    const style = columnStyle(withPins("name", "email"), room);
    return ["--pin-0", "--pin-1", "--pinned"].map((name) => style[name]);
  };
  expect(kept(650)).toEqual(["0px", "200px", "400px"]);
  expect(kept(649)).toEqual(["0px", undefined, "200px"]);
  expect(kept(449)).toEqual([undefined, undefined, "0px"]);
});
