import type { ObjectShape, Shape } from "../../domain/filter/shape.ts";
import type { Attribute } from "../attributes.ts";
import { allOf, anyOf, type Logic } from "./logic.ts";
import { absent, type Term, textAt, valueAt } from "./term.ts";

/** What the sub-attributes of an entry mean. Undefined stands for a sub-attribute that entries do not have. */
export type SubTerms = (sub: Attribute | undefined) => Term;

/** What is known of the entries of a complex attribute: the condition that some entry meets a condition. */
export type Entries = (condition: (terms: SubTerms) => Logic) => Logic;

/** The entries of a list that is stored as SCIM shows it. */
export function listEntries(attribute: Attribute, field: string): Entries {
  return (condition) => allOf(fitsList(attribute, field), someElement(field, condition(elementTerms)));
}

/** Whether the field has a list that SCIM shows as the attribute's. */
export function fitsList(attribute: Attribute, field: string): Logic {
  const shape: Shape = { each: shapeOf(attribute), uniquelyTrue: "primary" };
  return { kind: "fits", field, shape };
}

/** The only entry of an attribute that is stored as SCIM shows it. */
export function objectEntry(attribute: Attribute, field: string): Entries {
  const entry = singleEntry(attribute, (sub) =>
    isShown(sub) ? textAt([{ name: field }, { name: sub.name }], { direct: true, ...spelling(sub) }) : absent,
  );
  return (condition) => allOf(fitsObject(attribute, field), entry(condition));
}

/** Whether the field has a value that SCIM shows as the attribute's. */
export function fitsObject(attribute: Attribute, field: string): Logic {
  return { kind: "fits", field, shape: shapeOf(attribute) };
}

/** The only entry of an attribute, which is there if one of its sub-attributes is. */
export function singleEntry(attribute: Attribute, termOf: (sub: Attribute) => Term): Entries {
  const terms: SubTerms = (sub) => (sub ? termOf(sub) : absent);
  return (condition) => {
    const isThere = () => anyOf(...(attribute.subAttributes ?? []).map((sub) => terms(sub)("present")));
    return unlessImplied(
      condition(terms),
      condition(() => absent),
      isThere,
    );
  };
}

/** The condition, and what it needs unless it implies that: without it, nothing meets the condition. */
export function unlessImplied(condition: Logic, without: Logic, needed: () => Logic): Logic {
  return without === false ? condition : allOf(condition, needed());
}

/** What the sub-attributes mean in a condition in brackets. */
export const elementTerms: SubTerms = (sub) => {
  if (!sub || !isShown(sub)) return absent;
  const path = [{ name: sub.name }];
  return sub.type === "boolean" ? valueAt(path) : textAt(path, spelling(sub));
};

/** The condition that some element of the list in a field meets a condition. */
export function someElement(field: string, condition: Logic): Logic {
  if (condition === false) return false;
  if (condition === true) return { kind: "present", path: [{ name: field }] };
  return { kind: "element", path: [{ name: field, where: condition }] };
}

function shapeOf({ subAttributes = [] }: Attribute): ObjectShape {
  const shown = subAttributes.filter(isShown);
  return {
    members: Object.fromEntries(
      shown.map(({ name, type }) => [name, type === "boolean" ? "boolean" : "string"]),
    ),
  };
}

/** Whether documents have the values that are stored. */
function isShown({ mutability, returned }: Attribute): boolean {
  return mutability !== "readOnly" && returned !== "never";
}

export function spelling({ caseExact }: Attribute): { readonly exact?: true } {
  return caseExact ? { exact: true } : {};
}
