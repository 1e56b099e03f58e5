import type { ImportedRecord, ImportLine, ImportOutcome } from "../../domain/import-row.ts";
import { type RawImport, toRawLine } from "./import-lines.ts";
import { toImportedRecord } from "./stored-outcome.ts";
import type { WriteQueue } from "./write-queue.ts";

/** Sends a chunk of an import to the queue. */
export async function submitImport(
  queue: WriteQueue,
  { lines, ...facts }: Omit<RawImport, "kind" | "lines"> & { readonly lines: readonly ImportLine[] },
): Promise<ImportOutcome<ImportedRecord>> {
  const { users, replayed } = await queue.submit({ kind: "import", ...facts, lines: lines.map(toRawLine) });
  return { results: users.map(toImportedRecord), replayed };
}
