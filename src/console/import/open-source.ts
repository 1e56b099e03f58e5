import { CsvSource } from "./csv-source.ts";
import { FileError, TextFile } from "./file-text.ts";
import { JsonSource } from "./json-source.ts";
import type { OpenOptions, Source, SourceKind } from "./source.ts";

/** Detects the format of a file and reads all of it once. Throws a `FileError` if the file can't be imported. */
export async function openSource(file: File, options: OpenOptions = {}): Promise<Source> {
  const text = await TextFile.open(file);
  const kind = await detectKind(text);
  const source = await (kind === "csv"
    ? CsvSource.open(text, options)
    : JsonSource.open(text, kind, options));
  if (source.rowCount === 0) throw new FileError("empty");
  return source;
}

/** Decides by content, and by file name if the content fits several formats. */
async function detectKind(file: TextFile): Promise<SourceKind> {
  const { value: head } = await file.read().next();
  const text = (head?.text ?? "").trimStart();
  if (text.startsWith("[")) return /\.(csv|tsv|txt)$/i.test(file.name) ? "csv" : "json";
  if (/\.(ndjson|jsonl)$/i.test(file.name)) return "ndjson";
  if (!text.startsWith("{")) return "csv";
  const [first = "", second] = text.split("\n", 2);
  return second === undefined || second.trimStart().startsWith("{") || isJson(first) ? "ndjson" : "json";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
