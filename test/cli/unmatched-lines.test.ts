import { expect, test } from "bun:test";
import { UnmatchedLines } from "../../src/cli/unmatched-lines.ts";

/** Counts in pieces of every size. Checks that the text is passed on as it is. */
async function count(format: "csv" | "ndjson", text: string, match = "email"): Promise<number> {
  const counts = new Set<number>();
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 3, 7, bytes.length]) {
    async function* pieces() {
      for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
    }
    const lines = new UnmatchedLines(format, match);
    // A repeated import reads its source again.
    await Array.fromAsync(lines.watch(pieces()));
    const passed = await Array.fromAsync(lines.watch(pieces()));
    expect(Buffer.concat(passed).toString()).toBe(text);
    counts.add(lines.count);
  }
  expect(counts.size).toBe(1);
  return [...counts][0] ?? 0;
}

test("counts lines of NDJSON with an id and without an email", async () => {
  const lines = [
    { id: "1", name: "Zoë" },
    { id: "2", name: "B", email: null },
    { id: "3", name: "C", email: "c@example.com" },
    { name: "no id", deep: { id: 4 } },
    { id: "5", name: "E", contact: { email: "e@example.com" } },
  ].map((line) => JSON.stringify(line));
  expect(await count("ndjson", `${lines.join("\n")}\nnot "id" JSON\n\n`)).toBe(3);
  expect(await count("ndjson", `${lines[2]}\n${lines[0]}`)).toBe(1);
  expect(await count("ndjson", lines.join("\n"), "id")).toBe(0);
});

test("counts rows of CSV with an id and without an email, with any delimiter", async () => {
  expect(await count("csv", 'id,name,email\n1,"Zoë\n, B",\n2,C,c@example.com\n,D,\n3,E\n')).toBe(2);
  expect(await count("csv", "\uFEFFname;Email;id\r\nA;;1\r\nB;b@example.com;2")).toBe(1);
  expect(await count("csv", "name\tid\nA\t1\nB\t2")).toBe(2);
  expect(await count("csv", "name,badge\nA,\n")).toBe(0);
  expect(await count("csv", "id,name,email\n1,A,\n", "id")).toBe(0);
  expect(await count("csv", 'id,name,email\n1,A,\n2,"B')).toBe(1);
  expect(await count("csv", "")).toBe(0);
});

test("looks for a unique field in its column and in the column for further fields", async () => {
  expect(await count("csv", "id,name,badge\n1,A,7\n2,B,\n", "badge")).toBe(1);
  expect(await count("csv", 'id,name,_more\n1,A,"{""badge"":7}"\n2,B,"{""team"":7}"\n3,C,\n', "badge")).toBe(
    2,
  );
  expect(await count("ndjson", '{"id":"1","name":"A","badge":0}\n{"id":"2","name":"B"}\n', "badge")).toBe(1);
});

test("looks for a user name in userName, and else in the email", async () => {
  expect(await count("csv", "id,name,email,userName\n1,A,a@example.com,\n2,B,,b\n3,C,,\n", "userName")).toBe(
    1,
  );
});
