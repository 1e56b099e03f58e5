import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import { countComparisons } from "../../domain/filter/count-comparisons.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";
import { findUrn } from "../attribute-path.ts";
import type { ResourceKind } from "../attributes.ts";
import { isUnassigned } from "../clean-value.ts";
import { findKey } from "../find-key.ts";
import { MEMBERS } from "../normalize.ts";
import { isSameJson } from "../same-json.ts";
import { changeList } from "./change-list.ts";
import type { PatchOperation } from "./parse-patch.ts";

/** How often the operations of one patch compare entries of lists, so that one of them takes a millisecond or two. */
const MAX_LOOKS = 10_000;

/**
 * The document after the operations, in their order. Operations on `members` are left out, see `memberChange`. Returns `document`
 * itself if nothing changes. Fails with `noTarget`, `invalidValue` or `too-large`.
 */
export function* applyPatch(
  kind: ResourceKind,
  document: JsonObject,
  operations: readonly PatchOperation[],
): Steps<JsonObject> {
  const draft = new Draft(kind, document);
  for (const operation of operations) {
    const { attribute, urn } = operation.path;
    if (attribute?.name === MEMBERS && urn === undefined) continue;
    yield;
    draft.apply(operation);
  }
  return isSameJson(draft.document, document) ? document : draft.document;
}

/** A document that operations change. */
class Draft {
  readonly #kind: ResourceKind;
  /** Its extensions and complex attributes can be modified. Their values are those of the document before. */
  readonly document: JsonObject = {};
  /** How many attributes an extension has: to look would take long if it has thousands. */
  readonly #sizes = new Map<JsonObject, number>();
  #looksLeft = MAX_LOOKS;

  constructor(kind: ResourceKind, document: JsonObject) {
    this.#kind = kind;
    for (const name in document) {
      const value = document[name] ?? null;
      this.document[name] = isObject(value) ? { ...value } : value;
    }
  }

  apply(operation: PatchOperation): void {
    const { path, asExtension } = operation;
    const { urn, names } = path;
    if (urn === undefined) {
      this.#change(this.document, names[0] ?? "", operation);
      return;
    }
    const key = findKey(this.document, urn);
    const found = Object.hasOwn(this.document, key) ? this.document[key] : undefined;
    if (asExtension && found === undefined) {
      for (const each of asExtension) this.apply(each);
      return;
    }
    const [name] = names;
    if (name === undefined) delete this.document[key];
    else this.#changeExtension(key, isObject(found) ? found : {}, operation);
  }

  #changeExtension(key: string, extension: JsonObject, operation: PatchOperation): void {
    const { urn = "", names } = operation.path;
    const [sent = ""] = names;
    const name = findUrn(this.#kind, urn) === undefined ? findKey(extension, sent) : sent;
    const had = Object.hasOwn(extension, name);
    const size = this.#sizes.get(extension) ?? Object.keys(extension).length;
    this.#change(extension, name, operation);
    const next = size + Number(Object.hasOwn(extension, name)) - Number(had);
    this.#sizes.set(extension, next);
    if (next === 0) delete this.document[key];
    else this.document[key] = extension;
  }

  /** Changes one attribute of the document or of an extension. */
  #change(holder: JsonObject, key: string, operation: PatchOperation): void {
    const { names } = operation.path;
    const current = Object.hasOwn(holder, key) ? holder[key] : undefined;
    const list = findList(operation, current);
    if (list) this.#countLooks(list, operation);
    const changeOne = names.length > 1 ? changeMember : changeValue;
    const next = list ? changeList(list, operation) : changeOne(current, operation);
    if (isUnassigned(next)) delete holder[key];
    else holder[key] = next ?? null;
  }

  /** Fails with `too-large`. */
  #countLooks(list: readonly Json[], { op, path, value }: PatchOperation): void {
    const { attribute, where } = path;
    const values = Array.isArray(value) ? value.length : 1;
    const comparesAll = !where && (op === "remove" || !attribute);
    const comparisons = where ? countComparisons(where.expression) : 1;
    this.#looksLeft -= comparesAll ? list.length * values : list.length * comparisons + values;
    if (this.#looksLeft >= 0) return;
    throw new ProblemError(
      "too-large",
      "The operations change too many values. Send several PATCH requests.",
    );
  }
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
