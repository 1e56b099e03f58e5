import { extname } from "node:path";
import type { BulkFormat } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";

const formats: readonly BulkFormat[] = ["ndjson", "csv"];

export const formatFlag = {
  flag: "format",
  default: "",
  takes: formats.join(" or "),
  choices: formats,
  about: "csv: a table; ndjson: one JSON object per line. Default: by the file name, else ndjson.",
  parse: parseFormat,
} as const satisfies Flag<BulkFormat | undefined>;

/** Throws a `ConfigError` for a name that promises another format than an export has. */
export function rejectOtherFormat(path: string): void {
  const extension = extname(path).toLowerCase();
  // Any other name, like users or users.2026-11-15, says nothing about the format.
  if (!/^\.[a-z]/.test(extension) || [".csv", ".ndjson", ".jsonl"].includes(extension)) return;
  const reason =
    extension === ".tsv" ? "The export is separated by commas, not tabs" : `Roster cannot write ${extension}`;
  throw new ConfigError(
    `${reason}: use a name that ends in .csv or .ndjson, or add --format csv or --format ndjson.`,
  );
}

/** Throws a `ConfigError` for the file of a spreadsheet program. */
export function rejectSpreadsheet(path: string): void {
  if (/\.(xlsx?|xlsm|ods|numbers)$/i.test(path)) {
    throw new ConfigError(`${path} is a spreadsheet: save it as CSV, and import the CSV file.`);
  }
}

export function resolveFormat(path: string, format: BulkFormat | undefined): BulkFormat {
  return format ?? (/\.(csv|tsv)$/i.test(path) ? "csv" : "ndjson");
}

function parseFormat(text: string): BulkFormat | undefined {
  const format = formats.find((candidate) => candidate === text);
  if (!format && text !== "") throw new RangeError(text);
  return format;
}
