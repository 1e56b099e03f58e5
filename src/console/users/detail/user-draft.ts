import type { Json } from "../../../client/index.ts";
import { isSameValue, stringOrEmpty, type UserRecord } from "../record.ts";
import {
  type CustomFieldsDraft,
  fingerprint,
  isValid,
  parseCustomFields,
  toCustomFieldsDraft,
} from "./custom-fields-draft.ts";

/** A user while it is edited. */
export interface UserDraft {
  readonly name: string;
  readonly email: string;
  readonly userName: string;
  /** The user name as it is stored: the service keeps spaces around it, and typed ones are mistakes. */
  readonly storedUserName: string;
  /** Undefined: the user has no value, which means active. */
  readonly active: boolean | undefined;
  readonly customFields: CustomFieldsDraft;
  /** Programs keep it: nobody edits it here. */
  readonly scim: Json | undefined;
}

export function toDraft(record: UserRecord): UserDraft {
  const customFields = new Map(record);
  for (const field of ["name", "email", "userName", "active", "scim"]) customFields.delete(field);
  const active = record.get("active");
  return {
    name: stringOrEmpty(record.get("name")),
    email: stringOrEmpty(record.get("email")),
    userName: stringOrEmpty(record.get("userName")),
    storedUserName: stringOrEmpty(record.get("userName")),
    active: typeof active === "boolean" ? active : undefined,
    customFields: toCustomFieldsDraft(customFields),
    scim: record.get("scim"),
  };
}

/** The draft as a record. Undefined while a custom field is invalid. */
export function parseDraft(draft: UserDraft): UserRecord | undefined {
  const { name, email, active, customFields, scim } = draft;
  const parsed = parseCustomFields(customFields);
  if (!isValid(parsed)) return undefined;
  const address = email.trim();
  const userName = draft.userName === draft.storedUserName ? draft.userName : draft.userName.trim();
  return new Map<string, Json>([
    ["name", name.trim()],
    ...(address === "" ? [] : [["email", address] as const]),
    ...(userName === "" ? [] : [["userName", userName] as const]),
    ...(active === undefined ? [] : [["active", active] as const]),
    ...parsed.fields,
    ...(scim === undefined ? [] : [["scim", scim] as const]),
  ]);
}

export function isSameDraft(a: UserDraft, b: UserDraft): boolean {
  return (
    a.name === b.name &&
    a.email === b.email &&
    a.userName === b.userName &&
    a.active === b.active &&
    isSameValue(a.scim, b.scim) &&
    fingerprint(a.customFields) === fingerprint(b.customFields)
  );
}
