import type { BulkFormat } from "../../client/index.ts";
import type { Flag } from "../../config/flag.ts";

const formats: readonly BulkFormat[] = ["ndjson", "csv"];

/** The form that many users are in; by the name of the file, if nothing is said. */
export const formatFlag = {
  flag: "format",
  default: "",
  takes: formats.join(", "),
  choices: formats,
  about: "csv: a table; ndjson: JSON, one a line. By the name of the file, else ndjson.",
  parse: parseFormat,
} as const satisfies Flag<BulkFormat | undefined>;

export function resolveFormat(path: string, said: BulkFormat | undefined): BulkFormat {
  return said ?? (/\.(csv|tsv)$/i.test(path) ? "csv" : "ndjson");
}

function parseFormat(text: string): BulkFormat | undefined {
  const format = formats.find((each) => each === text);
  if (!format && text !== "") throw new RangeError(text);
  return format;
}
