/** The separators that imports know, the usual one first. */
export const csvDelimiters = [",", ";", "\t"] as const;

/** A longer row has an opening quote that is never closed. The rows after it cannot be found. */
export const MAX_CSV_ROW = 262_144;

/** The delimiter that is most frequent in the header, outside of quotes. */
export function detectDelimiter(header: string): string {
  const unquoted = header.replace(/"[^"]*"/g, "");
  const counts = csvDelimiters.map((delimiter) => unquoted.split(delimiter).length);
  return csvDelimiters[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** The names in a header without the empty columns that spreadsheets write at its end. */
export function dropTrailingEmpty(names: readonly string[]): readonly string[] {
  return names.slice(0, names.findLastIndex((name) => name.trim() !== "") + 1);
}
