import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { SQL } from "bun";
import { foldCase } from "../../src/domain/fold.ts";
import { encodeCursor } from "../../src/domain/lists/cursor.ts";
import type { FoundPage, ListQuery } from "../../src/domain/lists/listing.ts";
import type { MaybePromise } from "../../src/domain/maybe-promise.ts";
import { type IndexTerms, indexTerms, readId } from "../../src/domain/users/user.ts";
import { ListQueryParser } from "../../src/http/query/list-query.ts";
import type { ListResource } from "../../src/store/lists/list-resource.ts";
import { countRound } from "../../src/store/lists/plans/count.ts";
import { findPage } from "../../src/store/lists/plans/page-finder.ts";
import { searchText, wordStartsText } from "../../src/store/lists/search-text.ts";
import { postgresDialect } from "../../src/store/postgres/dialect.ts";
import { searchKeys } from "../../src/store/postgres/search-keys.ts";
import { runStatements } from "../../src/store/postgres/snapshot.ts";
import { ListReader } from "../../src/store/sqlite/list-reader.ts";
import { freshDatabase, startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";

// Rooms are no resource of the service. They show that lists of another resource need its description and its tables, and no code.
const fields = {
  id: { type: "number" },
  name: { type: { fold: foldCase } },
  floor: { type: "number" },
} as const;
const column = (name: string) =>
  ({ unique: false, expression: `u.${name}`, column: name, index: `by_${name}` }) as const;
const rooms: ListResource = {
  table: "rooms",
  fields,
  sortOrders: {
    id: [{ key: undefined, keyType: "number", index: undefined, where: "" }],
    name: [{ key: "name", keyType: "text", index: "by_name", where: "" }],
    floor: [{ key: "floor", keyType: "number", index: "by_floor", where: "" }],
  },
  columns: { id: { unique: true, column: "id" }, name: column("name"), floor: column("floor") },
  customValues: { table: "room_values", ownerColumn: "room" },
  search: {
    table: "room_search",
    ownerColumn: "room",
    textColumns: ["name"],
    wordStartsColumn: "word_starts",
  },
};
const records = Array.from({ length: 300 }, (_, index) => ({
  id: index + 1,
  name: `${["Blue", "Red"][index % 2]} room ${index % 7}`,
  floor: index % 5,
  seats: index % 3,
}));
type Room = (typeof records)[number];

/** An engine's way to run a statement with `?`, to create the search index, and to make an entry of it. */
interface Tables {
  readonly schema: string;
  readonly text: string;
  readonly searchIndex: string;
  run(text: string, values?: unknown[]): unknown;
  addText(id: number, terms: IndexTerms): unknown;
}

async function fill({ schema, text, searchIndex, run, addText }: Tables): Promise<void> {
  await run(
    `CREATE TABLE ${schema}rooms (id ${schema ? "bigint" : "INTEGER"} PRIMARY KEY, name ${text}, floor bigint, word_starts ${text}, json ${text})`,
  );
  for (const name of ["name", "floor"]) await run(`CREATE INDEX by_${name} ON ${schema}rooms (${name}, id)`);
  await run(`CREATE TABLE ${schema}room_values (field ${text}, value ${text}, room bigint, exact ${text})`);
  await run(`CREATE INDEX by_value ON ${schema}room_values (field, value, room, exact)`);
  await run(searchIndex);
  for (const { id, floor, ...record } of records) {
    const terms = indexTerms(record);
    const row = [id, terms.nameFold, floor, wordStartsText(terms), JSON.stringify({ id, floor, ...record })];
    await run(`INSERT INTO ${schema}rooms VALUES (?, ?, ?, ?, ?)`, row);
    await addText(id, terms);
    for (const { field, value, exact } of terms.values)
      await run(`INSERT INTO ${schema}room_values VALUES (?, ?, ?, ?)`, [field, value, id, exact]);
  }
}

type Find = (query: ListQuery) => MaybePromise<FoundPage>;
type Count = (query: ListQuery) => MaybePromise<{ found: number }>;

async function checkLists(find: Find, count: Count): Promise<void> {
  const parser = new ListQueryParser(fields);
  const byName = (a: Room, b: Room) =>
    Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) || a.id - b.id;
  const lists: [string, (room: Room) => boolean, (a: Room, b: Room) => number][] = [
    ["", () => true, (a, b) => a.id - b.id],
    ["q=blue+room&sort=name", ({ name }) => name.startsWith("Blue"), byName],
    ["q=re&name=RED+ROOM+3", ({ name }) => name === "Red room 3", (a, b) => a.id - b.id],
    [
      "floor=2&floor=3&seats=1&sort=-floor",
      ({ floor, seats }) => (floor === 2 || floor === 3) && seats === 1,
      (a, b) => b.floor - a.floor || b.id - a.id,
    ],
    [
      "filter=seats%20ge%201%20and%20floor%20lt%202&sort=seats",
      ({ floor, seats }) => seats >= 1 && floor < 2,
      (a, b) => a.seats - b.seats || a.id - b.id,
    ],
  ];
  for (const [text, matches, order] of lists) {
    const expected = records
      .filter(matches)
      .sort(order)
      .map(({ id }) => id);
    const query = parser.parse(`${text}&limit=20`);
    const found: number[] = [];
    for (let next: string | undefined = ""; next !== undefined; ) {
      const page = await find(next === "" ? query : parser.parse(`${text}&limit=20&after=${next}`));
      found.push(...page.items.map(readId));
      next = page.next && encodeCursor(query, page.next);
    }
    expect(found).toEqual(expected);
    if (text !== "") expect((await count(query)).found).toBe(expected.length);
  }
}

test("SQLite lists rooms by their description", async () => {
  using db = new Database(":memory:");
  const run = (text: string, values: (string | number)[] = []) => db.run(text, values);
  const searchIndex =
    "CREATE VIRTUAL TABLE room_search USING fts5 (text, tokenize = 'trigram case_sensitive 1')";
  const addText = (id: number, terms: IndexTerms) =>
    run("INSERT INTO room_search (rowid, text) VALUES (?, ?)", [id, searchText(terms)]);
  await fill({ schema: "", text: "TEXT", searchIndex, run, addText });
  const reader = new ListReader(db, rooms);
  await checkLists(
    (query) => reader.find(query),
    (query) => reader.countRound(query, undefined),
  );
});

startPostgresBeforeTests();

test("PostgreSQL lists rooms by their description", async () => {
  const database = await freshDatabase();
  await using sql = new SQL(database.url, { max: 1 });
  const run = (text: string, values: (string | number)[] = []) => {
    let number = 0;
    return sql.unsafe(
      text.replace(/\?/g, () => `$${++number}`),
      values,
    );
  };
  const searchIndex = "CREATE TABLE roster.room_search (room bigint PRIMARY KEY, keys integer[])";
  const addText = (id: number, terms: IndexTerms) =>
    run("INSERT INTO roster.room_search VALUES (?, ?)", [id, `{${[...searchKeys(id, terms)]}}`]);
  await run("CREATE SCHEMA IF NOT EXISTS roster");
  await fill({ schema: "roster.", text: 'text COLLATE "C"', searchIndex, run, addText });
  const dialect = postgresDialect(10_000);
  await checkLists(
    (query) => runStatements(sql, findPage(dialect, rooms, query)),
    (query) => runStatements(sql, countRound(dialect, rooms, query, undefined)),
  );
  await database.drop();
});
