import { expect, test } from "bun:test";
import { FileError } from "../../src/console/import/file-text.ts";
import { openSource } from "../../src/console/import/open-source.ts";

const open = (text: string, name = "people.csv") => openSource(new File([text], name));

test("a table with two columns is detected with every delimiter and line break", async () => {
  for (const delimiter of [",", ";", "\t", "|"]) {
    for (const newline of ["\n", "\r\n"]) {
      for (const end of ["", newline, newline + newline]) {
        const rows = ["name#email", "Ada#ada@example.com"].map((row) => row.replace("#", delimiter));
        const { columns, sample } = await open(rows.join(newline) + end);
        expect(columns.map(({ header }) => header)).toEqual(["name", "email"]);
        expect(sample.map(({ cells }) => cells)).toEqual([["Ada", "ada@example.com"]]);
      }
    }
  }
});

test("a file with too many columns is rejected", async () => {
  const wide = `${Array.from({ length: 20_000 }, (_, index) => index).join()}\nAda`;
  const lines = Array.from({ length: 900 }, (_, index) => JSON.stringify({ name: "Ada", [`f${index}`]: 1 }));
  for (const opening of [open(wide), open(lines.join("\n"), "people.ndjson")]) {
    const error: unknown = await opening.catch((reason: unknown) => reason);
    expect(error instanceof FileError && error.kind).toBe("wide");
  }
});
