import { CsvSource } from "./csv-source.ts";
import { FileError, TextFile } from "./file-text.ts";
import { NdjsonSource } from "./ndjson-source.ts";
import type { Source } from "./source.ts";

/** More columns are not practical to map. */
const MAX_COLUMNS = 500;

/** Detects the format of a file and reads its first rows. Throws a `FileError` if the file can't be imported. */
export async function openSource(file: File): Promise<Source> {
  const text = await TextFile.open(file);
  const format = await detectFormat(text);
  const source = await (format === "ndjson" ? NdjsonSource.open(text) : CsvSource.open(text));
  if (source.sample.length === 0) throw new FileError("empty");
  if (source.columns.length > MAX_COLUMNS) throw new FileError("wide");
  return source;
}

/** Decides by content, and by file name if the content fits both formats. */
async function detectFormat(file: TextFile): Promise<"csv" | "ndjson"> {
  const { value: head } = await file.read().next();
  const text = (head?.text ?? "").trimStart();
  if (text.startsWith("[") && !/\.(csv|tsv|txt)$/i.test(file.name)) throw new FileError("array");
  return text.startsWith("{") || /\.(ndjson|jsonl)$/i.test(file.name) ? "ndjson" : "csv";
}
