import { isObject, type Json, type JsonObject } from "../../contract/json.ts";

/** What a value looks like: plain data, as expressions are. */
export type Shape = ObjectShape | ListShape;

export interface ObjectShape {
  /** The types of members. A member can be missing or empty. A name that differs from one of these only in its case does not fit. */
  readonly members: Readonly<Record<string, "string" | "boolean">>;
  /** The member that has to be there, and not empty. */
  readonly required?: string;
  /** It has no other members. */
  readonly isClosed?: true;
}

/** An array with at least one element. Elements that are empty count as absent, unless one may have the shape `once`. */
interface ListShape {
  readonly each: ObjectShape;
  /** At most one element has this shape instead. */
  readonly once?: ObjectShape;
  /** At most one element has true in this member. */
  readonly uniquelyTrue?: string;
}

export function hasShape(value: Json | undefined, shape: Shape): boolean {
  if ("each" in shape) return Array.isArray(value) && isList(value, shape);
  return isObject(value) && isOfShape(value, shape);
}

function isList(list: readonly Json[], { each, once, uniquelyTrue }: ListShape): boolean {
  const elements = list.filter((element) => !isEmpty(element) || (once && isObject(element)));
  const others = elements.filter((element) => !hasShape(element, each));
  if (others.length > 1 || !others.every((element) => once && hasShape(element, once))) return false;
  const marked = elements.filter(
    (element) => uniquelyTrue && isObject(element) && element[uniquelyTrue] === true,
  );
  return elements.length > 0 && marked.length <= 1;
}

function isOfShape(object: JsonObject, { members, required, isClosed }: ObjectShape): boolean {
  for (const name in object) {
    const type = Object.hasOwn(members, name) ? members[name] : undefined;
    const value = object[name] ?? null;
    if (type ? !isEmpty(value) && typeof value !== type : isClosed || differsInCase(name, members))
      return false;
  }
  return (
    required === undefined ||
    (Object.hasOwn(object, required) && !isEmpty(object[required]) && object[required] !== "")
  );
}

function differsInCase(name: string, members: ObjectShape["members"]): boolean {
  const lowerCase = name.toLowerCase();
  return Object.keys(members).some((member) => member.toLowerCase() === lowerCase);
}

/** Null, an empty array and an empty object say nothing. */
function isEmpty(value: Json | undefined): boolean {
  return (
    value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0)
  );
}
