import { isDeepStrictEqual } from "node:util";
import { isObject, type Json, type JsonObject } from "../../../../src/contract/json.ts";
import type { ScimUserBody, UserOperation } from "./changes.ts";
import { addEmail, setWorkEmail, showEmails, storeEmails } from "./email-model.ts";

/** Without members that are null or undefined. */
export function compact(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    if (value !== undefined && value !== null) kept[name] = value;
  }
  return kept;
}

/** What SCIM shows of a record, with the parts of the name and custom fields at the top. */
export function showUser(id: number, record: JsonObject): JsonObject {
  const { name = "", scim, userName, email, emails, active, ...fields } = record;
  const shown = compact({
    id,
    ...fields,
    userName: userName ?? email ?? `roster-${id}`,
    active: active !== false,
    emails: showEmails(email, emails),
  });
  // If the API changes a part of the name, the name stays, and SCIM shows it until it is that of the parts again.
  const follows = isObject(scim) && name === deriveName(shown);
  return follows ? shown : { ...shown, displayName: name };
}

function deriveName({ givenName, familyName, userName }: JsonObject): string {
  const parts = [givenName, familyName].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(" ") : String(userName);
}

interface StoredUser {
  readonly record: JsonObject;
  /** If another user has the email. Undefined if the emails are those before. */
  readonly withoutEmail: JsonObject | undefined;
}

/** The record that a document asks for. `shown` is the document of the record before. */
export function storeUser(
  document: JsonObject,
  before: JsonObject | undefined,
  shown: JsonObject,
): StoredUser {
  const { id, displayName, userName, active, emails, ...fields } = document;
  const isOther = displayName !== undefined && displayName !== shown.displayName;
  const hasStandIn = before !== undefined && before.userName === undefined && userName === `roster-${id}`;
  const others = {
    ...fields,
    name: displayName ?? deriveName(document),
    userName: hasStandIn ? undefined : userName,
    active: active === true && before && before.active === undefined ? undefined : active,
    scim: displayName === undefined ? { displayName: null } : isOther ? undefined : before?.scim,
  };
  if (before && isDeepStrictEqual(emails, shown.emails)) {
    const { email, emails: kept } = before;
    return { record: compact({ ...others, email, emails: kept }), withoutEmail: undefined };
  }
  const { email, kept, whole } = storeEmails(emails);
  return {
    record: compact({ ...others, email, emails: kept }),
    withoutEmail: email === undefined ? undefined : compact({ ...others, emails: whole }),
  };
}

/** A user that loses its email loses the entry that belongs to it. */
export function dropMainEntry(before: JsonObject, after: JsonObject): JsonObject {
  const { emails, ...others } = after;
  if (before.email === undefined || after.email !== undefined || !Array.isArray(emails)) return after;
  const kept = emails.filter((entry) => isObject(entry) && entry.value !== undefined);
  return kept.length > 0 ? { ...others, emails: kept } : others;
}

/** What the body has replaces what the document has. */
export function applyScimBody(document: JsonObject, { name = {}, ...body }: ScimUserBody): JsonObject {
  return compact({ ...document, ...name, ...body });
}

export function applyOperation(document: JsonObject, { op, attribute, value }: UserOperation): JsonObject {
  if (attribute === "work") return { ...document, emails: setWorkEmail(document.emails, value) };
  if (attribute === "emails" && op === "add" && isObject(value)) {
    return { ...document, emails: addEmail(document.emails, value) };
  }
  const isRemoved = op === "remove" || (Array.isArray(value) && value.length === 0);
  return compact({ ...document, [attribute]: isRemoved ? undefined : value });
}
