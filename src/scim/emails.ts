import { isObject, type Json, type JsonObject } from "../contract/json.ts";
import { foldEmail } from "../domain/fold.ts";
import { findEmailError } from "../domain/users/check-user.ts";
import { belongsToEmail } from "../domain/users/email-entries.ts";
import { coreAttribute } from "./attribute-names.ts";
import { userKind } from "./attributes.ts";
import { fitValue } from "./fit-value.ts";

/** What the field `email` alone means. Exactly this is not stored. */
const WORK = { type: "work", primary: true } as const;

const attribute = coreAttribute(userKind, "emails");

/** How SCIM shows the emails of a user. */
export interface ShownEmails {
  /** Undefined for none. */
  readonly emails: Json | undefined;
  /** The value of the field `emails`, if it is not a list of emails. */
  readonly misfit?: Json;
}

export function showEmails(user: JsonObject): ShownEmails {
  const email = typeof user.email === "string" ? user.email : undefined;
  const alone = email === undefined ? undefined : [{ value: email, ...WORK }];
  const { emails: stored } = user;
  if (stored === undefined) return { emails: alone };
  const main = Array.isArray(stored) ? stored.findIndex(belongsToEmail) : -1;
  const entries = fitValue(attribute, main < 0 ? stored : fillMain(stored, main, email), "record");
  if (entries === undefined) return { emails: alone };
  if (!Array.isArray(entries) || !entries.every(hasValue)) return { emails: alone, misfit: stored };
  return { emails: email === undefined || main >= 0 ? entries : addEmail(entries, email) };
}

/** The entries with the email in the main one, or without the main one if there is no email. */
function fillMain(stored: Json, main: number, email: string | undefined): Json {
  if (!Array.isArray(stored)) return stored;
  const entry = stored[main];
  if (email === undefined) return stored.toSpliced(main, 1);
  return stored.with(main, { value: email, ...(isObject(entry) && entry) });
}

/** An email that no entry has is an entry of its own. */
function addEmail(entries: Json[], email: string): Json[] {
  if (entries.some((entry) => isObject(entry) && isSameEmail(entry.value, email))) return entries;
  const { type, primary } = WORK;
  const hasPrimary = entries.some((entry) => isObject(entry) && entry.primary === true);
  return [{ value: email, type, ...(!hasPrimary && { primary }) }, ...entries];
}

function hasValue(entry: Json): boolean {
  return isObject(entry) && typeof entry.value === "string" && entry.value !== "";
}

function isSameEmail(value: Json | undefined, email: string): boolean {
  return typeof value === "string" && (value === email || foldEmail(value) === foldEmail(email));
}

/** How the emails of a document are stored. */
export interface StoredEmails {
  /** The value of the main entry, if it is a valid address. */
  readonly email: string | undefined;
  /** The entries, the main one without the value that `email` holds. */
  readonly emails: Json | undefined;
  /** The entries, for a user that cannot have the email. */
  readonly whole: Json | undefined;
}

export function storeEmails(shown: Json | undefined): StoredEmails {
  const all = Array.isArray(shown) ? shown.filter(isObject) : [];
  const entries = all.filter(hasValue);
  const main = findMain(entries);
  if (!main) return { email: undefined, emails: undefined, whole: undefined };
  const { value: email, ...facts } = main;
  if (typeof email !== "string" || findEmailError(email) !== undefined) {
    return { email: undefined, emails: entries, whole: entries };
  }
  if (entries.length === 1 && isWork(facts)) return { email, emails: undefined, whole: entries };
  const emails = belongsToEmail(facts) ? entries.with(entries.indexOf(main), facts) : entries;
  return { email, emails, whole: entries };
}

/** The primary entry, else the first of type `work`, else the first. */
function findMain(entries: readonly JsonObject[]): JsonObject | undefined {
  return (
    entries.find(({ primary }) => primary === true) ??
    entries.find(({ type }) => typeof type === "string" && type.toLowerCase() === WORK.type) ??
    entries[0]
  );
}

function isWork(facts: JsonObject): boolean {
  return facts.type === WORK.type && facts.primary === WORK.primary && Object.keys(facts).length === 2;
}
