import type { CustomField, FieldValue } from "../contract/field-schemas.ts";
import { FIELD_NAME_PATTERN, managedFields } from "../contract/user.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import { ProblemError } from "./problem-error.ts";
import type { Store } from "./store.ts";

const fieldName = new RegExp(FIELD_NAME_PATTERN);
const otherFields = new Set<string>(["name", "email", ...managedFields]);

/** What callers can do with custom fields. */
export class Fields {
  constructor(readonly store: Pick<Store, "listFields" | "listFieldValues">) {}

  /** `owner` is the key or the address of the caller. */
  list(owner: string): MaybePromise<CustomField[]> {
    return this.store.listFields(owner);
  }

  /** Throws `field-not-found` for a name that no custom field can have. */
  listValues(name: string, prefix: string, owner: string): MaybePromise<FieldValue[]> {
    if (otherFields.has(name)) {
      throw new ProblemError(
        "field-not-found",
        `${name} is not a custom field. Search users with q instead.`,
      );
    }
    if (!fieldName.test(name)) {
      throw new ProblemError("field-not-found", "This is not a valid name of a custom field.");
    }
    return this.store.listFieldValues(name, prefix, owner);
  }
}
