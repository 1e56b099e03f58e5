import { stringOrEmpty, type UserRecord } from "../record.ts";
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
  readonly customFields: CustomFieldsDraft;
}

export function toDraft(record: UserRecord): UserDraft {
  const customFields = new Map(record);
  customFields.delete("name");
  customFields.delete("email");
  return {
    name: stringOrEmpty(record.get("name")),
    email: stringOrEmpty(record.get("email")),
    customFields: toCustomFieldsDraft(customFields),
  };
}

/** The draft as a record. Undefined while a custom field is invalid. */
export function parseDraft({ name, email, customFields }: UserDraft): UserRecord | undefined {
  const parsed = parseCustomFields(customFields);
  if (!isValid(parsed)) return undefined;
  const address = email.trim();
  return new Map([
    ["name", name.trim()],
    ...(address === "" ? [] : [["email", address] as const]),
    ...parsed.fields,
  ]);
}

export function isSameDraft(a: UserDraft, b: UserDraft): boolean {
  return (
    a.name === b.name && a.email === b.email && fingerprint(a.customFields) === fingerprint(b.customFields)
  );
}
