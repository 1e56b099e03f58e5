import { describe, expect, test } from "bun:test";
import { rewriteCsv, rewriteNdjson } from "../../src/cli/rewrite-source.ts";

type Rewrite = typeof rewriteCsv;

/** Rewrites the text, in pieces of every size. */
async function run(
  rewrite: Rewrite,
  text: string,
  names: Record<string, string>,
  textColumns: string[] = [],
): Promise<string> {
  const results = new Set<string>();
  for (const size of [1, 3, 7, text.length]) {
    async function* pieces() {
      const bytes = new TextEncoder().encode(text);
      for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
    }
    let result = "";
    const options = { names: new Map(Object.entries(names)), textColumns };
    for await (const part of rewrite(pieces(), options)) result += part;
    results.add(result);
  }
  expect(results.size).toBe(1);
  return [...results][0] ?? "";
}

describe("rewriting CSV", () => {
  test("renames columns, and leaves rows as they are", async () => {
    expect(await run(rewriteCsv, '\uFEFFName;"Mail"\r\nA;"x ""y""\n;z"\r\n', { Mail: "email" })).toBe(
      'Name;email\r\nA;"x ""y""\n;z"\r\n',
    );
  });

  test("makes cells of text columns JSON strings, without changing line numbers", async () => {
    const table = 'name,zip,n\nA,01234,1\n"B, C","12345",2\nD,,3\nE,"1\n2",4\nF,true';
    expect(await run(rewriteCsv, table, {}, ["zip"])).toBe(
      'name,zip,n\nA,"""01234""",1\n"B, C","""12345""",2\nD,,3\nE,"1\n2",4\nF,"""true"""',
    );
  });

  test("finds text columns by their new names, and rejects unknown columns", async () => {
    expect(await run(rewriteCsv, "name,plz\nA,1\n", { plz: "zip" }, ["zip"])).toBe('name,zip\nA,"""1"""\n');
    expect(run(rewriteCsv, "name\nA\n", {}, ["zip"])).rejects.toThrow("The file has no column zip.");
    expect(run(rewriteCsv, "name\nA\n", { a: "b" })).rejects.toThrow("The file has no column a.");
  });
});

test("rewriting NDJSON renames fields of the record only, and keeps numbers exactly", async () => {
  const lines = '{"mail":"a:b","x":{"mail":1},"n":12345678901234567890}\n["mail"]\nnot json {"mail" : 1}';
  expect(await run(rewriteNdjson, lines, { mail: "email" })).toBe(
    '{"email":"a:b","x":{"mail":1},"n":12345678901234567890}\n["mail"]\nnot json {"email" : 1}',
  );
});
