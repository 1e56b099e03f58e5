import type { Statement } from "bun:sqlite";
import type { RecordTerms } from "../../domain/records/record.ts";
import { searchText } from "../lists/search-text.ts";
import { valuesNotIn } from "../writes/write-transaction.ts";

/** Pages of the search index that a batch merges, at least and for each indexed record. Each record is merged about seven times. */
const MERGED_PAGES = 64;
const MERGED_PAGES_PER_RECORD = 0.5;

type ValueStatement = Statement<void, [field: string, value: string, id: number, exact: string]>;

/** The statements on the tables of values and of search texts of one kind of record. */
export interface IndexStatements {
  readonly values: { readonly insert: ValueStatement; readonly remove: ValueStatement };
  readonly search: {
    readonly insert: Statement<void, [id: number, text: string]>;
    readonly remove: Statement<void, [id: number]>;
    readonly merge: Statement<void, [pages: number]>;
  };
}

/** The tables that find records of one kind by words, and by the values of custom fields. */
export class RecordIndexes {
  readonly #statements: IndexStatements;
  /** Records that the transaction has added to the search index. */
  #searchable = 0;

  constructor(statements: IndexStatements) {
    this.#statements = statements;
  }

  beginTransaction(): void {
    this.#searchable = 0;
  }

  add(id: number, terms: RecordTerms): void {
    this.#addValues(id, terms.values);
    this.#addText(id, searchText(terms));
  }

  update(id: number, before: RecordTerms, after: RecordTerms): void {
    this.#removeValues(id, valuesNotIn(before, after));
    this.#addValues(id, valuesNotIn(after, before));
    const text = searchText(after);
    if (text === searchText(before)) return;
    this.#statements.search.remove.run(id);
    this.#addText(id, text);
  }

  remove(id: number, terms: RecordTerms): void {
    this.#statements.search.remove.run(id);
    this.#removeValues(id, terms.values);
  }

  /** Merges parts of the search index, as many as the transaction has added to it. */
  merge(): void {
    if (this.#searchable === 0) return;
    this.#statements.search.merge.run(MERGED_PAGES + Math.floor(this.#searchable * MERGED_PAGES_PER_RECORD));
  }

  #addText(id: number, text: string): void {
    this.#statements.search.insert.run(id, text);
    this.#searchable++;
  }

  #addValues(id: number, values: RecordTerms["values"]): void {
    for (const { field, value, exact } of values) this.#statements.values.insert.run(field, value, id, exact);
  }

  #removeValues(id: number, values: RecordTerms["values"]): void {
    for (const { field, value, exact } of values) this.#statements.values.remove.run(field, value, id, exact);
  }
}
