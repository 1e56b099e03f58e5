import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { findUrn, splitUrn } from "../attribute-path.ts";
import type { ResourceKind } from "../attributes.ts";
import { isUnassigned } from "../clean-value.ts";
import { findKey } from "../find-key.ts";
import { MEMBERS } from "../normalize.ts";
import { isSameJson } from "../same-json.ts";
import { changeList } from "./change-list.ts";
import type { PatchOperation } from "./parse-patch.ts";
import type { PatchPath } from "./patch-path.ts";

/** How often the operations of one patch look at entries of lists, so that a patch takes milliseconds. */
const MAX_LOOKS = 10_000;

/**
 * The document after the operations, in their order. Operations on `members` are left out, see `memberChange`. Returns `document`
 * itself if nothing changes. Fails with `noTarget`, `invalidValue` or `too-large`.
 */
export function applyPatch(
  kind: ResourceKind,
  document: JsonObject,
  operations: readonly PatchOperation[],
): JsonObject {
  const draft = copyParts(document);
  const budget = new LookBudget();
  for (const operation of operations) {
    const { attribute, urn } = operation.path;
    if (attribute?.name === MEMBERS && urn === undefined) continue;
    apply(kind, draft, { operation, budget });
  }
  return isSameJson(draft, document) ? document : draft;
}

/** Counts how often operations look at entries, before they do. */
class LookBudget {
  #left = MAX_LOOKS;

  /** Fails with `too-large`. */
  spend(list: readonly Json[], { op, path, value }: PatchOperation): void {
    const values = Array.isArray(value) ? value.length : 1;
    const comparesAll = !path.where && (op === "remove" || !path.attribute);
    this.#left -= comparesAll ? list.length * values : list.length + values;
    if (this.#left >= 0) return;
    throw new ProblemError(
      "too-large",
      "The operations change too many values. Send several PATCH requests.",
    );
  }
}

/** A copy whose extensions and complex attributes can be modified. Their values are those of the document. */
function copyParts(document: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const name in document) {
    const value = document[name] ?? null;
    copy[name] = isObject(value) ? { ...value } : value;
  }
  return copy;
}

interface Change {
  readonly operation: PatchOperation;
  /** The name of the attribute. */
  readonly key: string;
  readonly budget: LookBudget;
}

function apply(
  kind: ResourceKind,
  draft: JsonObject,
  { operation, budget }: Pick<Change, "operation" | "budget">,
): void {
  if (operation.path.urn === undefined) {
    change(draft, { operation, key: operation.path.names[0] ?? "", budget });
    return;
  }
  const isKnown = findUrn(kind, operation.path.urn) !== undefined;
  const located = isKnown ? operation : { ...operation, path: locateExtension(kind, draft, operation) };
  const { urn = "", names } = located.path;
  const key = findKey(draft, urn);
  const found = draft[key];
  const extension = isObject(found) ? found : {};
  const [name] = names;
  if (name !== undefined) {
    const member = isKnown ? name : findKey(extension, name);
    change(extension, { operation: located, key: member, budget });
  }
  if (name === undefined || isUnassigned(extension)) delete draft[key];
  else draft[key] = extension;
}

/**
 * The path, as the extensions of the document say: in `urn:a:b:c`, which no table has, c is an attribute or the end of the URN. The
 * same path if the document has neither extension.
 */
function locateExtension(kind: ResourceKind, draft: JsonObject, { op, path }: PatchOperation): PatchPath {
  const { urn = "", names, where } = path;
  if (hasExtension(draft, urn)) return path;
  const longer = `${urn}:${names[0]}`;
  if (op === "remove" && names.length === 1 && !where && hasExtension(draft, longer)) {
    return { ...path, urn: longer, names: [] };
  }
  const { urn: shorter = "", rest } = splitUrn(kind, urn);
  return rest !== "" && hasExtension(draft, shorter)
    ? { ...path, urn: shorter, names: [rest, ...names] }
    : path;
}

function hasExtension(draft: JsonObject, urn: string): boolean {
  return Object.hasOwn(draft, findKey(draft, urn));
}

/** Changes one attribute of a document or of an extension. */
function change(holder: JsonObject, { operation, key, budget }: Change): void {
  const { names } = operation.path;
  const current = Object.hasOwn(holder, key) ? holder[key] : undefined;
  const list = findList(operation, current);
  if (list) budget.spend(list, operation);
  const changeOne = names.length > 1 ? changeMember : changeValue;
  const next = list ? changeList(list, operation) : changeOne(current, operation);
  if (isUnassigned(next)) delete holder[key];
  else holder[key] = next ?? null;
}

/** The entries, if the operation changes entries. */
function findList({ op, path }: PatchOperation, current: Json | undefined): readonly Json[] | undefined {
  const { attribute, names, where } = path;
  if (attribute ? attribute.multiValued : where) return Array.isArray(current) ? current : [];
  return Array.isArray(current) && (op !== "replace" || names.length > 1) ? current : undefined;
}

function changeValue(current: Json | undefined, { op, path, value }: PatchOperation): Json | undefined {
  if (op === "remove" || !isObject(current) || !isObject(value)) return op === "remove" ? undefined : value;
  const { attribute } = path;
  if (!attribute) return op === "add" ? { ...current, ...value } : value;
  // What was known about the earlier value does not hold for another one, such as the URL of a manager.
  const isOther = value.value !== undefined && value.value !== current.value;
  return isOther ? value : { ...current, ...value };
}

function changeMember(current: Json | undefined, { op, path, value }: PatchOperation): Json | undefined {
  const [, name = ""] = path.names;
  const members = isObject(current) ? current : {};
  if (op !== "remove" && value !== undefined) {
    return changeValue(members, { op: "add", path, value: { [name]: value } });
  }
  // Without its value, nothing is known about a manager.
  if (path.sub?.name === "value") return undefined;
  const { [name]: _, ...others } = members;
  return others;
}
