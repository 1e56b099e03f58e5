import fc from "fast-check";
import { isObject, type Json, type JsonObject } from "../../../src/contract/json.ts";
import { coreAttribute } from "../../../src/scim/attribute-names.ts";
import { type Attribute, commonAttributes, urns, userKind } from "../../../src/scim/attributes.ts";
import {
  arbitraryCustomValue,
  arbitraryResource,
  arbitraryValue,
} from "../../../test/scim/support/arbitrary-resources.ts";

type Op = "add" | "replace" | "remove";

/** An operation in parts: a change, or several if it has no path. */
export type PlannedOperation = readonly Change[];

/** A change of one target. */
export interface Change {
  readonly op: Op;
  /** Otherwise, the target is the name of a member of the value. */
  readonly hasPath: boolean;
  readonly target: Target;
  /** Undefined: all values are removed. */
  readonly value: Json | undefined;
}

/** What a path names. */
export interface Target {
  /** The extension. Undefined for the core schema. */
  readonly urn: string | undefined;
  /** Undefined for an extension alone. */
  readonly name: string | undefined;
  /** What the table has for the name, if it has it. */
  readonly attribute?: Attribute;
  readonly filter?: Filter | undefined;
  readonly sub?: string | undefined;
  readonly spelling: Spelling;
}

/** How a client writes a path. */
type Spelling = "as the table" | "with the URN" | "without the URN" | "in lower case";

export interface Filter {
  readonly isNegated: boolean;
  readonly join: "and" | "or";
  readonly comparisons: readonly Comparison[];
}

export interface Comparison {
  readonly name: string;
  readonly operator: "eq" | "ne" | "co" | "sw" | "ew" | "pr";
  readonly value: Json;
  /** The number of an entry that the user has at first: the value is that of this entry. */
  readonly entry?: number | undefined;
  /** Texts of which one is enough, instead of the value. */
  readonly spellings?: readonly string[];
  readonly isNegated?: boolean;
}

/** The extension of a vendor, which Roster does not know. */
const vendorUrn = "urn:example:params:scim:schemas:Badge";

type Changed = Pick<Change, "target" | "value">;

/** Few texts, so that filters find entries. Some differ only by their case. */
const words = fc.constantFrom("ada", "Ada", "ada@x.example", "b@x.example", "7", "Zoë Müller", "");
const types = fc.constantFrom("work", "Work", "home", "other", "x");
const unassigned = fc.constantFrom<Json>(null, [], {});

const plannedUser: fc.Arbitrary<JsonObject> = arbitraryResource(userKind, words);

function mostly<Value>(usual: fc.Arbitrary<Value>, other: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: other });
}

function comparisonOf({ subAttributes = [] }: Attribute): fc.Arbitrary<Comparison> {
  const usual = subAttributes.filter(({ name }) => ["type", "value", "primary"].includes(name));
  return fc.constantFrom(...subAttributes, ...usual, ...usual).chain(({ name, type }) => {
    const others = type === "boolean" ? (["ne", "pr"] as const) : (["ne", "co", "sw", "ew", "pr"] as const);
    return fc.record({
      name: fc.constant(name),
      entry: fc.option(fc.nat(2), { nil: undefined }),
      operator: mostly(fc.constant<Comparison["operator"]>("eq"), fc.constantFrom(...others)),
      value:
        type === "boolean"
          ? mostly<Json>(fc.boolean(), fc.constant("True"))
          : name === "type"
            ? types
            : words,
    });
  });
}

function filterOf(attribute: Attribute): fc.Arbitrary<Filter> {
  const one = fc.tuple(comparisonOf(attribute));
  const two = fc.tuple(comparisonOf(attribute), comparisonOf(attribute));
  return fc.record({
    isNegated: mostly(fc.constant(false), fc.constant(true)),
    join: fc.constantFrom<Filter["join"]>("and", "or"),
    comparisons: mostly<Comparison[]>(one, two),
  });
}

const spelling = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Spelling>("as the table") },
  { weight: 2, arbitrary: fc.constant<Spelling>("with the URN") },
  { weight: 1, arbitrary: fc.constantFrom<Spelling>("without the URN", "in lower case") },
);

/** Changes of an attribute of the table, as a whole or in part. */
function memberOf(attribute: Attribute, urn: string | undefined): fc.Arbitrary<Changed> {
  const { name, subAttributes = [], multiValued } = attribute;
  const none = fc.constant(undefined);
  const parts = fc.record({
    sub: subAttributes.length > 0 ? fc.option(fc.constantFrom(...subAttributes), { nil: undefined }) : none,
    filter: multiValued ? fc.option(filterOf(attribute), { nil: undefined }) : none,
    spelling,
  });
  return parts.chain(({ sub, filter, spelling }) => {
    const { multiValued: _, ...entry } = attribute;
    const values = arbitraryValue(sub ?? (filter ? entry : attribute), words);
    const oneOrMore = multiValued && !sub && !filter ? mostly(values, arbitraryValue(entry, words)) : values;
    const target = { urn, name, attribute, filter, sub: sub?.name, spelling };
    return mostly(oneOrMore, unassigned).map((value) => ({ target, value }));
  });
}

const core = userKind.core.attributes.filter(({ name }) => name !== "userName");
const attributes = [
  ...[...core, ...commonAttributes].map((attribute) => memberOf(attribute, undefined)),
  ...userKind.extensions.flatMap(({ id, attributes }) => attributes.map((each) => memberOf(each, id))),
];
const lists = core
  .filter(({ multiValued }) => multiValued)
  .map((attribute) => memberOf(attribute, undefined));

/** User names that no other user has. */
const userName = fc.uuid().map((value) => ({
  target: { ...named("userName"), attribute: coreAttribute(userKind, "userName") },
  value,
}));
const unknown = fc.constantFrom(named("unknown"), { ...named("name"), sub: "unknown" }, named("password"));

function named(name: string, urn?: string): Target {
  return { urn, name, spelling: "as the table" };
}

/** Custom fields, and attributes of an extension that no table has. */
const custom: fc.Arbitrary<Changed> = fc.record({
  target: fc
    .tuple(fc.constantFrom("badge", "level", "Zone"), fc.constantFrom(urns.rosterUser, vendorUrn))
    .map(([name, urn]) => named(name, urn)),
  value: arbitraryCustomValue(words),
});

const extension: fc.Arbitrary<Changed> = fc
  .tuple(fc.constantFrom(urns.enterpriseUser, urns.rosterUser, vendorUrn), plannedUser)
  .map(([urn, user]) => ({
    target: { urn, name: undefined, spelling: "as the table" },
    value: user[urn] ?? {},
  }));

const changed = fc.oneof(
  { weight: 20, arbitrary: fc.oneof(...attributes) },
  { weight: 20, arbitrary: fc.oneof(...lists) },
  { weight: 4, arbitrary: custom },
  { weight: 2, arbitrary: extension },
  { weight: 1, arbitrary: userName },
  { weight: 1, arbitrary: unknown.map((target) => ({ target, value: "ada" })) },
);

const withPath: fc.Arbitrary<PlannedOperation> = fc
  .tuple(
    fc.constantFrom<Op>("add", "replace", "remove"),
    changed,
    mostly(fc.constant(false), fc.constant(true)),
  )
  .map(([op, { target, value }, hasValue]) => [
    { op, hasPath: true, target, value: op === "remove" && !hasValue ? undefined : value },
  ]);

const withoutPath: fc.Arbitrary<PlannedOperation> = fc
  .tuple(
    fc.constantFrom<Op>("add", "replace"),
    fc.uniqueArray(changed, { minLength: 1, maxLength: 3, selector: ({ target }) => spell(target) }),
  )
  .map(([op, members]) => members.map((member) => ({ op, hasPath: false, ...member })));

const operations = fc.array(
  fc.oneof({ weight: 5, arbitrary: withPath }, { weight: 1, arbitrary: withoutPath }),
  { minLength: 1, maxLength: 4 },
);

/** A user without its user name, and the operations of one PATCH. */
export interface PlannedPatch {
  readonly user: JsonObject;
  readonly operations: readonly PlannedOperation[];
}

export const plannedPatch: fc.Arbitrary<PlannedPatch> = fc
  .record({ user: plannedUser, operations })
  .map(({ user, operations }) => ({
    user,
    operations: operations.map((operation) => {
      const aimed = operation.map((change) => ({ ...change, target: aim(change.target, user) }));
      // Members of an object have different names.
      return [...new Map(aimed.map((change) => [spell(change.target), change])).values()];
    }),
  }));

/** Filters find entries rarely by chance. */
function aim(target: Target, user: JsonObject): Target {
  const { name = "", filter } = target;
  const list = user[name];
  if (!filter || !Array.isArray(list)) return target;
  const comparisons = filter.comparisons.map((comparison) => {
    const entry = comparison.entry === undefined ? undefined : list[comparison.entry % list.length];
    const value = isObject(entry) ? entry[comparison.name] : undefined;
    return value === undefined ? comparison : { ...comparison, value };
  });
  return { ...target, filter: { ...filter, comparisons } };
}

/** The operation as a client sends it. */
export function toJson(operation: PlannedOperation): JsonObject {
  const [first] = operation;
  if (!first) throw new Error("An operation changes something.");
  const { op, hasPath, target, value } = first;
  if (hasPath) return { op, path: spell(target), ...(value !== undefined && { value }) };
  const members = operation.map(({ target, value = null }): [string, Json] => [spell(target), value]);
  return { op, value: Object.fromEntries(members) };
}

/** The path as text. */
function spell({ urn, name, filter, sub, spelling }: Target): string {
  const prefixes = {
    "as the table": urn,
    "in lower case": urn,
    "with the URN": urn ?? urns.user,
    "without the URN": undefined,
  };
  const condition = filter ? `[${spellFilter(filter)}]` : "";
  const path = name && `${name}${condition}${sub ? `.${sub}` : ""}`;
  const text = [prefixes[spelling], path].filter((part) => part !== undefined).join(":");
  return spelling === "in lower case" ? text.toLowerCase() : text;
}

export function spellFilter({ isNegated, join, comparisons }: Filter): string {
  const text = comparisons.map(spellComparison).join(` ${join} `);
  return isNegated ? `not (${text})` : text;
}

function spellComparison({ name, operator, value, spellings, isNegated }: Comparison): string {
  if (operator === "pr") return `${name} pr`;
  const tests = (spellings ?? [value]).map((each) => `${name} ${operator} ${JSON.stringify(each)}`);
  const text = tests.join(" or ");
  if (isNegated) return `not (${text})`;
  return tests.length > 1 ? `(${text})` : text;
}
