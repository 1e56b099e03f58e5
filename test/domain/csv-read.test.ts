import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatCell, formatTextCell } from "../../src/domain/csv/cells.ts";
import { countCopiedBytes } from "../support/counted-work.ts";
import { cutBytes, readAll, summarize } from "./support/read-all.ts";
import { readUserCsv } from "./support/read-user-csv.ts";

type Example = [description: string, body: string | Uint8Array, rows: Record<string, unknown>];

const rows = (text: string | Uint8Array, most?: number) => readAll(readUserCsv, text, most).then(summarize);
const [ada, bob] = [{ name: "Ada" }, { name: "Bob" }];

describe("reading CSV", () => {
  test.each<Example>([
    ["LF", "name\nAda\nBob\n", { 2: ada, 3: bob }],
    ["CRLF", "name\r\nAda\r\nBob\r\n", { 2: ada, 3: bob }],
    ["CR alone", "name\rAda\rBob\r", { 2: ada, 3: bob }],
    ["line ends of every kind", "name\r\nAda\nBob\rAda\r\n", { 2: ada, 3: bob, 4: ada }],
    ["no newline at the end", "name\nAda", { 2: ada }],
    ["a header row alone", "name,email\r\n", {}],
    ["a header row without a line end", "name,email", {}],
    [
      "fields in _more",
      'name,x,_more\nAda,1,"{""y"":[2],""z"":""q""}"\nBob,2,\n',
      { 2: { ...ada, x: 1, y: [2], z: "q" }, 3: { ...bob, x: 2 } },
    ],
    ["an empty object in _more", "name,_more\nAda,{}\n", { 2: ada }],
    ["a field of an empty column in _more", 'name,x,_more\nAda,,"{""x"":1}"\n', { 2: { ...ada, x: 1 } }],
    ["a field that has a column in _more", 'name,x,_more\nAda,1,"{""x"":2}"\n', { 2: "invalid-user" }],
    [
      "a _more cell that is not an object",
      "name,_more\nAda,[1]\nBob,x\n",
      { 2: "invalid-user", 3: "invalid-user" },
    ],
    ["semicolons", "name;email\nAda;a@b.cd\n", { 2: { ...ada, email: "a@b.cd" } }],
    ["semicolons and commas in the cells", 'name;x\nAda;"1,5"\n', { 2: { ...ada, x: "1,5" } }],
    ["tabs", "name\temail\nAda\ta@b.cd\n", { 2: { ...ada, email: "a@b.cd" } }],
    ["semicolons in a quoted column name", '"name",";;;"', { whole: "invalid-user" }],
    ["a byte order mark", "\ufeffname\nAda\n", { 2: ada }],
    ["a byte order mark before a quote", '\ufeff"name";"x"\n"Ada";1\n', { 2: { ...ada, x: 1 } }],
    [
      "quotes, commas and quotes in quotes",
      'name\n"Lovelace, ""Ada"""\n',
      { 2: { name: 'Lovelace, "Ada"' } },
    ],
    [
      "quotes inside unquoted cells",
      'name,x\nAda "A" L,5" long\n',
      { 2: { name: 'Ada "A" L', x: '5" long' } },
    ],
    ["spaces, which stay", "name,x\n Ada , y \n", { 2: { name: " Ada ", x: " y " } }],
    ["column names with spaces around them", " name , x \nAda,1\n", { 2: { ...ada, x: 1 } }],
    ["Name and EMAIL in other case", "Name,EMAIL\nAda,a@b.cd\n", { 2: { ...ada, email: "a@b.cd" } }],
    ["Name beside name", "name,Name\nAda,Augusta\n", { 2: { ...ada, Name: "Augusta" } }],
    ["columns of the service, which are skipped", "id,name,version,createdAt\n7,Ada,3,x\n", { 2: ada }],
    ["empty cells", "name,email,x\nAda,,\n,,1\n", { 2: ada, 3: { x: 1 } }],
    ["too few cells", "name,email,x\nAda\n", { 2: ada }],
    ["too many cells", "name\nAda,1\nBob\n", { 2: "invalid-user", 3: bob }],
    ["too many empty cells, as in spreadsheets", "name,,\nAda,,,\n", { 2: ada }],
    [
      "empty lines, before and between",
      "\n\r\nname;x\n\nAda;1\n\r\n\nBob;2\n",
      { 5: { ...ada, x: 1 }, 8: { ...bob, x: 2 } },
    ],
    [
      "values of all types",
      'name,a,b,c,d,e\nAda,1,true,null,"[1,""x""]",007\n',
      { 2: { ...ada, a: 1, b: true, c: null, d: [1, "x"], e: "007" } },
    ],
    ["escaped formulas", "name,x\n'=1+1,'-5 apples\n", { 2: { name: "=1+1", x: "-5 apples" } }],
    [
      "a number that is too large, in an array",
      "name,x\nAda,[1e400]\n",
      { 2: { ...ada, x: [Number.POSITIVE_INFINITY] } },
    ],
  ])("reads %s", async (_, body, expected) => {
    expect(await rows(body)).toEqual(expected);
  });

  test.each<Example>([
    ["LF", 'name,x\nAda,"1\n2"\nBob,3\n', { 2: { ...ada, x: "1\n2" }, 4: { ...bob, x: 3 } }],
    [
      "CRLF",
      'name,x\r\nAda,"1\r\n2\r\n"\r\nBob,3\r\n',
      { 2: { ...ada, x: "1\r\n2\r\n" }, 5: { ...bob, x: 3 } },
    ],
    ["CR", 'name,x\nAda,"1\r2"\nBob,3\n', { 2: { ...ada, x: "1\r2" }, 4: { ...bob, x: 3 } }],
    [
      "several, and empty lines after",
      'name,x\nAda,"\n\n"\n\n\nBob,3\n',
      { 2: { ...ada, x: "\n\n" }, 7: { ...bob, x: 3 } },
    ],
  ])("counts lines after a cell with line breaks: %s", async (_, body, expected) => {
    expect(await rows(body)).toEqual(expected);
  });

  test.each<Example>([
    ["nothing at all", "", { whole: "malformed-json" }],
    ["a byte order mark alone", "\ufeff", { whole: "malformed-json" }],
    ["empty lines alone", "\n\r\n\n", { whole: "malformed-json" }],
    ["no name", "email\na@b.cd\n", { whole: "invalid-user" }],
    ["the same column twice", "name,x,x\nAda,1,2\n", { whole: "invalid-user" }],
    ["Name and NAME", "Name,NAME\nAda,Bob\n", { whole: "invalid-user" }],
    ["a column name that is not a field name", "name,first name\nAda,x\n", { whole: "invalid-user" }],
    ["an empty column name between others", "name,,x\nAda,1,2\n", { whole: "invalid-user" }],
    ["a credential column", "name,password\nAda,x\n", { whole: "invalid-user" }],
    ["__proto__", "name,__proto__\nAda,x\n", { whole: "invalid-user" }],
    ["constructor", "name,constructor\nAda,x\n", { whole: "invalid-user" }],
    ["an unclosed quote", 'name\nAda\n"Bob\nCid\n', { 2: ada, whole: "malformed-json" }],
    ["an unclosed quote in the header row", '"name\nAda\n', { whole: "malformed-json" }],
    ["a header row over the limit", `name,${"x".repeat(70_000)}\nAda\n`, { whole: "too-large" }],
    [
      "Latin-1, as some spreadsheets write it",
      Buffer.from("name\nAda\nMiss Zoë\nBob\n", "latin1"),
      { 2: ada, whole: "malformed-json" },
    ],
    ["UTF-16", Buffer.from("\ufeffname\nAda\n", "utf16le"), { whole: "malformed-json" }],
  ])("rejects %s", async (_, body, expected) => {
    expect(await rows(body)).toEqual(expected);
  });

  test("reports every error in the header row at once", async () => {
    const { problem } = await readAll(readUserCsv, "email,email,token,5\nx\n");
    expect(problem?.errors?.map(({ pointer }) => pointer)).toEqual(["/email", "/token", "/5", "/name"]);
  });

  test("reports the line of an unclosed quote, at the end of the file and after too many bytes", async () => {
    const before = 'name,x\r\nAda,"1\r\n2"\r\n\r\n';
    for (const rest of ['"Bob\r\n', `"${"x\n".repeat(700_000)}`]) {
      const { rows: found, problem } = await readAll(readUserCsv, before + rest);
      expect(found.map(({ line }) => line)).toEqual([2]);
      expect(problem?.detail).toContain("line 5 ");
    }
  });

  test("rejects only the row over the limit, and does not count empty lines as part of a row", async () => {
    const long = `"${"é".repeat(33_000)}"`;
    const body = `name,x\nAda,${long}\nBob,\n${"\n".repeat(70_000)}Ada,\n${"\r\n".repeat(1_000_000)}Bob,${long}`;
    expect(await rows(body)).toEqual({ 2: "too-large", 3: bob, 70004: ada, 1070005: "too-large" });
  });

  test("reads short rows below 10,000 columns", async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `c${index}`).join();
    const { rows: found } = await readAll(readUserCsv, `name,${names}\n${"Ada,1\n".repeat(1000)}`);
    expect(found).toHaveLength(1000);
    expect(found.at(-1)).toEqual({ line: 1001, json: '{"name":"Ada","c0":1}' });
  });

  test("copies each byte of a header row that arrives byte by byte a few times at most", async () => {
    const body = Buffer.from(`name,${"x".repeat(60_000)}`);
    const everyByte = Array.from(body, (_, index) => index);
    const copied = await countCopiedBytes(async () => {
      const { problem } = await readAll(readUserCsv, body, 65_536, everyByte);
      expect(problem?.errors?.map(({ pointer }) => pointer)).toEqual([`/${"x".repeat(64)}`]);
    });
    expect(copied).toBeWithin(body.length, 4 * body.length);
  });

  test("gives the same rows and problems for any split of the bytes", async () => {
    const parts = [
      "name",
      ",",
      ";",
      '"',
      '""',
      "\n",
      "\r\n",
      "\r",
      "Ada",
      "é",
      "€",
      "😀",
      "\ufeff",
      " ",
      "1",
      "email",
    ];
    await fc.assert(
      fc.asyncProperty(cutBytes(parts), fc.boolean(), async ({ bytes, cuts }, headed) => {
        const header = Buffer.from(headed ? "name,x,y\r\n" : "");
        const body = Buffer.concat([header, bytes]);
        const moved = cuts.map((cut) => cut + header.length);
        expect(await readAll(readUserCsv, body, 16, moved)).toEqual(await readAll(readUserCsv, body, 16));
      }),
      { numRuns: 300 },
    );
  });

  test("reads back the rows that were written, in any variant of RFC 4180", async () => {
    const cell = fc.string({ unit: fc.constantFrom(...'xé",;\t\n\r ') });
    const table = fc.record({
      cells: fc.array(fc.tuple(cell, cell), { maxLength: 6 }),
      delimiter: fc.constantFrom(",", ";", "\t"),
      newline: fc.constantFrom("\n", "\r\n", "\r"),
      mark: fc.constantFrom("", "\ufeff"),
      last: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(table, async ({ cells, delimiter, newline, mark, last }) => {
        const quoted = (text: string) =>
          /[",;\t\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        const written = cells.map(([name, x]) => [formatTextCell(name), x && formatCell(x)]);
        const lines = [["name", "x"], ...written].map((row) => row.map(quoted).join(delimiter));
        const { rows: found } = await readAll(
          readUserCsv,
          mark + lines.join(newline) + (last ? newline : ""),
        );
        let line = 2;
        const expected = cells.map(([name, x], index) => {
          const at = line;
          line += written[index]?.join().split(/\r\n|\n|\r/).length ?? 0;
          return { line: at, json: JSON.stringify({ ...(name && { name }), ...(x && { x }) }) };
        });
        expect(found).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });
});
