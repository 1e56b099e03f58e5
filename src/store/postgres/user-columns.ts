import type { ValueRow } from "../../domain/lists/value-index.ts";
import type { IndexTerms } from "../../domain/users/user.ts";
import { wordStartsText } from "../lists/search-text.ts";
import { type Column, Columns } from "../sql/json-statement.ts";
import { type SavedOutcome, userIdOf } from "../writes/stored-outcome.ts";
import type { DatedUser, DeletedUser, IndexedUser } from "../writes/write-transaction.ts";
import { searchKeys } from "./search-keys.ts";

/** A row of `user_values`: an indexed value of a custom field. */
export interface UserValue extends ValueRow {
  readonly userId: number;
}

const idColumn: Column<IndexedUser> = { name: "id", type: "bigint", value: ({ row }) => row.id };

const searchKeysColumn: Column<IndexedUser> = {
  name: "keys",
  type: "integer[]",
  value: ({ row, terms }) => `{${[...searchKeys(row.id, terms)].join()}}`,
};

/** The columns of `users` that an update writes. */
const changingColumns: readonly Column<IndexedUser>[] = [
  { name: "version", type: "bigint", value: ({ row }) => row.version },
  { name: "json", type: "text", value: ({ row }) => row.json },
  { name: "updated_at", type: "bigint", value: ({ row }) => row.updatedAt },
  { name: "changed_by", type: "bigint", value: ({ row }) => row.changedBy },
  { name: "name_fold", type: "text", value: ({ terms }) => terms.nameFold },
  {
    name: "name_key",
    type: "text",
    value: ({ terms }) => (terms.nameKey === terms.nameFold ? null : terms.nameKey),
  },
  { name: "email_fold", type: "text", value: ({ terms }) => terms.emailFold ?? null },
  { name: "email_key", type: "text", value: ({ terms }) => terms.emailKey ?? null },
  { name: "word_starts", type: "text", value: ({ terms }) => wordStartsText(terms) },
];

export const changedUserColumns = new Columns<IndexedUser>(changingColumns);
/** Every column of `users` except `created_at`. */
export const userColumns = new Columns<IndexedUser>([idColumn, ...changingColumns]);
/** Every column of `user_search`. */
export const searchColumns = new Columns<IndexedUser>([{ ...idColumn, name: "user_id" }, searchKeysColumn]);
/** Input of an insert into `users` and `user_search`. */
export const newUserColumns = new Columns<IndexedUser>([...userColumns.columns, searchKeysColumn]);
/** The same for users that were created earlier. */
export const earlierUserColumns = new Columns<DatedUser>([
  ...newUserColumns.columns,
  { name: "created_at", type: "bigint", value: ({ createdAt }) => createdAt },
]);

export const userValueColumns = new Columns<UserValue>([
  { name: "field", type: "text", value: ({ field }) => field },
  { name: "value", type: "text", value: ({ value }) => value },
  { name: "user_id", type: "bigint", value: ({ userId }) => userId },
  { name: "exact", type: "text", value: ({ exact }) => exact },
]);

export const outcomeColumns = new Columns<SavedOutcome>([
  { name: "caller", type: "text", value: ({ caller }) => caller },
  { name: "key", type: "text", value: ({ key }) => key },
  { name: "fingerprint", type: "text", value: ({ fingerprint }) => fingerprint },
  { name: "outcome", type: "text", value: ({ outcome }) => JSON.stringify(outcome) },
  { name: "expires_at", type: "bigint", value: ({ expiresAt }) => expiresAt },
  { name: "user_id", type: "bigint", value: userIdOf },
]);

export const deletedUserColumns = new Columns<DeletedUser>([
  { name: "id", type: "bigint", value: ({ id }) => id },
  { name: "version", type: "bigint", value: ({ version }) => version },
  { name: "json", type: "text", value: ({ json }) => json },
  { name: "deleted_at", type: "bigint", value: ({ deletedAt }) => deletedAt },
]);

export function toUserValues(userId: number, values: IndexTerms["values"]): UserValue[] {
  return values.map(({ field, value, exact }) => ({ field, value, userId, exact }));
}
