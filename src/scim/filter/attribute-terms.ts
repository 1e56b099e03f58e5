import type { Path } from "../../domain/filter/expression.ts";
import { type Attribute, groupKind, type ResourceKind, userKind } from "../attributes.ts";
import { slotsOf } from "../field-slots.ts";
import { emailEntries, emailsFit } from "./email-entries.ts";
import {
  type Entries,
  fitsList,
  fitsObject,
  listEntries,
  objectEntry,
  singleEntry,
  spelling,
} from "./entries.ts";
import { allOf, type Logic, not } from "./logic.ts";
import { isCustomField } from "./record-fields.ts";
import { absent, always, numberAfter, numberAt, type Term, textAt, Unfilterable, valueAt } from "./term.ts";
import { userName } from "./user-name.ts";

/** What the attributes of one kind of resource mean in its records. */
class AttributeTerms {
  readonly #kind: ResourceKind;
  /** Of the fields that attributes show: whether the value fits. Values that do not are shown as custom fields. */
  readonly #fits: ReadonlyMap<string, Logic>;

  constructor(kind: ResourceKind) {
    this.#kind = kind;
    const ofSlots = slotsOf(kind).map(
      ({ field, attribute }) => [field, fitsField(attribute, field)] as const,
    );
    this.#fits = new Map([...ofSlots, ...(kind.name === "User" ? [["emails", emailsFit] as const] : [])]);
  }

  /** An attribute without sub-attributes. */
  simple(attribute: Attribute): Term {
    const { name, field } = attribute;
    if (field !== undefined) return textAt([{ name: field }], { direct: true, ...spelling(attribute) });
    switch (name) {
      case "id":
        return numberAt("id", this.#kind.name === "User" ? "" : "g", { exact: true });
      case "userName":
        return userName;
      case "displayName":
        return textAt([{ name: "name" }]);
      case "active":
        return active;
      default:
        throw new Error(`No list can be filtered by ${name}.`);
    }
  }

  /** An attribute with sub-attributes whose entries records have. */
  entries(attribute: Attribute): Entries {
    const { name, field, multiValued } = attribute;
    if (field !== undefined)
      return multiValued ? listEntries(attribute, field) : objectEntry(attribute, field);
    if (name === "emails") return emailEntries;
    return singleEntry(attribute, (sub) => (name === "meta" ? this.#meta(sub) : this.simple(sub)));
  }

  /** A custom field, or a value in one. */
  custom(path: Path): Term {
    const [{ name } = { name: "" }] = path;
    const fits = this.#fits.get(name);
    if (fits === undefined && !isCustomField(this.#kind, name)) return absent;
    const term = valueAt(path);
    return (test) => allOf(term(test), not(fits ?? false));
  }

  #meta({ name }: Attribute): Term {
    switch (name) {
      case "created":
        return textAt([{ name: "createdAt" }]);
      case "lastModified":
        return textAt([{ name: "updatedAt" }]);
      case "version":
        return version;
      case "resourceType":
        return always(this.#kind.name);
      default:
        return unfilterable(`another attribute than meta.${name}`);
    }
  }
}

/** What attributes mean, for each kind of resource. */
export const attributeTerms: Readonly<Record<ResourceKind["name"], AttributeTerms>> = {
  User: new AttributeTerms(userKind),
  Group: new AttributeTerms(groupKind),
};

/** A user without the field is active. */
const active: Term = (test) => {
  if (test === "present") return true;
  const isInactive: Logic = { kind: "compare", path: [{ name: "active" }], operator: "eq", value: false };
  return test.value === false ? isInactive : not(isInactive);
};

const version: Term = (test) => {
  if (test === "present") return true;
  if (test.operator !== "eq" || typeof test.value !== "string")
    return unfilterable("eq or ne for meta.version")(test);
  const number = test.value.endsWith('"') ? numberAfter('W/"', test.value.slice(0, -1)) : undefined;
  return (
    number !== undefined && { kind: "compare", path: [{ name: "version" }], operator: "eq", value: number }
  );
};

/** An attribute that every resource has, and that no list can be filtered by. */
function unfilterable(expected: string): Term {
  return (test) => {
    if (test === "present") return true;
    throw new Unfilterable(expected);
  };
}

function fitsField(attribute: Attribute, field: string): Logic {
  if (attribute.type !== "complex")
    return { kind: "compare", path: [{ name: field }], operator: "ge", value: "", direct: true };
  return attribute.multiValued ? fitsList(attribute, field) : fitsObject(attribute, field);
}
