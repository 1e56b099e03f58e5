import type { BulkFormat } from "../../client/index.ts";
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

export function resolveFormat(path: string, format: BulkFormat | undefined): BulkFormat {
  return format ?? (/\.(csv|tsv)$/i.test(path) ? "csv" : "ndjson");
}

function parseFormat(text: string): BulkFormat | undefined {
  const format = formats.find((candidate) => candidate === text);
  if (!format && text !== "") throw new RangeError(text);
  return format;
}
