import { isObject, type Json, type JsonObject } from "../../../src/contract/json.ts";
import { type Attribute, enterpriseSchema, urns } from "../../../src/scim/attributes.ts";
import {
  clean,
  describeEntry,
  entriesOf,
  findEntries,
  foldValue,
  isEmpty,
  isFilled,
  isSameValue,
  subAttribute,
} from "./entries.ts";
import type { Change, Comparison, Filter, Target } from "./generate-patch.ts";
import { Refused } from "./library.ts";

/** Applies a change to a document, which it does not modify. Fails with `Refused`. */
export type Patch = (change: Change, document: JsonObject) => JsonObject;

/** What Roster does with a change, if `patch` does the rest. */
type Around = (change: Change, document: JsonObject, patch: Patch) => JsonObject;

/** A kind of patches that Roster and scim-patch apply differently. */
export interface KnownDifference {
  readonly name: string;
  /** Why Roster does what it does. */
  readonly reason: string;
  readonly patch?: Around;
  /** What Roster makes of the document after an operation. */
  readonly finish?: (document: JsonObject) => JsonObject;
}

/** A difference that is a matter of how a path is written. */
const inTarget =
  (rewrite: (target: Target, document: JsonObject) => Target): Around =>
  (change, document, patch) =>
    patch({ ...change, target: rewrite(change.target, document) }, document);

/** A difference that is a matter of the value. */
const inValue =
  (rewrite: (value: Json, attribute: Attribute) => Json): Around =>
  (change, document, patch) => {
    const { target, value } = change;
    const attribute = subAttribute(target.attribute, target.sub) ?? target.attribute;
    return patch(
      value === undefined || !attribute ? change : { ...change, value: rewrite(value, attribute) },
      document,
    );
  };

/** A difference in filters. */
const inFilter = (rewrite: (comparison: Comparison, texts: readonly string[]) => Comparison) =>
  inTarget((target, document) => {
    if (!target.filter || !target.attribute) return target;
    const comparisons = target.filter.comparisons.map((comparison) => {
      const found = entriesOf(document[target.name ?? ""]).map((entry) => entry[comparison.name]);
      const isExact = subAttribute(target.attribute, comparison.name)?.caseExact;
      return rewrite(comparison, isExact ? [] : found.filter((value) => typeof value === "string"));
    });
    return { ...target, filter: { ...target.filter, comparisons } };
  });

/** Each is around those that follow: scim-patch inside of all of them is Roster. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    name: "email without a value",
    reason: "Roster keeps no email that has no address.",
    finish: ({ emails, ...others }) => {
      const kept = entriesOf(emails).filter(({ value }) => typeof value === "string" && value !== "");
      return kept.length > 0 ? { ...others, emails: kept } : others;
    },
  },
  {
    name: "empty displayName",
    reason: "Every user has a name, so an empty displayName is none.",
    finish: ({ displayName = null, ...others }) =>
      isFilled(displayName) ? { ...others, displayName } : others,
  },
  {
    name: "other case of names",
    reason: "Names match in any case (RFC 7643, 2.1). scim-patch compares them exactly.",
    patch: inTarget((target) => {
      if (target.spelling !== "in lower case") return target;
      const filter = target.filter && withLowerCase(target.filter);
      return { ...target, filter, spelling: "as the table" };
    }),
  },
  {
    name: "extension without its URN",
    reason:
      "Roster finds attributes of the enterprise extension without the URN, because Entra sends `manager`.",
    patch: inTarget((target) =>
      target.spelling === "without the URN" ? { ...target, spelling: "as the table" } : target,
    ),
  },
  {
    name: "password",
    reason: "Roster accepts passwords, and never stores them.",
    patch: (change, document, patch) =>
      change.target.name === "password" ? document : patch(change, document),
  },
  {
    name: "read-only attribute",
    reason:
      "Its path is refused (RFC 7644, 3.5.2: mutability); in a value without a path, it is ignored. scim-patch knows no schemas.",
    patch: (change, document, patch) => {
      const { attribute, sub } = change.target;
      const isReadOnly = [attribute, subAttribute(attribute, sub)].some(
        (each) => each?.mutability === "readOnly",
      );
      if (!isReadOnly) return patch(change, document);
      if (change.hasPath) throw new Refused("mutability");
      return document;
    },
  },
  {
    name: "unknown attribute",
    reason:
      "Its path is refused (RFC 7644, 3.12: invalidPath); in a value without a path, it is ignored. scim-patch knows no schemas.",
    patch: (change, document, patch) => {
      const { urn, name, attribute } = change.target;
      if (attribute || urn !== undefined || name === undefined) return patch(change, document);
      if (change.hasPath) throw new Refused("invalidPath");
      return document;
    },
  },
  {
    name: "value without a path",
    reason:
      "Each member is added or replaced as with a path (RFC 7644, 3.5.2.1 and 3.5.2.3). scim-patch replaces complex values as a whole.",
    patch: (change, document, patch) => patch({ ...change, hasPath: true }, document),
  },
  {
    name: "removal of a required attribute",
    reason: "It is refused (RFC 7644, 3.5.2.2: mutability). scim-patch knows no schemas.",
    patch: (change, document, patch) => {
      if (change.target.attribute?.required && isRemoval(change)) throw new Refused("mutability");
      return patch(change, document);
    },
  },
  {
    name: "URN that nobody knows",
    reason:
      "Its last part is an attribute if the user has the extension, or gets a text or a number. Otherwise the URN is that of an extension.",
    patch: (change, document, patch) => {
      const { target, value } = change;
      const { urn, name, attribute } = target;
      const isKnown = urn === undefined || urn === urns.rosterUser || document[urn] !== undefined;
      const isExtension =
        !isKnown && name !== undefined && !attribute && (isRemoval(change) || isObject(value));
      const extension = { ...target, urn: `${urn}:${name}`, name: undefined };
      return patch(isExtension ? { ...change, target: extension } : change, document);
    },
  },
  {
    name: "extension as a whole",
    reason: "The URN of an extension is a path (RFC 7644, 3.10). scim-patch cuts it at its last colon.",
    patch: (change, document, patch) => {
      const { target, value } = change;
      const { urn, name } = target;
      if (urn === undefined || name !== undefined) return patch(change, document);
      const isRemoved =
        change.op === "remove" || (change.op === "replace" && Bun.deepEquals(value ?? {}, {}));
      const known = urn === urns.enterpriseUser ? enterpriseSchema.attributes : [];
      const members = isRemoved ? document[urn] : value;
      return Object.entries(isObject(members) ? members : {}).reduce((changed, [member, each]) => {
        const attribute = known.find(({ name }) => name === member);
        const part = { ...change, target: { ...target, name: member, ...(attribute && { attribute }) } };
        return patch(isRemoved ? asRemoval(part) : { ...part, value: each }, changed);
      }, document);
    },
  },
  {
    name: "read-only sub-attribute",
    reason:
      "In a value, it is ignored (RFC 7644, 3.5.1), such as `manager.displayName`. scim-patch knows no schemas.",
    patch: inValue((value, { subAttributes = [] }) => {
      const readOnly = new Set(
        subAttributes.filter(({ mutability }) => mutability === "readOnly").map(({ name }) => name),
      );
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).filter(([name]) => !readOnly.has(name)))
        : value;
    }),
  },
  {
    name: "text as a boolean",
    reason: 'Roster reads "True" and "false" as booleans, because Entra sends them.',
    patch: (change, document, patch) => {
      const { target } = change;
      const filter = target.filter && withBooleans(target.filter, target.attribute);
      return inValue(toBoolean)({ ...change, target: { ...target, filter } }, document, patch);
    },
  },
  {
    name: "case of texts in filters",
    reason:
      "Text matches in any case, unless the schema says caseExact (RFC 7644, 3.4.2.2). scim-patch compares exactly.",
    patch: inFilter((comparison, texts) => {
      const { operator, value } = comparison;
      if (typeof value !== "string" || operator === "pr") return comparison;
      const known = texts.flatMap((text) => findSpelling(text, operator, value));
      return known.length === 0 ? comparison : { ...comparison, spellings: [...new Set(known)] };
    }),
  },
  {
    name: "filters of absent and empty values",
    reason:
      "What is absent is not equal to any value, and an empty text is not present. scim-patch says the opposite.",
    patch: inFilter((comparison) => {
      const { operator } = comparison;
      if (operator === "ne") return { ...comparison, operator: "eq", isNegated: true };
      return operator === "pr" ? { ...comparison, operator: "ne", value: "" } : comparison;
    }),
  },
  {
    name: "value that is unassigned",
    reason:
      "Null, [] and {} are no value (RFC 7643, 2.5): to add them changes nothing, to replace by them removes.",
    patch: (change, document, patch) => {
      if (change.op === "remove" || !isEmpty(change.value)) return patch(change, document);
      return change.op === "add" ? document : patch(asRemoval(change), document);
    },
  },
  {
    name: "removal with a value",
    reason:
      "Roster removes the entries that have the members of the value, because Entra removes members so. Of what is no list, it removes all.",
    patch: (change, document, patch) => {
      const { op, target, value } = change;
      if (op !== "remove" || value === undefined) return patch(change, document);
      const { attribute, name = "", filter, sub } = target;
      if (!attribute?.multiValued || filter || sub !== undefined || value === null) {
        return patch(asRemoval(change), document);
      }
      const removed = entriesOf(Array.isArray(value) ? value : [value]).filter((entry) => !isEmpty(entry));
      const found = entriesOf(document[name]).filter((entry) =>
        removed.some((members) =>
          Object.entries(members).every(([member, each]) =>
            isSameValue(subAttribute(attribute, member), entry[member], each),
          ),
        ),
      );
      return found.length === 0 ? document : patch({ ...change, value: found }, document);
    },
  },
  {
    name: "another manager",
    reason: "What was known about a manager, such as its URL, does not hold for another one.",
    patch: (change, document, patch) => {
      const { op, target, value } = change;
      const { urn, name, sub } = target;
      const extension = urn === undefined ? undefined : document[urn];
      const current = isObject(extension) ? extension.manager : undefined;
      if (name !== "manager" || !isObject(current)) return patch(change, document);
      const whole: Change = { ...change, target: { ...target, sub: undefined } };
      if (op === "remove") return patch(sub === "value" ? asRemoval(whole) : change, document);
      const sent = sub === undefined ? value : { [sub]: value ?? null };
      const isOther = isObject(sent) && sent.value !== undefined && sent.value !== current.value;
      if (!isOther) return patch(change, document);
      return patch({ ...whole, value: sent }, patch(asRemoval(whole), document));
    },
  },
  {
    name: "custom field",
    reason:
      "Roster replaces the value of a custom field as a whole: no schema says that it is complex or a list.",
    patch: (change, document, patch) => {
      const { op, target, value } = change;
      const { urn = "", name = "", attribute } = target;
      if (attribute || op === "remove") return patch(change, document);
      const extension = document[urn];
      const current = isObject(extension) ? extension[name] : undefined;
      const cleaned = clean(value ?? null);
      const merged = isObject(current) && isObject(cleaned) ? { ...current, ...cleaned } : cleaned;
      if (op === "add" && Array.isArray(current)) return patch(change, document);
      return patch({ ...change, value: op === "add" ? merged : value }, patch(asRemoval(change), document));
    },
  },
  {
    name: "two primary entries",
    reason:
      "At most one entry is primary (RFC 7643, 2.4), so Roster refuses to make several primary at once.",
    patch: (change, document, patch) => {
      const changed = patch(change, document);
      const primaries = entriesOf(changed[change.target.name ?? ""]).filter(isPrimary);
      if (change.target.attribute?.multiValued && primaries.length > 1) throw new Refused("invalidValue");
      return changed;
    },
  },
  {
    name: "same type and value",
    reason:
      "A list has each combination of type and value once (RFC 7643, 2.4), and what the operation says holds. scim-patch adds a second entry.",
    patch: (change, document, patch) => {
      const { target, value } = change;
      const { attribute, name = "", filter, sub } = target;
      if (!attribute?.multiValued) return patch(change, document);
      const isWhole = !filter && sub === undefined;
      const merged = isWhole && Array.isArray(value) ? mergeEntries(entriesOf(value), attribute) : value;
      const changed = findEntries(document, target);
      const others = entriesOf(document[name]).filter((entry) => !changed.includes(entry));
      return inList((entries) => {
        const isThere = (other: JsonObject) => entries.some((entry) => Bun.deepEquals(entry, other));
        const old = others.map((other) => (isThere(other) ? other : { ...other, primary: false }));
        const isOld = (entry: JsonObject) => old.some((each) => Bun.deepEquals(each, entry));
        return mergeEntries(entries, attribute, isOld);
      })({ ...change, value: merged }, document, patch);
    },
  },
  {
    name: "new primary entry",
    reason: "It makes the others not primary (RFC 7644, 3.5.2). scim-patch leaves several.",
    patch: (change, document, patch) => {
      const { op, target, value } = change;
      const madePrimary =
        target.sub === "primary" && value === true && op !== "remove" ? findEntries(document, target) : [];
      const others = entriesOf(document[target.name ?? ""]).filter((entry) => !madePrimary.includes(entry));
      const isOther = (entry: JsonObject) => others.some((other) => Bun.deepEquals(other, entry));
      return inList((entries) => {
        const hasNew = entries.some((entry) => isPrimary(entry) && !isOther(entry));
        return entries.map((entry) =>
          hasNew && isPrimary(entry) && isOther(entry) ? { ...entry, primary: false } : entry,
        );
      })(change, document, patch);
    },
  },
  {
    name: "filter that finds nothing",
    reason:
      "A removal succeeds; add creates the entry that the filter describes, replace too if the filter names a canonical type or primary. " +
      "Otherwise noTarget (RFC 7644, 3.5.2.3). scim-patch refuses removals, and creates entries with any eq.",
    patch: (change, document, patch) => {
      const { op, target, value } = change;
      const { attribute, filter, sub } = target;
      if (!attribute || !filter || findEntries(document, target).length > 0) return patch(change, document);
      if (op === "remove") return document;
      const described = describeEntry(filter);
      if (!described || (op === "replace" && !isCanonical(described, attribute)))
        throw new Refused("noTarget");
      const members = sub === undefined ? value : { [sub]: value ?? null };
      const entry = { ...described, ...(isObject(members) && members) };
      return patch({ ...change, op: "add", target: whole(target), value: [entry] }, document);
    },
  },
  {
    name: "replacement of found entries",
    reason: "They are replaced (RFC 7644, 3.5.2.3). scim-patch keeps their other members.",
    patch: (change, document, patch) => {
      const { op, target, value } = change;
      if (op !== "replace" || !target.filter || target.sub !== undefined) return patch(change, document);
      const entry = { ...describeEntry(target.filter), ...(isObject(value) && value) };
      const removed = patch(asRemoval(change), document);
      return patch({ ...change, op: "add", target: whole(target), value: [entry] }, removed);
    },
  },
  {
    name: "one value for a list",
    reason: "It is a list of one. scim-patch writes it into each entry, or instead of a list.",
    patch: (change, document, patch) => {
      const { op, target, value } = change;
      const { attribute, filter, sub } = target;
      const isOne =
        attribute?.multiValued && !filter && sub === undefined && op !== "remove" && isObject(value);
      return patch(isOne ? { ...change, value: [value] } : change, document);
    },
  },
  {
    name: "part of a list without entries",
    reason: "It starts a list with one entry. scim-patch makes an object instead of a list.",
    patch: (change, document, patch) => {
      const { op, target, value } = change;
      const { attribute, name = "", filter, sub } = target;
      const isNew = attribute?.multiValued && !filter && sub !== undefined && document[name] === undefined;
      if (!isNew || op === "remove" || value === undefined) return patch(change, document);
      return patch({ ...change, target: whole(target), value: [{ [sub]: value }] }, document);
    },
  },
];

function inList(rewrite: (entries: JsonObject[]) => JsonObject[]): Around {
  return (change, document, patch) => {
    const { attribute, name = "" } = change.target;
    const changed = patch(change, document);
    if (!attribute?.multiValued || changed[name] === undefined) return changed;
    return { ...changed, [name]: rewrite(entriesOf(changed[name])) };
  };
}

function isRemoval({ op, value }: Change): boolean {
  return op === "remove" || (op === "replace" && isEmpty(value));
}

function asRemoval(change: Change): Change {
  return { ...change, op: "remove", value: undefined };
}

/** The list, instead of some of its entries. */
function whole(target: Target): Target {
  return { ...target, filter: undefined, sub: undefined };
}

function isPrimary({ primary }: JsonObject): boolean {
  return primary === true;
}

/** Later entries add to earlier ones of their type and value, unless only they are old. */
function mergeEntries(
  entries: readonly JsonObject[],
  attribute: Attribute,
  isOld: (entry: JsonObject) => boolean = () => false,
): JsonObject[] {
  const merged = new Map<string, JsonObject>();
  for (const entry of entries) {
    const key = keyOf(entry, attribute);
    const first = merged.get(key) ?? {};
    merged.set(key, isOld(entry) && !isOld(first) ? { ...entry, ...first } : { ...first, ...entry });
  }
  return [...merged.values()];
}

/** What tells entries apart. */
function keyOf(entry: JsonObject, attribute: Attribute): string {
  const { type = "", value } = entry;
  if (typeof value !== "string") return JSON.stringify(Object.entries(entry).sort());
  return JSON.stringify([foldValue(undefined, type), foldValue(subAttribute(attribute, "value"), value)]);
}

function isCanonical(described: JsonObject, attribute: Attribute): boolean {
  const types = subAttribute(attribute, "type")?.canonicalValues ?? [];
  return Object.entries(described).every(
    ([name, value]) =>
      name === "primary" ||
      (name === "type" && typeof value === "string" && types.includes(value.toLowerCase())),
  );
}

function withLowerCase(filter: Filter): Filter {
  const comparisons = filter.comparisons.map((comparison) => ({
    ...comparison,
    value: foldValue(undefined, comparison.value),
  }));
  return { ...filter, comparisons };
}

function withBooleans(filter: Filter, attribute: Attribute | undefined): Filter {
  const comparisons = filter.comparisons.map((comparison) => {
    const sub = subAttribute(attribute, comparison.name);
    return sub ? { ...comparison, value: toBoolean(comparison.value, sub) } : comparison;
  });
  return { ...filter, comparisons };
}

function toBoolean(value: Json, attribute: Attribute): Json {
  if (Array.isArray(value)) return value.map((entry) => toBoolean(entry, attribute));
  if (attribute.type === "boolean" && typeof value === "string") return value.toLowerCase() === "true";
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, Json] => {
    const sub = subAttribute(attribute, name);
    return [name, sub ? toBoolean(member, sub) : member];
  });
  return Object.fromEntries(members);
}

/** The part of a text that a comparison finds, as the text spells it. */
function findSpelling(text: string, operator: Comparison["operator"], value: string): string[] {
  const [lowerText, lowerValue] = [text.toLowerCase(), value.toLowerCase()];
  const starts = {
    eq: lowerText === lowerValue ? 0 : -1,
    ne: lowerText === lowerValue ? 0 : -1,
    co: lowerText.indexOf(lowerValue),
    sw: lowerText.startsWith(lowerValue) ? 0 : -1,
    ew: lowerText.endsWith(lowerValue) ? text.length - value.length : -1,
    pr: -1,
  };
  const start = starts[operator];
  return start < 0 ? [] : [text.slice(start, start + value.length)];
}
