import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import { scimLimits } from "../../contract/scim/scim.ts";
import { isReservedName } from "../../contract/users/field-name.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";
import { isSecretName, subNames } from "../attribute-names.ts";
import { findExtension, isKnownUrn, isUrn } from "../attribute-path.ts";
import type { ResourceKind } from "../attributes.ts";
import { cleanValue, isUnassigned } from "../clean-value.ts";
import { MEMBERS, normalizeValue } from "../normalize.ts";
import { ScimError } from "../scim-error.ts";
import { shorten } from "../shorten.ts";
import { isSecretPath, type PatchPath, parsePath } from "./patch-path.ts";

const kinds = ["add", "replace", "remove"] as const;

/** One change of an attribute. Values of complex attributes, and operations without a path, become one operation per member. */
export interface PatchOperation {
  readonly op: (typeof kinds)[number];
  readonly path: PatchPath;
  /** Normalized, except of `members`. Of `remove`: only these values of a list. Undefined: all. */
  readonly value: Json | undefined;
  /** What it means for a document without an extension of this URN: then the whole path is the URN of an extension. */
  readonly asExtension?: readonly PatchOperation[];
}

/** Parses the body of a PATCH. Fails with a `ScimError`, or with `too-large`. */
export function* parsePatch(kind: ResourceKind, body: unknown): Steps<readonly PatchOperation[]> {
  const operations = isObject(body) ? findMember(body, "Operations") : undefined;
  if (!Array.isArray(operations)) {
    throw new ScimError("invalidSyntax", "The body must be a JSON object with a list of Operations.");
  }
  const { patchOperations } = scimLimits;
  if (operations.length > patchOperations) {
    throw new ProblemError("too-large", `A PATCH has at most ${patchOperations} operations. Send several.`);
  }
  const parsed: PatchOperation[] = [];
  for (const operation of operations) {
    yield;
    for (const part of parseOperation(kind, operation)) {
      parsed.push(...part);
      yield;
    }
  }
  return parsed;
}

/** Operations, a few at a time. */
type Parts = Generator<readonly PatchOperation[], void>;

/** What an operation stands for: without a path, for an operation for each member of its value. */
function* parseOperation(kind: ResourceKind, operation: Json): Parts {
  if (!isObject(operation)) throw new ScimError("invalidSyntax", "An operation must be an object.");
  const sent = findMember(operation, "op");
  const op = typeof sent === "string" ? kinds.find((each) => each === sent.toLowerCase()) : undefined;
  if (!op) throw new ScimError("invalidSyntax", "op must be add, replace or remove.");
  const path = findMember(operation, "path") ?? undefined;
  const value = findMember(operation, "value");
  if (path !== undefined && typeof path !== "string") {
    throw new ScimError("invalidPath", "path must be text.");
  }
  if (op !== "remove" && value === undefined) {
    throw new ScimError("invalidValue", `${shorten(path ?? op)}: a value is missing.`);
  }
  if (path !== undefined) {
    if (!isIgnored(kind, path)) yield* resolve(kind, op, parsePath(kind, path), value);
    return;
  }
  if (op === "remove") throw new ScimError("noTarget", "remove needs a path.");
  if (!isObject(value)) throw new ScimError("invalidValue", "Without a path, the value must be an object.");
  yield* parseObject(kind, op, value);
}

/** The attributes of the core schema can also be members of an object at its URN. */
function* parseObject(kind: ResourceKind, op: Op, value: JsonObject): Parts {
  for (const name of Object.keys(value)) {
    const member = value[name] ?? null;
    if (!isUrn(name, kind.core.id)) yield* parseMember(kind, op, name, member);
    else if (isObject(member)) yield* parseObject(kind, op, member);
  }
}

/** Finds a member in any case. */
function findMember(object: JsonObject, name: string): Json | undefined {
  if (Object.hasOwn(object, name)) return object[name];
  const lowerCase = name.toLowerCase();
  const key = Object.keys(object).find((each) => each.toLowerCase() === lowerCase);
  return key === undefined ? undefined : object[key];
}

/** Schemas follow from the other attributes, and credentials are never stored: clients may send both. */
function isIgnored(kind: ResourceKind, path: string): boolean {
  return path.toLowerCase() === "schemas" || isSecretPath(kind, path);
}

type Op = PatchOperation["op"];

/** A member of a value without a path: its name is a path. Members that are unknown, or that only the service writes, are ignored. */
function* parseMember(kind: ResourceKind, op: Op, name: string, value: Json): Parts {
  const path = isIgnored(kind, name) ? undefined : findPath(kind, name);
  if (path && !isReadOnly(path)) yield* resolve(kind, op, path, value);
  else yield [];
}

function findPath(kind: ResourceKind, name: string): PatchPath | undefined {
  try {
    return parsePath(kind, name);
  } catch (error) {
    if (error instanceof ScimError) return undefined;
    throw error;
  }
}

function isReadOnly({ attribute, sub }: PatchPath): boolean {
  return attribute?.mutability === "readOnly" || sub?.mutability === "readOnly";
}

/** The operations that a value at a path stands for. */
function* resolve(kind: ResourceKind, op: Op, path: PatchPath, value: Json | undefined): Parts {
  const { names, text } = path;
  if (isReadOnly(path)) throw new ScimError("mutability", `${shorten(text)} is read-only.`);
  if (names.length === 0) {
    yield* resolveExtension(kind, op, path, value);
    return;
  }
  const operations = resolveAttribute(kind, op, path, value);
  const canBeExtension = op === "remove" || isObject(value) || isUnassigned(value);
  if (!canBeExtension || !canEndUrn(kind, path)) {
    yield operations;
    return;
  }
  const asExtension = [...resolveExtension(kind, op, path, value)].flat();
  yield operations.map((operation) => ({ ...operation, asExtension }));
}

/** Whether the name can also be the end of a URN, because no table has the attribute. */
function canEndUrn(kind: ResourceKind, { urn, names, where }: PatchPath): boolean {
  return urn !== undefined && !isKnownUrn(kind, urn) && names.length === 1 && !where;
}

function resolveAttribute(
  kind: ResourceKind,
  op: Op,
  path: PatchPath,
  value: Json | undefined,
): PatchOperation[] {
  const { attribute, sub } = path;
  if (attribute?.name === MEMBERS && !path.urn) return [{ op, path, value }];
  if (op === "remove") return resolveRemoval(path, value);
  if (
    attribute &&
    !attribute.multiValued &&
    attribute.type === "complex" &&
    !attribute.field &&
    !sub &&
    isObject(value) &&
    !isUnassigned(value)
  ) {
    return Object.keys(value).flatMap((name) => {
      const member = subNames(attribute).find(name);
      const names = [attribute.name, member?.name ?? name];
      return member
        ? [...resolve(kind, op, { ...path, names, sub: member }, value[name] ?? null)].flat()
        : [];
    });
  }
  const normalized = value === undefined ? undefined : normalize(path, value);
  if (normalized !== undefined) return [{ op, path, value: normalized }];
  return op === "replace" ? resolveRemoval(path, undefined) : [];
}

function* resolveExtension(kind: ResourceKind, op: Op, path: PatchPath, value: Json | undefined): Parts {
  const { text } = path;
  const urn = path.names.length === 0 ? (path.urn ?? text) : text;
  const extension: PatchPath = { urn, names: [], text };
  if (op === "remove" || isUnassigned(value)) {
    if (op !== "add") yield [{ op: "remove", path: extension, value: undefined }];
    return;
  }
  if (!isObject(value)) throw new ScimError("invalidValue", `${shorten(text)} must be an object.`);
  for (const name of Object.keys(value)) {
    const member = value[name] ?? null;
    if (findExtension(kind, urn)) yield* parseMember(kind, op, `${urn}:${name}`, member);
    else if (!isSecretName(name) && !isReservedName(name)) {
      const inside: PatchPath = { urn, names: [name], text: `${text}:${name}` };
      yield resolveAttribute(kind, op, inside, member);
    }
  }
}

function resolveRemoval(path: PatchPath, value: Json | undefined): PatchOperation[] {
  const { attribute, sub, where, text } = path;
  if (attribute?.required && !sub) throw new ScimError("mutability", `${shorten(text)} cannot be removed.`);
  const selects = attribute?.multiValued === true && !sub && !where && value !== undefined && value !== null;
  if (!selects) return [{ op: "remove", path, value: undefined }];
  const listed = normalize(path, value);
  return listed === undefined ? [] : [{ op: "remove", path, value: listed }];
}

/** The value as it is stored; undefined if it is unassigned. */
function normalize({ attribute, sub, where }: PatchPath, value: Json): Json | undefined {
  if (!attribute) return cleanValue(value);
  if (sub) return normalizeValue(sub, value, `${attribute.name}.`);
  if (attribute.type === "complex" && value === "") return undefined;
  const normalized = normalizeValue(attribute, value);
  if (!where || !Array.isArray(normalized)) return normalized;
  if (normalized.length > 1) {
    throw new ScimError("invalidValue", `${attribute.name}: send one entry for those that the filter finds.`);
  }
  return normalized[0];
}
