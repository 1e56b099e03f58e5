import type { CustomField, FieldValue } from "../../contract/users/field-schemas.ts";
import { isStoredAsCustom } from "../../contract/users/user-fields.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { ProblemError } from "../problem-error.ts";
import type { UserStore } from "./user-store.ts";

/** What callers can do with custom fields. */
export class Fields {
  readonly #store: Pick<UserStore, "listFields" | "listFieldValues">;

  constructor(store: Pick<UserStore, "listFields" | "listFieldValues">) {
    this.#store = store;
  }

  /** `owner` is the key or the address of the caller. */
  list(owner: string): MaybePromise<CustomField[]> {
    return this.#store.listFields(owner);
  }

  /** Throws `field-not-found` for a field that every user has. */
  listValues(name: string, prefix: string, owner: string): MaybePromise<FieldValue[]> {
    if (!isStoredAsCustom(name)) {
      throw new ProblemError(
        "field-not-found",
        `${name} is not a custom field. Search users with q instead.`,
      );
    }
    return this.#store.listFieldValues(name, prefix, owner);
  }
}
