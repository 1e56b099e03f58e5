const GAP = "  ";
/** Words longer than this may be broken, into parts of at least `MIN_PART`. */
const MAX_WORD = 13;
const MIN_PART = 8;

type Row = readonly string[];

/**
 * A table that fits the terminal: long cells are wrapped. On a terminal that is too narrow for all columns, each row becomes a
 * list. Write U+00A0 for a space that must not be broken. Columns in `right` are right-aligned; `paintHead` colours the head.
 */
export function formatTable(
  head: Row,
  rows: readonly Row[],
  terminal: number,
  right: readonly number[],
  paintHead?: (line: string) => string,
): string {
  return new Table(head, rows, terminal, right, paintHead).format(rows);
}

/** A table in several parts. The first rows decide how wide the columns are. */
export class Table {
  readonly #terminal: number;
  readonly #right: readonly number[];
  readonly #head: Row;
  readonly #widths: readonly number[] | undefined;
  /** The head if nothing has been formatted yet, then the line between two lists. */
  #before: string;

  constructor(
    head: Row,
    firstRows: readonly Row[],
    terminal: number,
    right: readonly number[],
    paintHead: (line: string) => string = (line) => line,
  ) {
    this.#terminal = terminal;
    this.#right = right;
    this.#head = head;
    this.#widths = fittingWidths([head, ...firstRows], terminal);
    this.#before = this.#widths ? formatRow(head, this.#widths, right).replace(/.+/g, paintHead) : "";
  }

  format(rows: readonly Row[]): string {
    const before = this.#before;
    const widths = this.#widths;
    this.#before = widths ? "" : "\n";
    if (widths) return before + rows.map((row) => formatRow(row, widths, this.#right)).join("");
    return before + rows.map((row) => this.#formatList(row)).join("\n");
  }

  #formatList(row: Row): string {
    const label = widest(this.#head);
    const room = Math.max(MAX_WORD, this.#terminal - label - GAP.length);
    return row.map((cell, column) => formatRow([this.#head[column] ?? "", cell], [label, room], [])).join("");
  }
}

/** Wraps a paragraph between words. A word that is too long stays in one piece, to be copied. */
export function wrapText(text: string, terminal: number): string {
  return `${wrap(text.split(" "), terminal).join("\n").replaceAll("\u00a0", " ")}\n`;
}

/** Narrows the widest columns first, down to their longest words. Undefined if the table still does not fit. */
function fittingWidths(rows: readonly Row[], terminal: number): number[] | undefined {
  const columns = (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ""));
  const widths = columns.map(widest);
  const least = columns.map((cells) => {
    const word = widest(cells.flatMap((cell) => cell.split(" ")));
    return word > MAX_WORD ? MIN_PART : word;
  });
  const room = terminal - GAP.length * (widths.length - 1);
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, 0) - room;
    if (excess <= 0) return widths;
    const shrinkable = widths.map((width, column) => (width > (least[column] ?? 0) ? width : 0));
    const most = Math.max(...shrinkable);
    if (most === 0) return undefined;
    const column = shrinkable.lastIndexOf(most);
    // Shrink by the excess, but not below the next shrinkable column or the longest word.
    const next = Math.max(0, ...shrinkable.filter((_, other) => other !== column));
    const width = Math.min(most - 1, Math.max(most - excess, next, least[column] ?? 0));
    widths[column] = widest((columns[column] ?? []).flatMap((cell) => wrapCell(cell, width)));
  }
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, Bun.stringWidth(text)), 0);
}

function formatRow(row: Row, widths: readonly number[], right: readonly number[]): string {
  const cells = row.map((cell, column) => wrapCell(cell, widths[column] ?? 0));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => {
    const parts = cells.map((lines, column) => {
      const text = lines[line] ?? "";
      const padding = " ".repeat(Math.max(0, (widths[column] ?? 0) - Bun.stringWidth(text)));
      return right.includes(column) ? padding + text : text + padding;
    });
    return `${parts.join(GAP).replaceAll("\u00a0", " ").trimEnd()}\n`;
  }).join("");
}

function wrapCell(text: string, width: number): string[] {
  if (Bun.stringWidth(text) <= width) return [text];
  return wrap(
    text.split(" ").flatMap((word) => breakWord(word, width)),
    width,
  );
}

/** Joins words into lines. A word that is too long gets its own line. */
function wrap([first = "", ...words]: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = first;
  for (const word of words) {
    const longer = `${line} ${word}`;
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
