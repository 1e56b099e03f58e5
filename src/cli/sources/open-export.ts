import { statSync } from "node:fs";
import type { ConflictAction } from "../../client/index.ts";
import { defaultImportOptions } from "../../contract/bulk/bulk.ts";
import { type ImportInput, type Input, openBytes } from "../import-input.ts";
import { print } from "../output/print.ts";
import type { ExportedGroups } from "./exported-groups.ts";
import { type SentUser, SourceImport } from "./source-import.ts";
import { type SourceName, sources } from "./sources.ts";

/** Which export to read, and how. */
export interface ExportOptions {
  readonly from: SourceName;
  /** The array with the users; empty for that of the system. */
  readonly collection: string;
  /** The pairs of --map. */
  readonly names: ReadonlyMap<string, string>;
  readonly withGroups: boolean;
  readonly onConflict: ConflictAction;
}

/** The users in an export of another system. */
export interface ExportInput extends ImportInput {
  /** Complete when all users have been read. Undefined if the system has no groups, or they are left out. */
  readonly groups: ExportedGroups | undefined;
  /** By which field a line finds its user, unless the caller says it. */
  readonly match: string;
  /** The user of a line, until the line is described. */
  sent(line: number): SentUser | undefined;
}

export async function openExport(
  input: Input,
  { from, collection, names, withGroups, onConflict }: ExportOptions,
): Promise<ExportInput> {
  const system = await sources[from]();
  const source = new SourceImport({ ...system, collection: collection || system.collection }, names, {
    withGroups,
    isPatch: onConflict === "update",
  });
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
    groups: source.groups,
    match: system.match ?? defaultImportOptions.match,
    sent: (line) => source.sent(line),
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
