import { expect, test } from "bun:test";
import { RecordFields } from "../../src/contract/record-fields.ts";
import { foldCase } from "../../src/domain/fold.ts";
import { encodeCursor } from "../../src/domain/lists/cursor.ts";
import { readId } from "../../src/domain/lists/row-id.ts";
import { indexTerms } from "../../src/domain/users/user.ts";
import { ListQueryParser } from "../../src/http/query/list-query.ts";
import type { ListResource } from "../../src/store/lists/list-resource.ts";
import { PageFinder, requirePage } from "../../src/store/lists/plans/page-finder.ts";
import { wordStartsText } from "../../src/store/lists/search-text.ts";
import { runStepsAsync, type SqlSteps } from "../../src/store/sql/sql-steps.ts";
import { startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { openRoomEngine } from "./support/room-engines.ts";

// Rooms are no resource of the service. Their lists need a description and tables, and no other code.
const fields = {
  id: { type: "number" },
  name: { type: { fold: foldCase } },
  floor: { type: "number" },
} as const;
const by = (name: string) =>
  ({ unique: false, expression: `u.${name}`, column: name, index: `by_${name}` }) as const;
const rooms: ListResource = {
  table: "rooms",
  fields,
  rowFields: new RecordFields({
    id: { kind: "managed", type: "number", hasColumn: true },
    name: { kind: "core", type: "text", hasColumn: true },
    floor: { kind: "core", type: "number", hasColumn: true },
  }),
  sortOrders: {
    id: [{ key: undefined, keyType: "number", index: undefined, where: "" }],
    name: [{ key: "name", keyType: "text", index: "by_name", where: "" }],
    floor: [{ key: "floor", keyType: "number", index: "by_floor", where: "" }],
  },
  columns: { id: { unique: true, column: "id" }, name: by("name"), floor: by("floor") },
  customValues: { table: "room_values", ownerColumn: "room" },
  search: { table: "room_search", ownerColumn: "room", textColumns: ["name"], wordStartsColumn: "starts" },
};
const all = Array.from({ length: 300 }, (_, index) => {
  return { id: index + 1, name: `${["Blue", "Red"][index % 2]} room`, floor: index % 5, seats: index % 3 };
});
const lists: Record<string, typeof all> = {
  "": all,
  "q=blue+room&sort=-id": all.filter(({ name }) => name === "Blue room").reverse(),
  "name=RED+ROOM&q=ro&sort=floor": all
    .filter(({ name }) => name === "Red room")
    .sort((a, b) => a.floor - b.floor),
  "floor=2&floor=3&seats=1&sort=name": all
    .filter(({ floor, seats }) => (floor === 2 || floor === 3) && seats === 1)
    .sort((a, b) => a.name.localeCompare(b.name)),
  "filter=seats ge 1 and floor lt 2&sort=seats": all
    .filter(({ floor, seats }) => seats >= 1 && floor < 2)
    .sort((a, b) => a.seats - b.seats),
};

startPostgresBeforeTests();

test.each(["SQLite", "PostgreSQL"] as const)(
  "%s lists rooms, given only a description of them",
  async (name) => {
    await using engine = await openRoomEngine[name]();
    const { dialect, run, addText } = engine;
    const [table, values] = [dialect.table("rooms"), dialect.table("room_values")];
    await run(
      `CREATE TABLE ${table} (id INTEGER PRIMARY KEY, name text, floor bigint, starts text, json text)`,
    );
    for (const name of ["name", "floor"]) await run(`CREATE INDEX by_${name} ON ${table} (${name}, id)`);
    await run(`CREATE TABLE ${values} (field text, value text, room bigint, exact text)`);
    for (const room of all) {
      const { id, floor, ...record } = room;
      const terms = indexTerms(record);
      const row = [id, terms.nameFold, floor, wordStartsText(terms), JSON.stringify(room)];
      await run(`INSERT INTO ${table} VALUES (?, ?, ?, ?, ?)`, row);
      await addText(id, terms);
      for (const { field, value, exact } of terms.values)
        await run(`INSERT INTO ${values} VALUES (?, ?, ?, ?)`, [field, value, id, exact]);
    }
    const runList = <T>(steps: SqlSteps<T>) => runStepsAsync(steps, (sql) => run(sql.text, sql.values));
    const parser = new ListQueryParser(fields);
    const finder = new PageFinder(dialect, rooms);
    for (const [text, expected] of Object.entries(lists)) {
      const query = parser.parse(`${encodeURI(text)}&limit=20`);
      const found: number[] = [];
      for (let from = query.from, isEnd = false; !isEnd; isEnd = from === undefined) {
        const { items, next } = requirePage(await runList(finder.find({ ...query, from })));
        found.push(...items.map(readId));
        from = next && parser.parse(`${encodeURI(text)}&after=${encodeCursor(query, next)}`).from;
      }
      expect(found).toEqual(expected.map(({ id }) => id));
      if (text)
        expect(await runList(finder.countRound(query, undefined))).toMatchObject({
          found: expected.length,
        });
    }
  },
);
