import type { CountedFieldValue, CustomField, FieldValue } from "../../contract/users/field-schemas.ts";
import { isStoredAsCustom } from "../../contract/users/user-fields.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { ProblemError } from "../problem-error.ts";
import type { UserStore } from "./user-store.ts";

type FieldStore = Pick<UserStore, "listFields" | "listFieldValues" | "countFieldValues">;

/** What callers can do with custom fields. */
export class Fields {
  readonly #store: FieldStore;

  constructor(store: FieldStore) {
    this.#store = store;
  }

  /** `owner` is the key or the address of the caller. */
  list(owner: string): MaybePromise<CustomField[]> {
    return this.#store.listFields(owner);
  }

  /** Throws `field-not-found` for a field that every user has. */
  listValues(name: string, prefix: string, owner: string): MaybePromise<FieldValue[]> {
    requireCustomField(name);
    return this.#store.listFieldValues(name, prefix, owner);
  }

  /** The same values, each with the number of users who have it. Throws `field-not-found` too. */
  countValues(name: string, prefix: string, owner: string): MaybePromise<CountedFieldValue[]> {
    requireCustomField(name);
    return this.#store.countFieldValues(name, prefix, owner);
  }
}

function requireCustomField(name: string): void {
  if (isStoredAsCustom(name)) return;
  throw new ProblemError("field-not-found", `${name} is not a custom field. Search users with q instead.`);
}
