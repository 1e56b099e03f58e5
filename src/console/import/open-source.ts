import { CsvSource } from "./csv-source.ts";
import { checkIsText, FileError, readText } from "./file-text.ts";
import { NdjsonSource } from "./ndjson-source.ts";
import type { Source } from "./source.ts";

/** More are no people, and nobody would say of each what it is to become. */
const MAX_COLUMNS = 500;

/** Looks into a file: what it is, and what its first rows are. Fails with a `FileFault` if it cannot be imported. */
export async function openSource(file: File): Promise<Source> {
  await checkIsText(file);
  const format = await formatOf(file);
  const source = await (format === "ndjson" ? NdjsonSource.open(file) : CsvSource.open(file));
  if (source.sample.length === 0) throw new FileError("empty");
  if (source.columns.length > MAX_COLUMNS) throw new FileError("wide");
  return source;
}

/** What is in it decides, and its name where that could be either. */
async function formatOf(file: File): Promise<"csv" | "ndjson"> {
  const { value: head } = await readText(file).next();
  const text = (head?.text ?? "").trimStart();
  if (text.startsWith("[") && !/\.(csv|tsv|txt)$/i.test(file.name)) throw new FileError("array");
  return text.startsWith("{") || /\.(ndjson|jsonl)$/i.test(file.name) ? "ndjson" : "csv";
}
