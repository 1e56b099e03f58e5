import type { ImportedLine } from "../../client/index.ts";

/** The records that an import created or found, by their lines. */
export class ResultIds {
  /** 0 for a record without a known id. */
  readonly #ids: number[] = [];

  /** Passes the results on. A repeated import begins with the same results. */
  async *watch(results: AsyncIterable<ImportedLine>): AsyncGenerator<ImportedLine, void> {
    for await (const result of results) {
      if (!result.problem) this.#ids[result.line] = result.id ?? 0;
      yield result;
    }
  }

  /** Whether the line did not fail. */
  has(line: number): boolean {
    return this.#ids[line] !== undefined;
  }

  /** Undefined for a record that a dry run would create, and one that the caller must not read. */
  idOf(line: number): number | undefined {
    return this.#ids[line] || undefined;
  }
}
