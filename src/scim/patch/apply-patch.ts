import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { findUrn } from "../attribute-path.ts";
import type { ResourceKind } from "../attributes.ts";
import { isUnassigned } from "../clean-value.ts";
import { findKey } from "../find-key.ts";
import { MEMBERS } from "../normalize.ts";
import { isSameJson } from "../same-json.ts";
import { changeList } from "./change-list.ts";
import type { PatchOperation } from "./parse-patch.ts";

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
  const { path, asExtension } = operation;
  const { urn, names } = path;
  if (urn === undefined) {
    change(draft, { operation, key: names[0] ?? "", budget });
    return;
  }
  const key = findKey(draft, urn);
  const found = Object.hasOwn(draft, key) ? draft[key] : undefined;
  if (asExtension && found === undefined) {
    for (const each of asExtension) apply(kind, draft, { operation: each, budget });
    return;
  }
  const extension = isObject(found) ? found : {};
  const isKnown = findUrn(kind, urn) !== undefined;
  const [name] = names;
  if (name !== undefined) {
    change(extension, { operation, key: isKnown ? name : findKey(extension, name), budget });
  }
  if (name === undefined || isUnassigned(extension)) delete draft[key];
  else draft[key] = extension;
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
