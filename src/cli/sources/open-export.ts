import { statSync } from "node:fs";
import { type ImportInput, type Input, openBytes } from "../import-input.ts";
import { print } from "../output/print.ts";
import { SourceImport } from "./source-import.ts";
import { type SourceName, sources } from "./sources.ts";

/** The users in an export of another system. */
export async function openExport(
  input: Input,
  from: SourceName,
  collection: string,
  names: ReadonlyMap<string, string>,
): Promise<ImportInput> {
  const system = await sources[from]();
  const source = new SourceImport({ ...system, collection: collection || system.collection }, names);
  let bytes = 0;
  return {
    format: "ndjson",
    open() {
      bytes = 0;
      return source.read(
        countBytes(openBytes(input), (count) => {
          bytes += count;
        }),
      );
    },
    unit: "kB",
    total: input.isFile ? Math.ceil(statSync(input.file).size / 1000) : 0,
    done: () => Math.floor(bytes / 1000),
    describe(line) {
      const sourceId = source.takeId(line);
      return { name: sourceId === "" ? `user ${line}` : `user ${line} (${sourceId})`, sourceId };
    },
    // Their ids are of the other system.
    countUnmatched: () => 0,
    printReport(screen) {
      source.leftOut.print(screen);
      const unused = [...source.mapping.unusedNames];
      if (unused.length > 0) print(screen, `No user has the field ${unused.join(", ")} of --map.`);
    },
  };
}

async function* countBytes(
  source: AsyncIterable<Uint8Array>,
  add: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    add(bytes.length);
    yield bytes;
  }
}
