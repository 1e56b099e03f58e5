import { isObject, type Json, type JsonObject } from "../../../src/contract/json.ts";
import { urns } from "../../../src/scim/attributes.ts";
import { clean } from "./entries.ts";
import { type Change, type PlannedOperation, toJson } from "./generate-patch.ts";
import { type KnownDifference, knownDifferences, type Patch } from "./known-differences.ts";
import { ANY_TYPE, patchByLibrary, Refused } from "./library.ts";

/** The document after a patch, or the `scimType` of the error. */
export type Outcome = { readonly document: JsonObject } | { readonly refused: string };

/** What scim-patch makes of an operation. */
export function patchByOracle(operation: PlannedOperation, document: JsonObject): Outcome {
  return attempt(() => patchByLibrary(document, toJson(operation)));
}

/**
 * The names of the differences because of which Roster's outcome is another one than that of scim-patch, as few as possible. None
 * if both are the same, undefined if the differences do not explain it.
 */
export function explain(
  operation: PlannedOperation,
  document: JsonObject,
  roster: Outcome,
): readonly KnownDifference[] | undefined {
  // Of several changes that are refused, any can be the reason.
  const expected = operation.length > 1 && "refused" in roster ? { refused: ANY_TYPE } : roster;
  const explains = (differences: readonly KnownDifference[]) =>
    isSameOutcome(expected, patchWithin(differences, operation, document));
  if (isSameOutcome(expected, patchByOracle(operation, document))) return [];
  if (!explains(knownDifferences)) return undefined;
  return knownDifferences.reduce((needed, difference) => {
    const others = needed.filter((each) => each !== difference);
    return explains(others) ? others : needed;
  }, knownDifferences);
}

/** What scim-patch makes of an operation if it does what Roster does about the differences. */
function patchWithin(
  differences: readonly KnownDifference[],
  operation: PlannedOperation,
  document: JsonObject,
): Outcome {
  const innermost: Patch = (change, before) => patchByLibrary(before, toJson([change]));
  const patch = differences.reduceRight<Patch>(
    (inner, { patch }) => (patch ? (change, before) => patch(change, before, inner) : inner),
    innermost,
  );
  const patchAll = () => {
    const changed = operation.reduce((before: JsonObject, change: Change) => patch(change, before), document);
    return differences.reduce((after, { finish }) => (finish ? finish(after) : after), changed);
  };
  return attempt(patchAll);
}

function attempt(patch: () => JsonObject): Outcome {
  try {
    return { document: patch() };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.scimType };
    throw error;
  }
}

/** Whether both refuse for the same reason, as far as they say it, or both documents are the same. */
function isSameOutcome(one: Outcome, other: Outcome): boolean {
  if (!("refused" in one || "refused" in other)) {
    return Bun.deepEquals(comparable(one.document), comparable(other.document));
  }
  if (!("refused" in one && "refused" in other)) return false;
  const types = [one.refused, other.refused];
  return types.includes(ANY_TYPE) || one.refused === other.refused;
}

/** The document without what may differ: the order of entries and members, values that are none, and what only the service writes. */
export function comparable({ schemas: _, meta: __, ...document }: JsonObject): JsonObject {
  const sorted = sort(clean(withoutManagerUrl(document)) ?? {});
  return isObject(sorted) ? sorted : {};
}

/** The URL of a manager follows from the value, if the client has sent none. */
function withoutManagerUrl(document: JsonObject): JsonObject {
  const extension = document[urns.enterpriseUser];
  if (!isObject(extension) || !isObject(extension.manager)) return document;
  const { $ref, ...manager } = extension.manager;
  if (typeof $ref !== "string" || !$ref.endsWith(`/Users/${manager.value}`)) return document;
  return { ...document, [urns.enterpriseUser]: { ...extension, manager } };
}

function sort(value: Json): Json {
  if (Array.isArray(value)) {
    return value.map(sort).toSorted((a, b) => compareText(JSON.stringify(a), JSON.stringify(b)));
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => compareText(a, b));
  return Object.fromEntries(members.map(([name, member]) => [name, sort(member)]));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
