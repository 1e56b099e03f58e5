import type { IndexTerms } from "../../domain/users/user.ts";
import { searchText } from "../lists/search-text.ts";
import { type UniqueValue, USER_NAME } from "../schema/unique-values.ts";
import { type UserRow, valuesNotIn } from "../writes/write-transaction.ts";
import type { prepareWrites } from "./write-statements.ts";

/** Pages of the search index that a batch merges, at least and for each indexed user. Each user is merged about seven times. */
const MERGED_PAGES = 64;
const MERGED_PAGES_PER_USER = 0.5;

type Statements = Pick<ReturnType<typeof prepareWrites>, "search" | "values" | "names" | "uniqueValues">;

/** The tables that find users: by words, by the values of custom fields, and by unique values. */
export class UserIndexes {
  readonly #statements: Statements;
  /** Users that the transaction has added to the search index. */
  #searchable = 0;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  beginTransaction(): void {
    this.#searchable = 0;
  }

  add(id: number, terms: IndexTerms): void {
    this.#addValues(id, terms.values);
    this.#addText(id, searchText(terms));
  }

  update(id: number, before: IndexTerms, after: IndexTerms): void {
    this.#removeValues(id, valuesNotIn(before, after));
    this.#addValues(id, valuesNotIn(after, before));
    const text = searchText(after);
    if (text === searchText(before)) return;
    this.#statements.search.remove.run(id);
    this.#addText(id, text);
  }

  remove(id: number, terms: IndexTerms): void {
    this.#statements.search.remove.run(id);
    this.#removeValues(id, terms.values);
  }

  /** Claims all unique values and user names. If another user has one, it claims none and returns that one. */
  claim(row: UserRow, values: readonly UniqueValue[]): UniqueValue | undefined {
    const taken = values.findIndex(({ field, value }) =>
      field === USER_NAME
        ? !this.#claimName(row, value)
        : this.#statements.uniqueValues.insert.run(field, value, row.id).changes === 0,
    );
    if (taken < 0) return undefined;
    this.release(row.id, values.slice(0, taken));
    return values[taken];
  }

  release(id: number, values: readonly UniqueValue[]): void {
    const { names, uniqueValues } = this.#statements;
    for (const { field, value } of values) {
      if (field === USER_NAME) names.remove.run(value, id);
      else uniqueValues.remove.run(field, value, id);
    }
  }

  /**
   * Two statements: one INSERT … SELECT would keep a journal, with which FTS5 writes its index after each user. If the name is the
   * user's own email, the index of emails finds another user that has it.
   */
  #claimName({ id, userNameKey }: UserRow, name: string): boolean {
    const { names } = this.#statements;
    if (userNameKey !== null && names.findOtherWithoutRow.get(name, id)) return false;
    return names.insert.run(name, id).changes > 0;
  }

  /** Merges parts of the search index, as many as the transaction has added to it. */
  merge(): void {
    if (this.#searchable === 0) return;
    this.#statements.search.merge.run(MERGED_PAGES + Math.floor(this.#searchable * MERGED_PAGES_PER_USER));
  }

  #addText(id: number, text: string): void {
    this.#statements.search.insert.run(id, text);
    this.#searchable++;
  }

  #addValues(id: number, values: IndexTerms["values"]): void {
    for (const { field, value, exact } of values) this.#statements.values.insert.run(field, value, id, exact);
  }

  #removeValues(id: number, values: IndexTerms["values"]): void {
    for (const { field, value, exact } of values) this.#statements.values.remove.run(field, value, id, exact);
  }
}
