const GAP = "  ";
/** A longer word may be broken, into parts of at least so much. */
const WORD = 13;
const PART = 8;

type Row = readonly string[];

/**
 * Rows under their head, none wider than the terminal: what is too long goes on below, in its own column. On a terminal
 * that is too narrow even so, each row becomes a list of its own. Spaces that are not to be broken at are written as
 * U+00A0. Columns in `right` are aligned there; `paintHead` may colour the lines of the head.
 */
export function formatTable(
  head: Row,
  rows: readonly Row[],
  terminal: number,
  right: readonly number[],
  paintHead: (line: string) => string = (line) => line,
): string {
  const widths = fittingWidths([head, ...rows], terminal);
  if (widths) {
    const top = formatRow(head, widths, right).replace(/.+/g, paintHead);
    return top + rows.map((row) => formatRow(row, widths, right)).join("");
  }
  const label = widest(head);
  const room = Math.max(WORD, terminal - label - GAP.length);
  return rows
    .map((row) => row.map((cell, place) => formatRow([head[place] ?? "", cell], [label, room], [])).join(""))
    .join("\n");
}

/** A paragraph of which no word is cut in two by the edge of the terminal. */
export function wrapText(text: string, terminal: number): string {
  return formatRow([text], [terminal], []);
}

/** The widest columns give way first, down to their longest words; undefined if that is not enough. */
function fittingWidths(rows: readonly Row[], terminal: number): number[] | undefined {
  const columns = (rows[0] ?? []).map((_, place) => rows.map((row) => row[place] ?? ""));
  const widths = columns.map(widest);
  const least = columns.map((cells) => {
    const word = widest(cells.flatMap((cell) => cell.split(" ")));
    return word > WORD ? PART : word;
  });
  const room = terminal - GAP.length * (widths.length - 1);
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, 0) - room;
    if (excess <= 0) return widths;
    const yielding = widths.map((width, place) => (width > (least[place] ?? 0) ? width : 0));
    const most = Math.max(...yielding);
    if (most === 0) return undefined;
    const place = yielding.lastIndexOf(most);
    // By as much as is too much, but not below the next that could give way, or below its longest word.
    const next = Math.max(0, ...yielding.filter((_, other) => other !== place));
    const width = Math.min(most - 1, Math.max(most - excess, next, least[place] ?? 0));
    widths[place] = widest((columns[place] ?? []).flatMap((cell) => wrap(cell, width)));
  }
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, Bun.stringWidth(text)), 0);
}

function formatRow(row: Row, widths: readonly number[], right: readonly number[]): string {
  const cells = row.map((cell, place) => wrap(cell, widths[place] ?? 0));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => {
    const parts = cells.map((lines, place) => {
      const text = lines[line] ?? "";
      const padding = " ".repeat(Math.max(0, (widths[place] ?? 0) - Bun.stringWidth(text)));
      return right.includes(place) ? padding + text : text + padding;
    });
    return `${parts.join(GAP).replaceAll("\u00a0", " ").trimEnd()}\n`;
  }).join("");
}

function wrap(text: string, width: number): string[] {
  if (Bun.stringWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((word) => breakWord(word, width))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (Bun.stringWidth(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

function breakWord(word: string, width: number): string[] {
  if (Bun.stringWidth(word) <= width) return [word];
  const parts: string[] = [];
  let part = "";
  for (const { segment } of characters.segment(word)) {
    if (part !== "" && Bun.stringWidth(part + segment) > width) {
      parts.push(part);
      part = "";
    }
    part += segment;
  }
  return [...parts, part];
}
