import { isObject, type Json, type JsonObject } from "../contract/json.ts";
import type { UserRecord } from "../contract/users/user.ts";
import { userFields } from "../contract/users/user-fields.ts";
import { standInName } from "../domain/users/stand-in-name.ts";
import { urns, userKind } from "./attributes.ts";
import { addSchemas, metaOf } from "./common-members.ts";
import { deriveName } from "./display-name.ts";
import { type StoredEmails, showEmails, storeEmails } from "./emails.ts";
import { showExtensions, storeScim } from "./extensions.ts";
import { type DocumentChange, FieldSlots } from "./field-slots.ts";
import { showManager, storeManager } from "./manager.ts";
import { isSameJson } from "./same-json.ts";
import { ScimError } from "./scim-error.ts";

const slots = new FieldSlots(userKind, Object.keys(userFields), ["emails"]);

/**
 * A user as SCIM shows it, without its groups. `user` is the JSON that the API returns, `locate` makes the URL of a path. Values
 * that are not changed are those of `user`: do not modify them.
 */
export function userDocument(user: JsonObject, locate: (path: string) => string): JsonObject {
  const id = String(user.id);
  const schemas: Json[] = [urns.user];
  const document: JsonObject = { schemas, id, userName: shownUserName(user), active: user.active !== false };
  const { emails, misfit } = showEmails(user);
  if (emails !== undefined) document.emails = emails;
  slots.show(user, document, misfit === undefined ? undefined : { emails: misfit });
  const enterprise = document[urns.enterpriseUser];
  if (isObject(enterprise) && enterprise.manager !== undefined) {
    enterprise.manager = showManager(enterprise.manager, locate);
  }
  showExtensions(userKind, user.scim, document);
  if (!(followsOthers(user.scim) && user.name === deriveName(document))) {
    document.displayName = user.name ?? null;
  }
  addSchemas(userKind, schemas, document);
  document.meta = metaOf(userKind, user, locate(`/Users/${id}`));
  return document;
}

/** The user name, or what stands for it: a form that no user name can have. */
function shownUserName({ id, userName, email }: JsonObject): string {
  if (typeof userName === "string") return userName;
  return typeof email === "string" ? email : standInName(Number(id));
}

/** Whether the user was sent without `displayName`, so that the name follows other attributes. */
function followsOthers(scim: Json | undefined): boolean {
  return isObject(scim) && scim.displayName === null;
}

/** The record that a document asks for. */
export interface UserChange {
  readonly record: UserRecord;
  /** The same if another user has the email. Undefined if the record has no email. */
  readonly withoutEmail: UserRecord | undefined;
}

/**
 * The record of a document. `before` is the user that the document was made of, as the API returns it; undefined for a new one.
 * `shown` is the document of `before`. What the document shows as before stays as it is stored. Fails with `invalidValue`.
 */
export function userRecord(
  document: JsonObject,
  before: JsonObject | undefined,
  shown = before ? userDocument(before, (path) => path) : {},
): UserChange {
  const change: DocumentChange = { document, before, shown };
  const { name, follows } = readName(change);
  const fields = slots.change(change);
  const { email, emails, whole } = readEmails(change, fields.emails);
  const record: UserRecord = Object.assign(fields, { name }, readUserName(change), readActive(change));
  const { manager } = record;
  if (manager !== undefined && manager !== before?.manager) record.manager = changeManager(manager, change);
  const scim = storeScim(userKind, change, readFacts(change, follows));
  if (scim) record.scim = scim;
  if (email !== undefined) record.email = email;
  setEmails(record, emails);
  return {
    record,
    get withoutEmail() {
      if (email === undefined) return undefined;
      const { email: _, ...others } = record;
      setEmails(others, whole);
      return others;
    },
  };
}

/** A manager who differs from the one before only in the URL that follows from the value stays as it is stored. */
function changeManager(manager: Json, { before, shown }: DocumentChange): Json {
  const next = storeManager(manager);
  const shownBefore = slots.read(shown, "manager");
  const isSame = shownBefore !== undefined && isSameJson(next, storeManager(shownBefore));
  return isSame ? (before?.manager ?? next) : next;
}

function setEmails(record: UserRecord, emails: Json | undefined): void {
  if (emails === undefined) delete record.emails;
  else record.emails = emails;
}

/** What stands for a user name is none. */
function readUserName({ document, before }: DocumentChange): { userName?: string } {
  const { userName } = document;
  if (typeof userName !== "string") throw new ScimError("invalidValue", "userName is required.");
  const isStandIn = before && before.userName === undefined && userName === standInName(Number(before.id));
  return isStandIn ? {} : { userName };
}

/** A user that has no `active` is active. */
function readActive({ document: { active }, before }: DocumentChange): { active?: Json } {
  const isKnown = before && before.active === undefined && active === true;
  return active === undefined || isKnown ? {} : { active };
}

/** The name, and whether it follows other attributes because there is no `displayName`. */
function readName({ document, before, shown }: DocumentChange): { name: string; follows: boolean } {
  const { displayName } = document;
  if (typeof displayName !== "string" || displayName.trim() === "") {
    return { name: deriveName(document), follows: true };
  }
  const isUnchanged = before !== undefined && displayName === shown.displayName;
  return { name: displayName, follows: isUnchanged && followsOthers(before.scim) };
}

/** What the field `scim` says besides extensions. */
function readFacts({ before }: DocumentChange, follows: boolean): JsonObject {
  const { displayName, extensions: _, ...others } = isObject(before?.scim) ? before.scim : {};
  if (follows) return { displayName: null, ...others };
  return displayName === undefined || displayName === null ? others : { displayName, ...others };
}

/** How the emails are stored, if another user has the address too. */
function readEmails({ document, before, shown }: DocumentChange, kept: Json | undefined): StoredEmails {
  const stored = storeEmails(document.emails);
  if (before && isSameJson(document.emails, shown.emails)) {
    const email = typeof before.email === "string" ? before.email : undefined;
    return { email, emails: kept, whole: stored.whole ?? kept };
  }
  return { ...stored, emails: stored.emails ?? slots.read(document, "emails") };
}
