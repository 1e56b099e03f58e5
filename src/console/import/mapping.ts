import { MORE_COLUMN } from "../../contract/bulk/bulk.ts";
import { isCredentialField } from "../../contract/users/field-name.ts";
import { EMAIL_PATTERN } from "../../contract/users/user.ts";
import type { FieldSpec } from "../fields/field-spec.ts";
import { importing as texts } from "../texts/import.ts";
import type { ColumnType } from "./column-type.ts";
import { type CoreTarget, coreTargets, type ImportKind, kinds, type MatchTarget } from "./import-kinds.ts";

/** The field that a column of the file becomes. */
export type Target =
  | { readonly to: CoreTarget }
  /**
   * Without a type, values keep the types that they have in the file. With `omitsMisfits`, cells of another type count as empty.
   * Otherwise, their rows fail.
   */
  | {
      readonly to: "custom";
      readonly field: string;
      readonly type?: ColumnType | undefined;
      readonly omitsMisfits?: boolean;
    }
  | { readonly to: "skip" };

/** The extra column in a download of failed rows. */
export const PROBLEM_COLUMN = "problem";

const MAX_NAME_CHARACTERS = 64;
const emailPattern = new RegExp(EMAIL_PATTERN);

const fullNameHeaders = new Set(["name", "fullname", "displayname"]);
const firstNames = new Set(["firstname", "givenname", "forename"]);
const lastNames = new Set(["lastname", "surname", "familyname"]);
const emails = new Set(["email", "emailaddress", "mail", "mailaddress"]);
const userNames = new Set(["username", "login", "loginname"]);
const groupHeaders = new Set(["groupname", "groupid", "displayname", "team", "department"]);
const userHeaders = new Set(["userid", "member", "memberid", "useremail", ...emails, ...userNames]);

/** Neither users nor groups can have the field `groups`. */
const GROUP_NAMES = "groupNames";

/**
 * Guesses the targets of columns from their names and first values. A column whose name differs from a field of the
 * directory only in case and in separators becomes this field.
 */
export function guessTargets(
  headers: readonly string[],
  directory: readonly string[] = [],
  examples: readonly (readonly string[])[] = [],
  kind: ImportKind = "users",
): Target[] {
  if (kind === "users") return guessUserTargets(headers, directory, examples);
  const plain = headers.map(withoutNotation);
  const group = pick(plain, groupHeaders, "group");
  if (kind === "memberships") {
    const user = pick(plain, userHeaders, "user");
    return headers.map((_, index) => ({ to: index === group ? "group" : index === user ? "user" : "skip" }));
  }
  const named = plain.indexOf("name");
  const taken = new Set<string>(["name"]);
  return headers.map((header, index) => {
    if (index === (named === -1 ? group : named)) return { to: "name" };
    if (isSkippedByDefault(header, kind)) return { to: "skip" };
    if (header === MORE_COLUMN) return { to: "custom", field: header };
    const field = uniqueName(suggestField(header, index, kind), taken);
    taken.add(field);
    return { to: "custom", field };
  });
}

function guessUserTargets(
  headers: readonly string[],
  directory: readonly string[],
  examples: readonly (readonly string[])[],
): Target[] {
  const { checkName } = kinds.users;
  const plain = headers.map(withoutNotation);
  const fullNameIndex = pick(plain, fullNameHeaders, "name");
  const namedEmail = pick(plain, emails, "email");
  const email = namedEmail === -1 ? examples.findIndex(areEmails) : namedEmail;
  // `active` and `scim` are no custom fields, but are imported like them.
  const fields = ["active", "scim", ...directory].filter((field) => checkName(field) === undefined);
  const known = new Map(fields.map((field) => [withoutNotation(field), field]));
  const userName = pick(
    plain.map((word) => (known.has(word) ? "" : word)),
    userNames,
    "username",
  );
  // Without a full name, join first and last name in file order.
  const isName = (word: string, index: number) =>
    fullNameIndex === -1 ? firstNames.has(word) || lastNames.has(word) : index === fullNameIndex;
  const taken = new Set<string>(coreTargets);
  return headers.map((header, index) => {
    const word = plain[index] ?? "";
    if (index === email) return { to: "email" };
    if (isName(word, index)) return { to: "name" };
    if (index === userName) return { to: "userName" };
    if (isSkippedByDefault(header)) return { to: "skip" };
    // The column of an export with the fields that have no column: the service reads it.
    if (header === MORE_COLUMN) return { to: "custom", field: header };
    const suggested = suggestField(header, index);
    const field = uniqueName(known.get(word) ?? known.get(withoutNotation(suggested)) ?? suggested, taken);
    taken.add(field);
    return { to: "custom", field };
  });
}

function areEmails(values: readonly string[]): boolean {
  return values.length > 0 && values.every((value) => emailPattern.test(value));
}

/** Errors of single columns, and of the whole mapping. */
interface MappingErrors {
  readonly columns: readonly (string | undefined)[];
  readonly general: string | undefined;
}

/** An update of users needs no name: rows that find a user by the field `updatesBy` keep the name. */
export function checkTargets(
  targets: readonly Target[],
  updatesBy?: MatchTarget,
  kind: ImportKind = "users",
): MappingErrors {
  const { checkName } = kinds[kind];
  const taken = new Set<string>();
  const columns = targets.map((target) => {
    if (target.to === "skip" || target.to === "name") return undefined;
    const field = targetField(target);
    const error = target.to === "custom" && field !== MORE_COLUMN ? checkName(target.field) : undefined;
    const duplicate = field !== undefined && taken.has(field) ? texts.columns.duplicate : undefined;
    if (field !== undefined) taken.add(field);
    return error ? texts.columns[error] : duplicate;
  });
  const has = (field: CoreTarget) => targets.some(({ to }) => to === field);
  const isWhole =
    kind === "memberships"
      ? has("group") && has("user")
      : has("name") || (updatesBy !== undefined && has(updatesBy));
  return { columns, general: isWhole ? undefined : texts.of[kind].required };
}

/** The target's field name. Undefined for skipped columns. */
export function targetField(target: Target): string | undefined {
  if (target.to === "skip") return undefined;
  return target.to === "custom" ? target.field : target.to;
}

/** Every field that the mapping fills, without duplicates. */
export function listTargetFields(targets: readonly Target[]): string[] {
  const customFields = targets.flatMap((target) => (target.to === "custom" ? [target.field] : []));
  const core = coreTargets.filter((field) => targets.some(({ to }) => to === field));
  return [...core, ...new Set(customFields)];
}

/** The fields that every new user needs and that no column becomes. A column of other fields can have them. */
export function missingFields(targets: readonly Target[], specs: readonly FieldSpec[]): string[] {
  const filled = new Set(listTargetFields(targets));
  if (filled.has(MORE_COLUMN)) return [];
  return (
    specs
      .filter(({ name, required, default: value }) => required && value === undefined && !filled.has(name))
      .map(({ name }) => name)
      // The mapping asks for a name anyway.
      .filter((name) => name !== "name")
  );
}

/** Letters that Unicode does not take apart into a letter of A to Z and a mark, or that readers write in another way. */
const spelledOut: Readonly<Record<string, string>> = {
  ä: "ae",
  ö: "oe",
  ü: "ue",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
};

/** A field name for the column: `Größe (cm)` becomes `groesse_cm`. Valid names stay unchanged. */
export function suggestField(header: string, index: number, kind: ImportKind = "users"): string {
  return allowedName(header, kind) ?? allowedName(toFieldName(header, index), kind) ?? `column${index + 1}`;
}

/** The name, or what to call the field instead. Undefined if users or groups can't have such a field. */
function allowedName(name: string, kind: ImportKind): string | undefined {
  const error = kinds[kind].checkName(name);
  if (error === "groups") return GROUP_NAMES;
  return error === undefined ? name : undefined;
}

function toFieldName(header: string, index: number): string {
  const words = header
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\0-\x7f]/g, (letter) => spelledOut[letter] ?? letter)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  if (words.length === 0 || !/^[a-z]/.test(words[0] ?? "")) words.unshift(`column${index + 1}`);
  return words.join("_").slice(0, MAX_NAME_CHARACTERS);
}

/** `Start date`, `start_date` and `startDate` are one field. */
function withoutNotation(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, "");
}

/** Why a column is skipped by default. */
export function skipReason(header: string, kind: ImportKind = "users"): string | undefined {
  if (kinds[kind].isManaged(header)) return texts.columns.managed;
  if (isCredentialField(header)) return texts.columns.credential;
  return header === PROBLEM_COLUMN ? texts.columns.problem : undefined;
}

function isSkippedByDefault(header: string, kind: ImportKind = "users"): boolean {
  return (
    header === "" || kinds[kind].checkName(header) === "reserved" || skipReason(header, kind) !== undefined
  );
}

/** Index of the first exact match, otherwise of the first synonym. */
function pick(words: readonly string[], synonyms: ReadonlySet<string>, exact: string): number {
  const index = words.indexOf(exact);
  return index === -1 ? words.findIndex((word) => synonyms.has(word)) : index;
}

function uniqueName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(numbered(name, number))) number++;
  return numbered(name, number);
}

function numbered(name: string, number: number): string {
  return name.slice(0, MAX_NAME_CHARACTERS - String(number).length) + number;
}
