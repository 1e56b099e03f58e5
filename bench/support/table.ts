/** A row of text, one cell a column; the first row is the heading. */
export type Row = readonly string[];

/** One JSON object for programs, or an aligned table for people. */
export function print(json: boolean, figures: object, rows: readonly Row[]): void {
  console.log(json ? JSON.stringify(figures) : table(rows));
}

/** Words to the left, figures to the right. */
export function table(rows: readonly Row[]): string {
  const [heading = [], ...body] = rows;
  const columns = heading.map((title, column) => {
    const cells = body.map((row) => row[column] ?? "");
    const width = Math.max(...[title, ...cells].map((cell) => cell.length));
    const figures = cells.every((cell) => cell === "" || /^[≤≥<]? ?[\d.,]/.test(cell));
    return (cell: string) => (figures ? cell.padStart(width) : cell.padEnd(width));
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

/** Whether a bar is met, as the tables say it. */
export function verdict(met: boolean): string {
  return met ? "met" : "MISSED";
}
