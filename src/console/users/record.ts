import { ApiError, type Json, type User, type UserInput, type UserPatch } from "../../client/index.ts";
import { managedFields } from "../../contract/user.ts";
import { isRefusal, roster } from "../api.ts";
import { type Fields, type Own, ownOf, readOwn, signatureOf } from "./own-values.ts";

/** A user as it is being typed. */
export interface Draft {
  readonly name: string;
  readonly email: string;
  readonly own: Own;
}

/** What came of saving. */
export type Outcome =
  | { readonly kind: "saved"; readonly user: User }
  /** Somebody else had changed it; nothing was saved. */
  | { readonly kind: "changed"; readonly theirs: User }
  | { readonly kind: "deleted" };

const managed = new Set<string>(managedFields);

/** What the caller decides about a user: name, email and own fields. A Map, since a field can be called like anything. */
export function recordOf(user: User | undefined): Fields {
  const record = new Map<string, Json>();
  for (const [field, value] of Object.entries(user ?? {})) {
    if (!managed.has(field) && value !== undefined) record.set(field, value);
  }
  return record;
}

export function draftOf(record: Fields): Draft {
  const own = new Map(record);
  own.delete("name");
  own.delete("email");
  return { name: textOf(record.get("name")), email: textOf(record.get("email")), own: ownOf(own) };
}

/** What the draft comes to; undefined as long as something is wrong with the own fields. */
export function readDraft({ name, email, own }: Draft): Fields | undefined {
  const { fields, rowFaults, jsonFault } = readOwn(own);
  if (rowFaults.size > 0 || jsonFault !== undefined) return undefined;
  const address = email.trim();
  return new Map([
    ["name", name.trim()],
    ...(address === "" ? [] : [["email", address] as const]),
    ...fields,
  ]);
}

export function isSameDraft(one: Draft, other: Draft): boolean {
  return (
    one.name === other.name && one.email === other.email && signatureOf(one.own) === signatureOf(other.own)
  );
}

/** The fields in which they differ, in the order of the first and then of the second. */
export function differences(one: Fields, other: Fields): string[] {
  const all = new Set([...one.keys(), ...other.keys()]);
  return [...all].filter((field) => !isSame(one.get(field), other.get(field)));
}

export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function createUser(record: Fields, idempotencyKey: string): Promise<User> {
  return roster.users.create(inputOf(record), { idempotencyKey });
}

/** Makes the user what the record says, if nobody has changed it since it was `base`. */
export async function saveUser(base: User, record: Fields): Promise<Outcome> {
  try {
    return { kind: "saved", user: await sendChanges(base, record) };
  } catch (error) {
    if (isRefusal(error, "user-not-found")) return { kind: "deleted" };
    if (!isRefusal(error, "version-mismatch")) throw error;
  }
  try {
    const theirs = await roster.users.get(base.id);
    // They did the same; or it was done before, and the answer was lost.
    const alike = differences(record, recordOf(theirs)).length === 0;
    return alike ? { kind: "saved", user: theirs } : { kind: "changed", theirs };
  } catch (error) {
    if (isRefusal(error, "user-not-found")) return { kind: "deleted" };
    throw error;
  }
}

/** Only what changed; all of it where a merge patch would not come to the same. */
function sendChanges(base: User, record: Fields): Promise<User> {
  const changed = differences(recordOf(base), record);
  if (changed.some((field) => isMerged(record.get(field)))) {
    return roster.users.replace(base.id, inputOf(record), { ifUnchanged: base });
  }
  const patch: UserPatch = Object.fromEntries(changed.map((field) => [field, record.get(field) ?? null]));
  return roster.users.update(base.id, patch, { ifUnchanged: base });
}

/** A patch takes null for "remove", and an object for "change these members". */
function isMerged(value: Json | undefined): boolean {
  return value !== undefined && typeof value === "object" && !Array.isArray(value);
}

function inputOf(record: Fields): UserInput {
  const { name, email, ...own } = Object.fromEntries(record);
  return { ...own, name: textOf(name), ...(email !== undefined && { email: textOf(email) }) };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Whether nobody can say if it was done: no answer came. */
export function isUncertain(error: unknown): boolean {
  return !(error instanceof ApiError);
}
