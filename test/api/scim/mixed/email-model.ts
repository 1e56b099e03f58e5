import { isDeepStrictEqual } from "node:util";
import { isObject, type Json, type JsonObject } from "../../../../src/contract/json.ts";

const WORK = { type: "work", primary: true };

/** The emails that SCIM shows of a user with these fields `email` and `emails`. Undefined for none. */
export function showEmails(email: Json | undefined, stored: Json | undefined): JsonObject[] | undefined {
  const alone = email === undefined ? undefined : [{ value: email, ...WORK }];
  const entries = toEntries(stored);
  const main = entries.findIndex(({ value }) => value === undefined);
  const shown =
    email === undefined
      ? entries
      : entries.map((entry, index) => (index === main ? { value: email, ...entry } : entry));
  if (shown.length === 0) return alone;
  const isKnown = main >= 0 || email === undefined || shown.some(({ value }) => isSameText(value, email));
  if (isKnown) return mergeEntries(shown);
  const hasPrimary = shown.some(({ primary }) => primary === true);
  return [{ value: email, type: "work", ...(!hasPrimary && { primary: true }) }, ...shown];
}

interface StoredEmails {
  /** Of the main entry: the primary one, else the first of type work, else the first. */
  readonly email: Json | undefined;
  /** The entries, the main one without its value. */
  readonly kept: Json | undefined;
  /** The entries as they were sent. */
  readonly whole: Json | undefined;
}

/** How the emails are stored if another user has the main one, and if not. */
export function storeEmails(emails: Json | undefined): StoredEmails {
  const entries = toEntries(emails);
  const main =
    entries.find(({ primary }) => primary === true) ??
    entries.find(({ type }) => type === "work") ??
    entries[0];
  if (!main) return { email: undefined, kept: undefined, whole: undefined };
  const { value: email, ...facts } = main;
  const isPlain = entries.length === 1 && isDeepStrictEqual(facts, WORK);
  const kept = isPlain ? undefined : entries.map((entry) => (entry === main ? facts : entry));
  return { email, kept, whole: entries };
}

/** The emails with another entry. One of the same type and value is the same one. A new primary one is the only one. */
export function addEmail(emails: Json | undefined, added: JsonObject): JsonObject[] {
  const entries = toEntries(emails);
  const isNew = !entries.some((entry) => isDeepStrictEqual(entry, added));
  const others = entries.map((entry) =>
    isNew && added.primary === true && entry.primary === true ? { ...entry, primary: false } : entry,
  );
  return mergeEntries([...others, added]);
}

/** The emails with another address of type work: that of each such entry, or a new one. */
export function setWorkEmail(emails: Json | undefined, value: Json): JsonObject[] {
  const entries = toEntries(emails);
  if (!entries.some(isWork)) return [...entries, { type: "work", value }];
  return mergeEntries(entries.map((entry) => (isWork(entry) ? { ...entry, value } : entry)));
}

function isWork({ type }: JsonObject): boolean {
  return type === "work";
}

function mergeEntries(entries: readonly JsonObject[]): JsonObject[] {
  const merged: JsonObject[] = [];
  for (const entry of entries) {
    const index = merged.findIndex(
      ({ value, type }) => isSameText(value, entry.value) && type === entry.type,
    );
    if (index < 0) merged.push(entry);
    else merged[index] = { ...merged[index], ...entry };
  }
  return merged;
}

function toEntries(emails: Json | undefined): JsonObject[] {
  return Array.isArray(emails) ? emails.filter(isObject) : [];
}

function isSameText(one: Json | undefined, other: Json | undefined): boolean {
  return String(one).toLowerCase() === String(other).toLowerCase();
}
