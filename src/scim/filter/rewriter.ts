import type { Comparison, Expression, Path, Step } from "../../domain/filter/expression.ts";
import type { Place } from "../../domain/filter/parse-expression.ts";
import type { MembershipComparison } from "../../domain/lists/group-filters.ts";
import { subNames } from "../attribute-names.ts";
import { findExtension, isUrn, looksLikeUrn, resolvePath } from "../attribute-path.ts";
import type { Attribute, AttributeSchema, ResourceKind } from "../attributes.ts";
import { attributeTerms } from "./attribute-terms.ts";
import type { Entries, SubTerms } from "./entries.ts";
import { allOf, anyOf, type Logic, not } from "./logic.ts";
import { membershipEntries } from "./membership-entries.ts";
import { EXTENSIONS } from "./record-fields.ts";
import { absent, compare, type Term, Unfilterable, valueAt } from "./term.ts";
import { typedValue } from "./typed-value.ts";

/** What the text of a filter compares. */
type Leaf = Comparison | Extract<Expression, { kind: "present" | "element" }>;

/** What a path means. */
interface Target {
  readonly term: Term;
  /** The attribute whose value is compared. Undefined if the table does not have it. */
  readonly attribute?: Attribute | undefined;
}

const ABSENT: Target = { term: absent };

/** Rewrites a filter of SCIM, as it was parsed, to an expression over the fields of records. */
export class Rewriter {
  readonly #kind: ResourceKind;
  readonly #terms: (typeof attributeTerms)[ResourceKind["name"]];
  readonly #places: ReadonlyMap<Expression, Place>;
  readonly #memberships = new Map<Expression, MembershipComparison>();

  constructor(kind: ResourceKind, places: ReadonlyMap<Expression, Place>) {
    this.#kind = kind;
    this.#terms = attributeTerms[kind.name];
    this.#places = places;
  }

  /** What stands for filters by memberships in the result. */
  get memberships(): ReadonlyMap<Expression, MembershipComparison> {
    return this.#memberships;
  }

  /** Throws a `FilterSyntaxError`. */
  rewrite(expression: Expression): Logic {
    return mapLeaves(expression, (leaf) => this.#test(leaf, this.#find(leaf)));
  }

  /** The attribute that a comparison is about, if the table has it. */
  attributeOf(comparison: Comparison): Attribute | undefined {
    return this.#find(comparison).attribute;
  }

  /** Whether the value of the target is as the leaf says. */
  #test(leaf: Leaf, { term, attribute }: Target): Logic {
    const place = this.#placeOf(leaf);
    try {
      if (leaf.kind !== "compare") return term("present");
      return compare(term, { operator: leaf.operator, value: typedValue(attribute, leaf, place) });
    } catch (error) {
      if (error instanceof Unfilterable) throw place.errorOf(error.expected);
      throw error;
    }
  }

  #placeOf(leaf: Expression): Place {
    const place = this.#places.get(leaf);
    if (!place) throw new Error("A comparison has no place in the text.");
    return place;
  }

  #find(leaf: Leaf): Target {
    const [first, ...others] = leaf.path;
    const urn = first && looksLikeUrn(first.name) ? first.name : undefined;
    if (urn !== undefined && first?.where) return ABSENT;
    const steps = urn === undefined ? leaf.path : others;
    const names = steps.map(({ name }) => name);
    const { urn: extension, attribute } = resolvePath(this.#kind, urn, names);
    if (attribute) return this.#findAttribute(attribute, steps, leaf);
    if (extension !== undefined) return this.#findInExtension(extension, steps);
    const [name, ...deeper] = names;
    const isSchemas = name?.toLowerCase() === "schemas" && deeper.length === 0;
    return isSchemas || name === undefined ? { term: this.#schemas } : ABSENT;
  }

  #findAttribute(attribute: Attribute, [step, next, ...deeper]: Path, leaf: Leaf): Target {
    const { where } = step ?? {};
    if (!attribute.subAttributes) {
      return where || next ? ABSENT : { term: this.#terms.simple(attribute), attribute };
    }
    if (next?.where || deeper.length > 0) return ABSENT;
    const sub = subNames(attribute).find(next?.name ?? "value");
    const entries = this.#entriesOf(attribute, leaf);
    const meets = (terms: SubTerms) => !where || this.#testEntry(where, attribute, terms);
    const isAboutEntry = !next && leaf.kind !== "compare";
    const term: Term = (test) =>
      entries((terms) => (isAboutEntry ? meets(terms) : allOf(meets(terms), terms(sub)(test))));
    return { term, attribute: sub };
  }

  #entriesOf(attribute: Attribute, leaf: Leaf): Entries {
    const { name } = this.#kind;
    if (attribute.name !== (name === "User" ? "groups" : "members")) return this.#terms.entries(attribute);
    return membershipEntries(name, (filter) => {
      const standIn: Expression = { kind: "present", path: [{ name: attribute.name }] };
      const expected = `${attribute.name} at the top level, joined by and with the rest, also in not (…)`;
      const error = () => this.#placeOf(leaf).errorOf(expected);
      this.#memberships.set(standIn, { filter, error });
      return standIn;
    });
  }

  /** Whether an entry meets a condition in brackets. */
  #testEntry(where: Expression, attribute: Attribute, terms: SubTerms): Logic {
    return mapLeaves(where, (leaf) => {
      const [step, ...deeper] = leaf.path;
      const isMember = step && !step.where && deeper.length === 0;
      const sub = isMember ? subNames(attribute).find(step.name) : undefined;
      return this.#test(leaf, { term: terms(sub), attribute: sub });
    });
  }

  #findInExtension(urn: string, steps: Path): Target {
    const { customUrn } = this.#kind;
    const isWhole = steps.length === 0;
    if (isUrn(urn, customUrn) && !isWhole) return { term: this.#terms.custom(this.#withTypes(steps)) };
    const extension = findExtension(this.#kind, urn);
    if (isWhole) return { term: (test) => test === "present" && this.#isPresent(urn) };
    return extension ? ABSENT : { term: valueAt([...extensionPath(urn), ...this.#withTypes(steps)]) };
  }

  /** Whether a resource has values of a schema. */
  #isPresent(urn: string): Logic {
    const { core, customUrn } = this.#kind;
    if (isUrn(urn, core.id)) return true;
    if (isUrn(urn, customUrn)) throw new Unfilterable("an attribute of this extension");
    const extension = findExtension(this.#kind, urn);
    if (extension) return this.#hasAny(extension);
    return looksLikeUrn(urn) && valueAt(extensionPath(urn))("present");
  }

  #hasAny({ attributes }: AttributeSchema): Logic {
    return anyOf(
      ...attributes.map((attribute) =>
        attribute.subAttributes
          ? this.#terms.entries(attribute)(() => true)
          : this.#terms.simple(attribute)("present"),
      ),
    );
  }

  readonly #schemas: Term = (test) => {
    if (test === "present") return true;
    if (test.operator !== "eq" || typeof test.value !== "string")
      throw new Unfilterable("eq, ne or pr for schemas");
    return this.#isPresent(test.value);
  };

  /** A path of custom values, whose conditions are not rewritten. */
  #withTypes(steps: Path): Path {
    return steps.map(
      ({ name, where }): Step => (where ? { name, where: this.#checkTypes(where) } : { name }),
    );
  }

  #checkTypes(where: Expression): Expression {
    switch (where.kind) {
      case "and":
      case "or":
        return { ...where, operands: where.operands.map((operand) => this.#checkTypes(operand)) };
      case "not":
        return { ...where, operand: this.#checkTypes(where.operand) };
      case "compare":
        return {
          ...where,
          path: this.#withTypes(where.path),
          value: typedValue(undefined, where, this.#placeOf(where)),
        };
      case "present":
      case "element":
        return { ...where, path: this.#withTypes(where.path) };
      default:
        return where;
    }
  }
}

function extensionPath(urn: string): Path {
  return [...EXTENSIONS, urn].map((name) => ({ name }));
}

/** Rewrites the comparisons of an expression, as a text says them. */
function mapLeaves(expression: Expression, map: (leaf: Leaf) => Logic): Logic {
  switch (expression.kind) {
    case "and":
      return allOf(...expression.operands.map((operand) => mapLeaves(operand, map)));
    case "or":
      return anyOf(...expression.operands.map((operand) => mapLeaves(operand, map)));
    case "not":
      return not(mapLeaves(expression.operand, map));
    case "compare":
    case "present":
    case "element":
      return map(expression);
    default:
      throw new Error(`No text says ${expression.kind}.`);
  }
}
