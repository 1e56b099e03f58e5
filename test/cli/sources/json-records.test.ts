import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readJsonRecords } from "../../../src/cli/sources/json-records.ts";
import type { SourceRecord } from "../../../src/cli/sources/source.ts";

async function* split(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(
  text: string,
  collection = "users",
  size = 1 << 16,
  groups?: string,
): Promise<SourceRecord[]> {
  return (await Array.fromAsync(readJsonRecords(split(text, size), collection, groups))).flat();
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

test("reads groups beside the users, and the groups of a user are a part of it", async () => {
  const group = fc.record({ name: fc.string(), groups: fc.constant([{}]) });
  const user = fc.record({ groups: fc.array(fc.string()), name: fc.string() });
  const part = fc.oneof(
    fc
      .array(group)
      .map((list) => ({ name: "groups", list, records: list.map((one) => ({ groups: [one] })) })),
    fc.array(user).map((list) => ({ name: "users", list, records: list })),
    fc.array(user).map((list) => ({ name: "other", list, records: [] })),
  );
  const parts = fc.uniqueArray(part, { selector: ({ name }) => name, minLength: 1 });
  await fc.assert(
    fc.asyncProperty(parts, fc.nat(2), fc.integer({ min: 1, max: 50 }), async (realm, indent, size) => {
      fc.pre(realm.some(({ name, list }) => name === "users" || (name === "groups" && list.length > 0)));
      const text = JSON.stringify(
        Object.fromEntries(realm.map(({ name, list }) => [name, list])),
        null,
        indent,
      );
      expect(await read(text, "users", size, "groups")).toEqual(realm.flatMap(({ records }) => [...records]));
    }),
    { numRuns: 50 },
  );
  const users = [{ groups: ["/a"] }, { groups: [] }];
  expect(await read(JSON.stringify(users), "users", 1, "groups")).toEqual(users);
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
