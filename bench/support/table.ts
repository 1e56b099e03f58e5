/** The cells of one row. */
export type Row = readonly string[];

/** Prints one JSON object, or an aligned table whose first row is the heading. */
export function print(json: boolean, figures: object, rows: readonly Row[]): void {
  console.log(json ? JSON.stringify(figures) : table(rows));
}

/** Aligns text to the left and numbers to the right. */
export function table(rows: readonly Row[]): string {
  const [heading = [], ...body] = rows;
  const columns = heading.map((title, column) => {
    const cells = body.map((row) => row[column] ?? "");
    const width = Math.max(...[title, ...cells].map((cell) => cell.length));
    const numeric = cells.every((cell) => cell === "" || /^[≤≥<]? ?[\d.,]/.test(cell));
    return (cell: string) => (numeric ? cell.padStart(width) : cell.padEnd(width));
  });
  return rows
    .map((row) =>
      columns
        .map((pad, column) => pad(row[column] ?? ""))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A table in Markdown: text in the first column, numbers in the others. */
export function markdownTable([heading = [], ...rows]: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.join(" | ")} |`;
  return [
    line(heading),
    `|${heading.map((_, column) => (column === 0 ? "---|" : "---:|")).join("")}`,
    ...rows.map(line),
  ].join("\n");
}

export function verdict(met: boolean): string {
  return met ? "met" : "MISSED";
}
