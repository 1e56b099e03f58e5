import { type UniqueValue, USER_NAME } from "../schema/unique-values.ts";
import type { UserRow } from "../writes/write-transaction.ts";
import type { prepareWrites } from "./write-statements.ts";

type Statements = Pick<ReturnType<typeof prepareWrites>, "names" | "uniqueValues">;

/** The tables that say which user has which user name, and which value of a unique field. */
export class UserClaims {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
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
}
