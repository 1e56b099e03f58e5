import type { CustomFields, Json } from "./custom-fields.ts";
import type { User } from "./service-types.ts";
/** Builds filter expressions for `users.list({ filter })`: `and(field("level").ge(3), field("plan").pr())`. */
import type { UserFilterExpression } from "./types.ts";

/** A value to compare with. A `Date` is sent as text in RFC 3339. */
export type FilterValue = string | number | boolean | null | Date;

/** A filter expression, or a part of one. `String(condition)` is its text. Only lists of users take one that compares groups. */
export class Condition<ComparesGroups extends boolean = false> implements UserFilterExpression {
  readonly comparesGroups: ComparesGroups;
  readonly #text: string;
  readonly #joint: Joint | undefined;

  /** `joint` is the word that joins the operands of the text, if it has several. */
  constructor(text: string, comparesGroups: ComparesGroups, joint?: Joint) {
    this.#text = text;
    this.comparesGroups = comparesGroups;
    this.#joint = joint;
  }

  toString(): string {
    return this.#text;
  }

  /** A condition in a JSON document is its text. */
  toJSON(): string {
    return this.#text;
  }

  /** The text as an operand: in parentheses if `and` would bind tighter. */
  toOperand(joint: Joint): string {
    return joint === "and" && this.#joint === "or" ? `(${this.#text})` : this.#text;
  }
}

type Joint = "and" | "or";

/** A field or a value inside it. If it is an array, some element has to match. */
export interface Field<Value = unknown> {
  /** Equal: text in any case. `null` also matches users without the field. */
  eq(value: Comparable<ElementOf<Value>>): Condition;
  /** Not equal: `not (… eq …)`. */
  ne(value: Comparable<ElementOf<Value>>): Condition;
  /** Equal to one of these values. */
  in(values: readonly Comparable<ElementOf<Value>>[]): Condition;
  /** Contains this text. */
  co(text: string): Condition;
  /** Starts with this text. */
  sw(text: string): Condition;
  /** Ends with this text. */
  ew(text: string): Condition;
  gt(value: Ordered<ElementOf<Value>>): Condition;
  ge(value: Ordered<ElementOf<Value>>): Condition;
  lt(value: Ordered<ElementOf<Value>>): Condition;
  le(value: Ordered<ElementOf<Value>>): Condition;
  /** Present: not absent, null, `""` or `[]`. */
  pr(): Condition;
  /** The elements that meet a condition on their own fields. */
  where(condition: Condition | ((field: FieldOf<ElementOf<Value>>) => Condition)): Elements<ElementOf<Value>>;
}

/** Elements of an array. As a condition: there is at least one. */
export interface Elements<Element = unknown> extends Condition {
  /** A field of these elements. */
  field: FieldOf<Element>;
}

/** Finds a field by its path, such as `address.city`, or by its names if they contain dots: `["address", "a.b"]`. */
export interface FieldOf<Item> {
  <Path extends PathOf<Item>>(path: Path): Field<ValueAt<Item, Path>>;
  (names: readonly string[]): Field;
}

/** Fields of any name and type. */
export const field: FieldOf<unknown> = (path: string | readonly string[]) => {
  const names = toNames(path);
  if (names[0] === "groups") throw new RangeError("Compare groups as groups.eq(7): import groups instead.");
  return new PathField(formatPath(names));
};

/** A comparison of the groups that a user is a member of. `and` joins it to other conditions, and `not` takes it alone. */
export class GroupComparison extends Condition<true> {
  constructor(text: string) {
    super(text, true);
  }

  /** The users that this comparison does not find. */
  negate(): Condition<true> {
    return new Condition(`not (${this})`, true);
  }
}

/** The groups that a user is a member of, in filters of users. A group that does not exist has no members. */
export const groups = {
  /** The group with this id. */
  ...compareGroups<number>("groups"),
  /** Any group. */
  pr: () => new GroupComparison("groups pr"),
  /** The name of a group, in any case. */
  name: compareGroups<string>("groups.name"),
};

function compareGroups<Value extends number | string>(path: string) {
  return {
    eq: (value: Value) => new GroupComparison(formatComparison(path, "eq", value)),
    ne: (value: Value) => new GroupComparison(formatComparison(path, "ne", value)),
  };
}

/** `field` for users with these custom fields: the compiler checks paths and values. */
export function fieldsOf<Custom = CustomFields>(): FieldOf<User<Custom>>;
export function fieldsOf(): FieldOf<unknown> {
  return field;
}

/** All of the conditions. */
export function and(first: Condition, ...others: readonly Condition[]): Condition;
export function and(first: Condition<boolean>, ...others: readonly Condition<boolean>[]): Condition<boolean>;
export function and(first: Condition<boolean>, ...others: readonly Condition<boolean>[]): Condition<boolean> {
  const comparesGroups = [first, ...others].some((operand) => operand.comparesGroups);
  return others.length > 0 ? new Condition(join("and", [first, ...others]), comparesGroups, "and") : first;
}

/** At least one of the conditions. */
export function or(first: Condition, ...others: readonly Condition[]): Condition {
  const operands = [first, ...others].map(refuseGroups);
  return others.length > 0 ? new Condition(join("or", operands), false, "or") : first;
}

/** The opposite. */
export function not(condition: Condition): Condition;
export function not(condition: GroupComparison): Condition<true>;
export function not(condition: Condition | GroupComparison): Condition | Condition<true> {
  if (condition instanceof GroupComparison) return condition.negate();
  return new Condition(`not (${refuseGroups(condition)})`, false);
}

function join(joint: Joint, operands: readonly Condition<boolean>[]): string {
  return operands.map((operand) => operand.toOperand(joint)).join(` ${joint} `);
}

/** The service finds the members of groups by an index, which is of no use for a part of an expression. */
function refuseGroups(condition: Condition): Condition {
  if (condition.comparesGroups) {
    throw new RangeError(
      "Join comparisons of groups to the rest by and: not below or and where, and only one of them in not.",
    );
  }
  return condition;
}

class PathField implements Field {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  eq(value: FilterValue): Condition {
    return this.#compare("eq", value);
  }

  ne(value: FilterValue): Condition {
    return this.#compare("ne", value);
  }

  in(values: readonly FilterValue[]): Condition {
    const [first, ...others] = values.map((value) => this.eq(value));
    // No user has one of no values.
    return first ? or(first, ...others) : and(this.pr(), not(this.pr()));
  }

  co(text: string): Condition {
    return this.#compare("co", text);
  }

  sw(text: string): Condition {
    return this.#compare("sw", text);
  }

  ew(text: string): Condition {
    return this.#compare("ew", text);
  }

  gt(value: FilterValue): Condition {
    return this.#compare("gt", value);
  }

  ge(value: FilterValue): Condition {
    return this.#compare("ge", value);
  }

  lt(value: FilterValue): Condition {
    return this.#compare("lt", value);
  }

  le(value: FilterValue): Condition {
    return this.#compare("le", value);
  }

  pr(): Condition {
    return new Condition(`${this.#path} pr`, false);
  }

  where(condition: Condition | ((element: FieldOf<unknown>) => Condition)): Elements {
    const ofElements = typeof condition === "function" ? condition(field) : condition;
    return new ElementsOf(`${this.#path}[${refuseGroups(ofElements)}]`, false);
  }

  #compare(operator: string, value: FilterValue): Condition {
    return new Condition(formatComparison(this.#path, operator, value), false);
  }
}

function formatComparison(path: string, operator: string, value: FilterValue): string {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new RangeError(`A filter cannot contain ${value}.`);
  }
  return `${path} ${operator} ${JSON.stringify(value)}`;
}

class ElementsOf extends Condition implements Elements {
  readonly field: FieldOf<unknown> = (path: string | readonly string[]) =>
    new PathField(`${this}.${formatPath(toNames(path))}`);
}

function toNames(path: string | readonly string[]): readonly string[] {
  return typeof path === "string" ? path.split(".") : path;
}

/** Names with other characters are JSON strings. */
function formatPath(names: readonly string[]): string {
  return names.map((name) => (/^[A-Za-z_$][\w$-]*$/.test(name) ? name : JSON.stringify(name))).join(".");
}

/** The elements of an array, also of nested ones. Any other value stands for itself. */
type ElementOf<Value> = unknown extends Value
  ? unknown
  : NonNullable<Value> extends readonly (infer Element)[]
    ? ElementOf<Element>
    : NonNullable<Value>;

/** The paths in a type, five levels deep. Any text if the type has fields of any name. */
type PathOf<Item, Levels extends 0[] = []> = unknown extends Item
  ? string
  : Json extends Item
    ? string
    : string extends keyof Item
      ? string
      : Levels["length"] extends 5
        ? string
        : {
            [Name in keyof Item & string]:
              | Name
              | `${Name}.${InnerPath<ElementOf<Item[Name]>, [...Levels, 0]>}`;
          }[keyof Item & string];

type InnerPath<Value, Levels extends 0[]> = Json extends Value | null
  ? string
  : Value extends object
    ? PathOf<Value, Levels>
    : never;

type ValueAt<Item, Path extends string> = Path extends keyof Item
  ? Item[Path]
  : Path extends `${infer Name}.${infer Rest}`
    ? Name extends keyof Item
      ? ValueAt<ElementOf<Item[Name]>, Rest>
      : unknown
    : unknown;

/** What a value of this type can be compared with. */
type Comparable<Value> = unknown extends Value ? FilterValue : Scalar<Value> | null;
type Scalar<Value> = Value extends string ? Value | Date : Value extends number | boolean ? Value : never;

type Ordered<Value> = unknown extends Value
  ? string | number | Date
  : Value extends string
    ? string | Date
    : Value extends number
      ? number
      : never;
