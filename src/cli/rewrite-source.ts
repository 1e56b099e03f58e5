import { ConfigError } from "../config/config.ts";
import { detectDelimiter } from "../contract/bulk/csv.ts";

/** How to rewrite the source of an import. */
export interface SourceRewrite {
  /** New names of columns or fields, by their old names. */
  readonly names: ReadonlyMap<string, string>;
  /** CSV columns, by their new names, whose cells are text even if they are valid JSON, such as a number. */
  readonly textColumns: readonly string[];
}

const QUOTE = '"';

/** Rewrites a CSV. Every row keeps its line number. Throws a `ConfigError` for a column that does not exist. */
export async function* rewriteCsv(
  source: AsyncIterable<Uint8Array>,
  rewrite: SourceRewrite,
): AsyncGenerator<string, void> {
  const rewriter = new CsvRewriter(rewrite);
  const decoder = new TextDecoder();
  for await (const bytes of source) yield rewriter.add(decoder.decode(bytes, { stream: true }));
  yield rewriter.add(decoder.decode()) + rewriter.end();
}

class CsvRewriter {
  readonly #rewrite: SourceRewrite;
  /** The header row, until it is complete. */
  #header: string | undefined = "";
  #delimiter = ",";
  #textColumns = new Set<number>();
  #column = 0;
  #cell = "";
  #inQuotes = false;

  constructor(rewrite: SourceRewrite) {
    this.#rewrite = rewrite;
  }

  add(text: string): string {
    if (this.#header === undefined) return this.#rewriteRows(text);
    this.#header += text;
    const end = findRowEnd(this.#header);
    if (end === undefined) return "";
    const rest = this.#header.slice(end);
    return this.#rewriteHeader(this.#header.slice(0, end)) + this.#rewriteRows(rest);
  }

  end(): string {
    return this.#header === undefined ? this.#takeCell() : this.#rewriteHeader(this.#header);
  }

  #rewriteHeader(header: string): string {
    this.#header = undefined;
    const { names, textColumns } = this.#rewrite;
    this.#delimiter = detectDelimiter(header);
    const columns = splitRow(header, this.#delimiter).map((cell) => unquote(cell.trim()).trim());
    const bare = columns.map((name) => name.replace(/^\uFEFF/, ""));
    for (const name of names.keys()) if (!bare.includes(name)) throw noColumn(name, bare);
    const renamed = bare.map((name) => names.get(name) ?? name);
    for (const name of textColumns) {
      const index = renamed.indexOf(name);
      if (index < 0) throw noColumn(name, renamed);
      this.#textColumns.add(index);
    }
    return renamed.map(quote).join(this.#delimiter) + (/[\r\n]+$/.exec(header)?.[0] ?? "");
  }

  #rewriteRows(text: string): string {
    if (this.#textColumns.size === 0) return text;
    let rewritten = "";
    for (const character of text) {
      if (character === QUOTE) this.#inQuotes = !this.#inQuotes;
      const isEnd =
        !this.#inQuotes && (character === this.#delimiter || character === "\n" || character === "\r");
      if (!isEnd) {
        this.#cell += character;
        continue;
      }
      rewritten += this.#takeCell() + character;
      this.#column = character === this.#delimiter ? this.#column + 1 : 0;
    }
    return rewritten;
  }

  #takeCell(): string {
    const cell = this.#cell;
    this.#cell = "";
    if (!this.#textColumns.has(this.#column)) return cell;
    const text = unquote(cell);
    // A line break in JSON would be escaped, and change the line numbers. Such a cell is text anyway.
    return text === "" || /[\r\n]/.test(text) ? cell : quote(JSON.stringify(text));
  }
}

/** Rewrites NDJSON: renames the fields of each line. Numbers and the order of fields stay as they are. */
export async function* rewriteNdjson(
  source: AsyncIterable<Uint8Array>,
  { names }: SourceRewrite,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of source) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (lines.length > 0) yield `${lines.map((line) => renameFields(line, names)).join("\n")}\n`;
  }
  yield renameFields(rest + decoder.decode(), names);
}

/** A string, or a character that opens or closes an object or an array. */
const JSON_PART = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g;

function renameFields(line: string, names: ReadonlyMap<string, string>): string {
  let depth = 0;
  return line.replace(JSON_PART, (part: string, colon: string | undefined) => {
    if (part === "{" || part === "[") depth++;
    else if (part === "}" || part === "]") depth--;
    if (depth !== 1 || colon === undefined) return part;
    const name = names.get(part.slice(1, part.lastIndexOf(QUOTE)));
    return name === undefined ? part : JSON.stringify(name) + colon;
  });
}

/** The index after the first line break outside quotes. */
function findRowEnd(text: string): number | undefined {
  let inQuotes = false;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === QUOTE) inQuotes = !inQuotes;
    else if (text[index] === "\n" && !inQuotes) return index + 1;
  }
  return undefined;
}

function splitRow(row: string, delimiter: string): string[] {
  const cells = [""];
  let inQuotes = false;
  for (const character of row) {
    if (character === QUOTE) inQuotes = !inQuotes;
    if (character === delimiter && !inQuotes) cells.push("");
    else cells.push((cells.pop() ?? "") + character);
  }
  return cells;
}

function unquote(cell: string): string {
  return cell.startsWith(QUOTE) && cell.endsWith(QUOTE) && cell.length > 1
    ? cell.slice(1, -1).replaceAll('""', QUOTE)
    : cell;
}

function quote(text: string): string {
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll(QUOTE, '""')}"` : text;
}

function noColumn(name: string, columns: readonly string[]): ConfigError {
  return new ConfigError(`The file has no column ${name}. Its columns are ${columns.join(", ")}.`);
}
