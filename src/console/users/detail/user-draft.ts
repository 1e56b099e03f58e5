import type { Json } from "../../../client/index.ts";
import { isSameValue, stringOrEmpty, type UserRecord } from "../record.ts";
import {
  type CustomFieldsDraft,
  fingerprint,
  isValid,
  parseCustomFields,
  toCustomFieldsDraft,
} from "./custom-fields-draft.ts";
import type { KindFacts } from "./record-kind.ts";

/** What a draft depends on. */
type DraftKind = Pick<KindFacts, "fields" | "formFields">;

/** A user or a group while it is edited. A group has only the name and custom fields. */
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

export function toDraft(record: UserRecord, { formFields }: DraftKind): UserDraft {
  const customFields = new Map(record);
  for (const field of formFields) customFields.delete(field);
  const read = (field: string) => (formFields.includes(field) ? record.get(field) : undefined);
  const active = read("active");
  return {
    name: stringOrEmpty(read("name")),
    email: stringOrEmpty(read("email")),
    userName: stringOrEmpty(read("userName")),
    storedUserName: stringOrEmpty(read("userName")),
    active: typeof active === "boolean" ? active : undefined,
    customFields: toCustomFieldsDraft(customFields),
    scim: read("scim"),
  };
}

/** The draft as a record. Undefined while a custom field is invalid. */
export function parseDraft(draft: UserDraft, { fields }: DraftKind): UserRecord | undefined {
  const { name, email, active, customFields, scim } = draft;
  const parsed = parseCustomFields(customFields, fields);
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

export function isSameDraft(a: UserDraft, b: UserDraft, { fields }: DraftKind): boolean {
  return (
    a.name === b.name &&
    a.email === b.email &&
    a.userName === b.userName &&
    a.active === b.active &&
    isSameValue(a.scim, b.scim) &&
    fingerprint(a.customFields, fields) === fingerprint(b.customFields, fields)
  );
}
