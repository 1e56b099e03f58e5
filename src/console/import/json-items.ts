import { JsonStructure } from "../../contract/json-structure.ts";
import { FileError, type TextFile } from "./file-text.ts";
import type { Batch, Row } from "./source.ts";

/** Reads the items of a JSON array, or objects one after the other, each over any number of lines. */
export async function* readJsonItems(file: TextFile, maxCharacters: number): AsyncGenerator<Batch, void> {
  const scanner = new ItemScanner();
  for await (const { text, bytes } of file.read()) {
    yield { rows: scanner.add(text), bytes };
    if (scanner.isBroken || scanner.openCharacters > maxCharacters) {
      throw new FileError("json", scanner.count + 1);
    }
  }
  if (!scanner.isClosed) throw new FileError("json", scanner.count + 1);
}

/** Finds where items end by brackets and quotes. Whether an item is valid JSON is checked later. */
class ItemScanner {
  /** Number of items so far. */
  count = 0;
  /** Text between items that is not JSON. */
  isBroken = false;
  /** Text of the current item. */
  #open = "";
  readonly #json = new JsonStructure();
  /** The depth between items: 1 in an array, 0 without one. Undefined before the first bracket. */
  #base: 0 | 1 | undefined;
  #isArrayClosed = false;

  get openCharacters(): number {
    return this.#open.length;
  }

  get isClosed(): boolean {
    return this.#json.depth === 0 && !this.#json.inString && this.#open.trim() === "";
  }

  /** The items that this text completes. */
  add(text: string): Row[] {
    const rows: Row[] = [];
    let start = 0;
    const cut = (end: number) => {
      const item = (this.#open + text.slice(start, end)).trim();
      this.#open = "";
      if (item !== "") rows.push({ number: ++this.count, cells: [toOneLine(item)] });
    };
    for (let at = 0; at < text.length && !this.isBroken; at++) {
      const json = this.#json;
      const character = text[at] ?? "";
      const isBetween = !json.inString && json.depth === this.#base;
      if (this.#isArrayClosed || (this.#base === 0 && isBetween && character !== "{")) {
        this.isBroken = character.trim() !== "";
        continue;
      }
      json.read(character.charCodeAt(0));
      if (this.#base === undefined && json.depth === 1) {
        this.#base = character === "[" ? 1 : 0;
        start = at + this.#base;
      } else if (json.depth === 0 && this.#base !== undefined) {
        cut(at + 1 - this.#base);
        start = at + 1;
        this.#isArrayClosed = this.#base === 1;
      } else if (character === "," && isBetween) {
        cut(at);
        start = at + 1;
      }
    }
    this.#open += text.slice(start);
    return rows;
  }
}

/** NDJSON has no line breaks in items. Valid JSON has them only between its values. */
function toOneLine(item: string): string {
  if (!/[\r\n]/.test(item)) return item;
  try {
    JSON.parse(item);
    return item.replace(/\s*[\r\n]\s*/g, " ");
  } catch {
    return item;
  }
}
