import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readNdjsonRows } from "../../src/domain/bulk/ndjson-rows.ts";
import { countCopiedBytes } from "../support/counted-work.ts";
import { cutBytes, readAll, summarize } from "./support/read-all.ts";

const lines = (text: string | Uint8Array, most?: number) =>
  readAll(readNdjsonRows, text, most).then(summarize);

describe("reading NDJSON", () => {
  test.each<[what: string, body: string | Uint8Array, rows: Record<string, unknown>]>([
    ["an empty body", "", {}],
    ["only newlines", "\n\n\r\n", {}],
    ["one line", '{"a":1}\n', { 1: { a: 1 } }],
    ["no newline at the end", '{"a":1}\n{"a":2}', { 1: { a: 1 }, 2: { a: 2 } }],
    ["CRLF", '{"a":1}\r\n{"a":2}\r\n', { 1: { a: 1 }, 2: { a: 2 } }],
    ["blank lines, which count as lines", '\n{"a":1}\n  \n\t\r\n{"a":2}\n\n', { 2: { a: 1 }, 5: { a: 2 } }],
    ["a byte order mark", '\ufeff{"a":1}\n', { 1: { a: 1 } }],
    ["a byte order mark alone", "\ufeff\n", {}],
    ["two files with a byte order mark each", '\ufeff{"a":1}\n\ufeff{"a":2}\n', { 1: { a: 1 }, 2: { a: 2 } }],
    ["a space around the text", ' {"a":1} \n', { 1: { a: 1 } }],
    [
      "a line that is not UTF-8",
      Buffer.concat([Buffer.from('1\n"caf'), Buffer.from([0xe9]), Buffer.from('"\n3\n')]),
      { 1: 1, 2: "malformed-json", 3: 3 },
    ],
    ["half a character at the end", Buffer.from([0x31, 0x0a, 0xe2, 0x82]), { 1: 1, 2: "malformed-json" }],
  ])("reads %s", async (_, body, rows) => {
    expect(await lines(body)).toEqual(rows);
  });

  test.each([
    ["as long as the limit", 16, 16],
    ["one byte over the limit", 17, "too-large"],
  ])("reads a line that is %s, for any split and any neighbours", async (_, length, end) => {
    const text = `"${"x".repeat(length - 2)}"`;
    const expected = end === "too-large" ? end : JSON.parse(text);
    for (const body of [text, `${text}\n`, `1\n${text}\n3\n`, `1\n${text}`]) {
      for (let cut = 0; cut <= body.length; cut++) {
        const found = summarize(await readAll(readNdjsonRows, body, 16, [cut]));
        expect(found[body.startsWith("1") ? 2 : 1]).toEqual(expected);
      }
    }
  });

  test("rejects only the line over 64 KiB, for any split of the body", async () => {
    const long = `"${"é".repeat(40_000)}"`;
    const body = Buffer.from(`1\n${long}\n3\n${long}`);
    for (const size of [1000, 4096, 65_535, 65_536, 65_537, 100_000, 1_000_000]) {
      const cuts = Array.from({ length: Math.ceil(body.length / size) }, (_, index) => index * size);
      const found = summarize(await readAll(readNdjsonRows, body, 65_536, cuts));
      expect(found).toEqual({ 1: 1, 2: "too-large", 3: 3, 4: "too-large" });
    }
  });

  test("rejects an endless line that arrives byte by byte, and copies each byte a few times at most", async () => {
    async function* endless() {
      for (let i = 0; i < 300_000; i++) yield Buffer.from("x");
    }
    const copied = await countCopiedBytes(async () => {
      const rows = await Array.fromAsync(readNdjsonRows(endless(), 65_536));
      expect(rows).toEqual([[{ line: 1, problem: expect.objectContaining({ type: "too-large" }) }]]);
    });
    // Bytes beyond the limit are counted, and not kept.
    expect(copied).toBeWithin(65_536, 2 * 65_536);
  });

  test("gives the same rows for any split of the bytes", async () => {
    const parts = ["\n", "\r\n", "\r", "{", "}", '"a"', "12345678", "é", "€", "😀", "\ufeff", " "];
    await fc.assert(
      fc.asyncProperty(cutBytes(parts), async ({ bytes, cuts }) => {
        expect(await readAll(readNdjsonRows, bytes, 16, cuts)).toEqual(
          await readAll(readNdjsonRows, bytes, 16),
        );
      }),
      { numRuns: 300 },
    );
  });

  test("gives the same rows as splitting the whole text", async () => {
    const line = fc.string({ unit: fc.constantFrom(...'{}"1é€ \t\r') });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (all) => {
        const expected = all.flatMap((text, index): [number, string][] => {
          const json = text.trim();
          if (Buffer.byteLength(text) > 12) return [[index + 1, "too-large"]];
          return json === "" ? [] : [[index + 1, json]];
        });
        const { rows } = await readAll(readNdjsonRows, all.join("\n"), 12);
        const found = rows.map((row): [number, string] => [
          row.line,
          "json" in row ? row.json : row.problem.type,
        ]);
        expect(found).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });
});
