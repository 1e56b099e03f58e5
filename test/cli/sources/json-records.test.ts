import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readJsonRecords } from "../../../src/cli/sources/json-records.ts";
import type { SourceRecord } from "../../../src/cli/sources/source.ts";

async function* split(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(text: string, collection = "users", size = 1 << 16): Promise<SourceRecord[]> {
  return (await Array.fromAsync(readJsonRecords(split(text, size), collection))).flat();
}

const one = { id: 1, text: 'quotes " and \\ and ]}{[ é 😀', list: [{ users: [{ id: 9 }] }] };
const two = { id: 2 };

describe("reads users", () => {
  const documents: Record<string, string> = {
    "of an array": JSON.stringify([one, two], null, 2),
    "of an array of pages": JSON.stringify([[one], [two]]),
    "of pages one after the other": JSON.stringify([one]) + JSON.stringify([two]),
    "of one object per line": `${JSON.stringify(one)}\n${JSON.stringify(two)}\n`,
    "of an object with a list": JSON.stringify({
      total: 2,
      other: [{ id: 3 }],
      users: [one, two],
      next: null,
    }),
    "of several objects with lists":
      JSON.stringify({ users: [one] }) + JSON.stringify({ a: "users", users: [two] }),
    "of a list of objects with lists": JSON.stringify([
      { realm: "a", users: [one] },
      { realm: "b", users: [two] },
    ]),
  };
  test.each(Object.keys(documents))("%s, however the bytes are split", async (name) => {
    for (const size of [1, 2, 7, 65_536])
      expect(await read(documents[name] ?? "", "users", size)).toEqual([one, two]);
  });

  test("of any JSON, as JSON.parse reads it", async () => {
    const user = fc.dictionary(fc.string(), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.array(user), fc.integer({ min: 1, max: 50 }), async (users, size) => {
        const expected = JSON.parse(JSON.stringify(users));
        // Such numbers become text.
        fc.pre(!/\d{16}/.test(JSON.stringify(users)));
        expect(
          await read(JSON.stringify({ before: users, 'the "list"': 1, list: users }), "list", size),
        ).toEqual(expected);
        expect(await read(JSON.stringify(users), "no such list", size)).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });
});

test("keeps the digits of a number that a double cannot hold", async () => {
  expect(await read('[{"id":12345678901234567890,"n":1.5}]')).toEqual([
    { id: "12345678901234567890", n: 1.5 },
  ]);
});

test("skips a large part before the users, without keeping it", async () => {
  const clients = Array.from({ length: 20_000 }, (_, index) => ({
    name: `client ${index}`,
    text: "x".repeat(100),
  }));
  expect(await read(JSON.stringify({ clients, users: [two] }))).toEqual([two]);
  await expect(read(JSON.stringify({ clients }))).rejects.toThrow('has no array "users"');
});

test("rejects text that is not JSON, and JSON that ends early", async () => {
  await expect(read("id,name\n1,Ada")).rejects.toThrow("The file is not JSON: byte 1");
  await expect(read('[{"id":1},')).rejects.toThrow("the file is incomplete");
  await expect(read('{"users":[{"id":1}')).rejects.toThrow("the file is incomplete");
  await expect(read('[{"id":1,}]')).rejects.toThrow("not valid JSON");
});
