/** A JSON array with one item per line; with `array` false, only the lines (NDJSON). */
export class JsonList {
  readonly #array: boolean;
  #started = false;

  constructor(array: boolean) {
    this.#array = array;
  }

  add(items: readonly unknown[]): string {
    const lines = items.map((item) => JSON.stringify(item));
    if (!this.#array) return lines.map((line) => `${line}\n`).join("");
    const before = this.#started ? ",\n" : "[\n";
    if (lines.length === 0) return "";
    this.#started = true;
    return before + lines.join(",\n");
  }

  end(): string {
    if (!this.#array) return "";
    return this.#started ? "\n]\n" : "[]\n";
  }
}

/** All items at once. */
export function formatJsonList(items: readonly unknown[], array: boolean): string {
  const list = new JsonList(array);
  return list.add(items) + list.end();
}
