import { ConfigError } from "../../config/config.ts";
import { groupRecordFields } from "../../contract/groups/group-fields.ts";
import type { Json } from "../../contract/json.ts";
import {
  findNameError,
  isCredentialField,
  isFieldName,
  isReservedName,
} from "../../contract/users/field-name.ts";
import { isManagedField, managedFields } from "../../contract/users/user-fields.ts";
import { type FieldPath, formatFieldPath, parseFieldPath } from "../../domain/field-path.ts";
import { foldEmail } from "../../domain/fold.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { asJson, isEmpty, isObject } from "./conversions.ts";
import {
  BINARY,
  CREDENTIAL,
  EMPTY,
  type FieldMapping,
  type RecordConverter,
  type Rule,
  type SourceRecord,
  UNKNOWN,
} from "./source.ts";

export type MappedRecord = Record<string, Json>;

/** What a record of another system becomes. */
export interface Mapped {
  readonly record: MappedRecord;
  /** The same record if another user has its email. Undefined if nothing else keeps the email. */
  readonly withoutEmail?: MappedRecord | undefined;
  /** Why it can be no user or group. */
  readonly refusal?: string;
}

export type Report = (path: string, reason: string) => void;

/** The fields that users cannot have as custom fields, and those that groups cannot have. */
const kinds = {
  users: { isManaged: isManagedField, newNames: new Map([["groups", "groupNames"]]) },
  groups: {
    isManaged: (name: string) => groupRecordFields.isManaged(name),
    newNames: new Map([
      ["groups", "groupNames"],
      ["members", "memberNames"],
      ["rule", "originalRule"],
    ]),
  },
} as const;

/** A user without `userName` has its email as user name. */
const UNLESS_EMAIL = "if it is not the email";
const LEFT_OUT_BY_MAP = "You left it out with --map.";
/** Fields that hold the whole name. One that became the name is not stored again. */
const wholeNames = new Set([
  "name",
  "displayName",
  "display_name",
  "full_name",
  "fullName",
  "formatted",
  "cn",
]);
/** Names of further secrets, which `isCredentialField` does not know. */
const SECRET_NAME = /passw(or)?d|passphrase|passcode|secret|token$|hash(es)?$|^salt$|_salt$/i;

interface CompiledRule extends Rule {
  /** Undefined for a path that --map leaves out. */
  readonly paths: readonly (FieldPath | undefined)[];
  /** The paths as text. */
  readonly keys: readonly (string | undefined)[];
}

/** Turns records of another system into users or groups: by the rules of the system, changed by --map. */
export class Mapping {
  readonly #rules: readonly CompiledRule[];
  readonly #leftOut: ReadonlyMap<string, string>;
  readonly #spread: ReadonlySet<string>;
  /** Objects with a member that has a rule of its own. */
  readonly #parents: ReadonlySet<string>;
  readonly #source: FieldMapping;
  readonly #kind: keyof typeof kinds;
  /** Fields of --map that no user had so far. */
  readonly unusedNames: Set<string>;

  /** `names` are the pairs of --map. Throws a `ConfigError` if one is not valid. */
  constructor(
    source: FieldMapping,
    names: ReadonlyMap<string, string> = new Map(),
    kind: keyof typeof kinds = "users",
  ) {
    this.#source = source;
    this.#kind = kind;
    const leftOut = new Map(
      Object.entries(source.leftOut).map(([path, reason]) => [keyOf(path), reason] as const),
    );
    let rules = source.rules.map(compile);
    const added: CompiledRule[] = [];
    for (const [from, to] of names) {
      const key = keyOf(from);
      checkName(from, to, leftOut.get(key));
      if (to === "" && source.memberships?.includes(from)) {
        throw new ConfigError(`--map ${from}=: to leave groups out, use --no-groups.`);
      }
      const own = rules.filter(
        ({ keys, to: field }) => field !== "name" && keys.length === 1 && keys[0] === key,
      );
      // Of several rules for one field, the new name is for the value as it is.
      const renamed = to === "" || own.length < 2 ? own : own.filter(({ read }) => !read);
      rules = rules.filter((rule) => rule.to !== to && !renamed.includes(rule));
      leftOut.delete(key);
      if (to === "") {
        leftOut.set(key, LEFT_OUT_BY_MAP);
        rules = rules.map((rule) => withoutPath(rule, key));
      } else added.push(compile({ ...renamed[0], to, from: [from] }));
    }
    this.#rules = [...added, ...rules];
    this.#leftOut = leftOut;
    this.#spread = new Set(source.spread.map((path) => (path === "" ? "" : keyOf(path))));
    this.#parents = new Set(
      [...this.#rules.flatMap(({ paths }) => paths), ...[...leftOut.keys()].map(parsePath)].flatMap((path) =>
        path ? parentKeys(path) : [],
      ),
    );
    this.unusedNames = new Set(added.flatMap(({ from }) => from));
  }

  /** The rules as rows: from, to, note. */
  describe(): string[][] {
    const spread = [...this.#spread].map((path) => [
      path === "" ? "any other field" : `${path}.*`,
      "the same name",
      "",
    ]);
    const leftOut = [...this.#leftOut].map(([path, reason]) => [path, "—", reason]);
    const rules = this.#rules.map(({ keys, to, note = to === "userName" ? UNLESS_EMAIL : "" }) => [
      keys.filter((key) => key !== undefined).join(", "),
      to,
      note,
    ]);
    const memberships = (this.#source.memberships ?? []).map((name) => [name, "memberships", ""]);
    const others = new Set([...rules, ...memberships, ...leftOut].map(([from]) => from));
    const converted = (this.#source.converter?.rows ?? []).filter(([from]) => !others.has(from));
    return [...rules, ...converted.map((row) => [...row]), ...memberships, ...spread, ...leftOut];
  }

  /** The user or the group of a record. Reports the fields that have no place in it, and the empty ones. */
  apply(record: SourceRecord, report: Report): Mapped {
    const mapped: MappedRecord = {};
    const used = new Set(this.#source.memberships?.filter((name) => !isEmpty(record[name])));
    for (const rule of this.#rules) this.#applyRule(rule, record, mapped, used, report);
    if (this.#source.converter) return this.#convert(this.#source.converter, record, mapped, used, report);
    this.#visit(record, "", mapped, used, report);
    if (this.#kind === "users" && isEmailAgain(mapped)) delete mapped.userName;
    return { record: mapped };
  }

  #convert(
    converter: RecordConverter,
    source: SourceRecord,
    mapped: MappedRecord,
    used: ReadonlySet<string>,
    report: Report,
  ): Mapped {
    const rest = this.#restOf(source, "", used, report);
    try {
      const { record, withoutEmail, unused } = converter.convert(rest, source);
      for (const path of unused) report(formatFieldPath(path), reasonOf(valueAt(rest, path)));
      // Nothing keeps an email of --map.
      const keepsEmail = withoutEmail !== undefined && mapped.email === undefined;
      return {
        record: { ...record, ...mapped },
        withoutEmail: keepsEmail ? { ...withoutEmail, ...mapped } : undefined,
      };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const details = error.errors?.map(({ detail }) => detail) ?? [error.detail];
      return { record: mapped, refusal: details.join(" ") };
    }
  }

  /** The record without secrets, and without what the rules have used or leave out. */
  #restOf(
    object: SourceRecord,
    parent: string,
    used: ReadonlySet<string>,
    report: Report,
  ): Record<string, unknown> {
    const rest: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(object)) {
      const key = parent === "" ? formatName(name) : `${parent}.${formatName(name)}`;
      const reason = this.#leftOut.get(key);
      if (used.has(key)) continue;
      if (isSecret(name)) report(key, CREDENTIAL);
      else if (reason !== undefined) report(key, isEmpty(value) ? EMPTY : reason);
      else if (isObject(value) && this.#parents.has(key)) {
        const inside = this.#restOf(value, key, used, report);
        if (!isEmpty(inside)) rest[name] = inside;
      } else rest[name] = removeSecrets(value, key, report);
    }
    return rest;
  }

  #applyRule(
    rule: CompiledRule,
    record: SourceRecord,
    mapped: MappedRecord,
    used: Set<string>,
    report: Report,
  ): void {
    const values = rule.paths.map((path) => path && valueAt(record, path));
    const first = values.findIndex((value) => !isEmpty(value));
    if (first < 0) return;
    if (this.unusedNames.size > 0) this.unusedNames.delete(rule.from[first] ?? "");
    const value = this.#clean(rule.read ? rule.read(values) : values[first], rule.keys[first] ?? "", report);
    if (value === undefined) return;
    if (!isEmpty(value)) mapped[rule.to] ??= value;
    // The parts of a name, such as firstName, are fields of their own.
    if (rule.to === "name" && rule.read) return;
    for (const key of rule.read ? rule.keys : rule.keys.slice(first, first + 1)) {
      if (key !== undefined) used.add(key);
    }
  }

  /** Imports or reports the members that no rule has used. */
  #visit(
    object: SourceRecord,
    parent: string,
    mapped: MappedRecord,
    used: ReadonlySet<string>,
    report: Report,
  ): void {
    const isSpread = this.#spread.has(parent);
    for (const [name, value] of Object.entries(object)) {
      const key = parent === "" ? formatName(name) : `${parent}.${formatName(name)}`;
      const reason = this.#leftOut.get(key);
      if (used.has(key) || (wholeNames.has(name) && this.#single(value) === mapped.name)) continue;
      if (isEmpty(this.#single(value))) report(key, EMPTY);
      else if (reason !== undefined) report(key, reason);
      else if (isObject(value) && (this.#parents.has(key) || this.#spread.has(key))) {
        this.#visit(value, key, mapped, used, report);
      } else if (isSpread) this.#keep(name, key, value, mapped, report);
      else report(key, isSecret(name) ? CREDENTIAL : UNKNOWN);
    }
  }

  #keep(name: string, key: string, value: unknown, mapped: MappedRecord, report: Report): void {
    const field = this.#toFieldName(name);
    if (isSecret(name)) report(key, CREDENTIAL);
    else if (field === undefined) report(key, "No field can have this name.");
    else if (Object.hasOwn(mapped, field)) report(key, `The field ${field} has another value.`);
    else {
      const json = this.#clean(this.#single(value), key, report);
      if (!isEmpty(json)) mapped[field] = json ?? null;
    }
  }

  /** The name of the custom field: the service writes some names itself, and allows only letters, digits and _. */
  #toFieldName(name: string): string | undefined {
    const { isManaged, newNames } = kinds[this.#kind];
    const plain = name
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .replace(/[^A-Za-z0-9]+/g, "_")
      .replace(/^_+|_+$/g, "");
    const original = isManaged(name) ? `original${name[0]?.toUpperCase()}${name.slice(1)}` : plain;
    const field = newNames.get(original) ?? original;
    return isFieldName(field) && !isReservedName(field) ? field : undefined;
  }

  /** The only value of a list, if the system writes each value as a list. */
  #single(value: unknown): unknown {
    return this.#source.unwrap && Array.isArray(value) && value.length === 1 ? value[0] : value;
  }

  /** The value without secrets and bytes. */
  #clean(value: unknown, key: string, report: Report): Json | undefined {
    if (
      value instanceof Uint8Array ||
      (Array.isArray(value) && value.some((item) => item instanceof Uint8Array))
    ) {
      report(key, BINARY);
      return undefined;
    }
    return asJson(removeSecrets(value, key, report));
  }
}

/** Why a value that no code has used is not imported. */
function reasonOf(value: unknown): string {
  return isEmpty(value) ? EMPTY : UNKNOWN;
}

/** Whether the userName says nothing besides the email. */
function isEmailAgain({ email, userName }: MappedRecord): boolean {
  return (
    typeof email === "string" && typeof userName === "string" && foldEmail(userName) === foldEmail(email)
  );
}

/** A copy without members that have the name of a secret, or a name that is not allowed. */
function removeSecrets(value: unknown, key: string, report: Report): unknown {
  if (Array.isArray(value)) return value.map((item) => removeSecrets(item, key, report));
  if (!isObject(value)) return value;
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const path = `${key}.${formatName(name)}`;
    if (isSecret(name)) report(path, CREDENTIAL);
    else if (isReservedName(name)) report(path, "No field can have this name.");
    else members.push([name, removeSecrets(member, path, report)]);
  }
  return Object.fromEntries(members);
}

function isSecret(name: string): boolean {
  return isCredentialField(name) || SECRET_NAME.test(name);
}

function checkName(from: string, to: string, reason: string | undefined): void {
  const secret = reason === CREDENTIAL || isCredentialField(parsePath(from).at(-1) ?? "");
  if (to !== "" && secret) {
    throw new ConfigError(`--map ${from}=${to}: Roster stores no passwords, hashes and other secrets.`);
  }
  if (to !== "" && (isManagedField(to) || findNameError(to))) {
    throw new ConfigError(
      `--map ${from}=${to}: a field name is a letter, then up to 63 letters, digits or underscores, and not groups, ${managedFields.join(", ")}.`,
    );
  }
}

/** Users have the same fields as other users: to format a name takes longer than to find it here. */
const formattedNames = new Map<string, string>();
const MAX_FORMATTED_NAMES = 5000;

function formatName(name: string): string {
  const known = formattedNames.get(name);
  if (known !== undefined) return known;
  const formatted = formatFieldPath([name]);
  if (formattedNames.size < MAX_FORMATTED_NAMES) formattedNames.set(name, formatted);
  return formatted;
}

function compile(rule: Rule): CompiledRule {
  const paths = rule.from.map(parsePath);
  return { ...rule, paths, keys: paths.map(formatFieldPath) };
}

/** The rule without one of its paths. The other paths keep their places, by which `read` knows them. */
function withoutPath(rule: CompiledRule, key: string): CompiledRule {
  const keys = rule.keys.map((candidate) => (candidate === key ? undefined : candidate));
  return {
    ...rule,
    keys,
    paths: rule.paths.map((path, index) => (keys[index] === undefined ? undefined : path)),
  };
}

function keyOf(path: string): string {
  return formatFieldPath(parsePath(path));
}

function parsePath(text: string): FieldPath {
  const path = parseFieldPath(text);
  if (!path) {
    throw new ConfigError(
      `--map ${text}: write a path such as address.city. A name with other characters needs quotes: "post code".city`,
    );
  }
  return path;
}

function parentKeys(path: FieldPath): string[] {
  return path.slice(1).map((_, index) => formatFieldPath(path.slice(0, index + 1)));
}

function valueAt(record: SourceRecord, path: FieldPath): unknown {
  let value: unknown = record;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
