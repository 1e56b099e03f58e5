import type { Json } from "../../../client/index.ts";
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
  /** Undefined: the user has no value, which means active. */
  readonly active: boolean | undefined;
  readonly customFields: CustomFieldsDraft;
}

export function toDraft(record: UserRecord): UserDraft {
  const customFields = new Map(record);
  customFields.delete("name");
  customFields.delete("email");
  customFields.delete("active");
  const active = record.get("active");
  return {
    name: stringOrEmpty(record.get("name")),
    email: stringOrEmpty(record.get("email")),
    active: typeof active === "boolean" ? active : undefined,
    customFields: toCustomFieldsDraft(customFields),
  };
}

/** The draft as a record. Undefined while a custom field is invalid. */
export function parseDraft({ name, email, active, customFields }: UserDraft): UserRecord | undefined {
  const parsed = parseCustomFields(customFields);
  if (!isValid(parsed)) return undefined;
  const address = email.trim();
  return new Map<string, Json>([
    ["name", name.trim()],
    ...(address === "" ? [] : [["email", address] as const]),
    ...(active === undefined ? [] : [["active", active] as const]),
    ...parsed.fields,
  ]);
}

export function isSameDraft(a: UserDraft, b: UserDraft): boolean {
  return (
    a.name === b.name &&
    a.email === b.email &&
    a.active === b.active &&
    fingerprint(a.customFields) === fingerprint(b.customFields)
  );
}
