import { expect, test } from "bun:test";
import { readLdifRecords } from "../../../src/cli/sources/ldif-records.ts";

async function* split(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(text: string, size = 1 << 16) {
  const leftOut: string[] = [];
  const reading = readLdifRecords(split(text, size), ["mail"], (name) => leftOut.push(name));
  return { entries: (await Array.fromAsync(reading)).flat(), leftOut };
}

test("joins folded lines and decodes Base64, however the bytes are split", async () => {
  const text =
    "version: 1\r\n\r\n# not\r\n  read\r\ndn: uid=ada,dc=exam\r\n ple\r\ncn:: TcO8\r\n bGxlcg==\r\nMAIL:a@b.example\r\nnote:\r\nphoto:: /9j/\r\n\r\n\r\ndn: x\r\n";
  for (const size of [1, 5, 65_536]) {
    const { entries } = await read(text, size);
    expect(entries).toEqual([
      {
        dn: ["uid=ada,dc=example"],
        cn: ["Müller"],
        mail: ["a@b.example"],
        note: [""],
        photo: [Buffer.from([0xff, 0xd8, 0xff])],
      },
      { dn: ["x"] },
    ]);
  }
});

test("leaves out values that are too large, folded or not, and values in other files", async () => {
  const photo = "A".repeat(200_000);
  const folded = photo.match(/.{76}/g)?.join("\n ") ?? "";
  const { entries, leftOut } = await read(
    `dn: x\nphoto:: ${photo}\nlogo:: ${folded}\ncert:< file:///etc/passwd\ncn: X\n`,
    1000,
  );
  expect(entries).toEqual([{ dn: ["x"], cn: ["X"] }]);
  expect(leftOut.sort()).toEqual(["cert", "logo", "photo"]);
});

test("rejects changes, and text that is not LDIF or not UTF-8", async () => {
  await expect(read("dn: x\nchangetype: delete\n")).rejects.toThrow(
    "Line 2 is a change (changetype: delete)",
  );
  await expect(read('{"id": 1}')).rejects.toThrow("Line 1 is not LDIF");
  await expect(read("cn: no dn\n")).rejects.toThrow("begins with dn:");
  const latin1 = (async function* () {
    yield Buffer.from("dn: x\ncn: Jos\xe9\n\n", "latin1");
  })();
  await expect(Array.fromAsync(readLdifRecords(latin1, [], () => undefined))).rejects.toThrow(
    "not encoded in UTF-8",
  );
});
