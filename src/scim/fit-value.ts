import { isObject, type Json, type JsonObject } from "../contract/json.ts";
import { isReservedName } from "../contract/users/field-name.ts";
import { isSecretName, subNames } from "./attribute-names.ts";
import type { Attribute } from "./attributes.ts";
import { cleanValue, isUnassigned, mapMembers } from "./clean-value.ts";
import { mergeEntries } from "./entries.ts";
import { Misfit } from "./misfit.ts";

/** Who has written a value: clients may send other forms of it, such as "True" and names in any case. */
type Writer = "client" | "record";

/**
 * The value as SCIM shows it: undefined if it is unassigned, the same value if nothing changes. Of a complex attribute, unknown
 * sub-attributes stay if the record has the attribute as a whole.
 */
export function fitValue(attribute: Attribute, value: Json, writer: Writer): Json | undefined | Misfit {
  if (typeof value === "object" && isUnassigned(value)) return undefined;
  if (attribute.multiValued) return fitList(attribute, value, writer);
  const single = writer === "client" && attribute.type === "complex" ? unwrap(attribute, value) : value;
  return fitSingle(attribute, single, writer);
}

/** Clients send a complex value also as a list of one. */
function unwrap(attribute: Attribute, value: Json): Json {
  if (!Array.isArray(value) || !subNames(attribute).find("value")) return value;
  const [only = null, ...others] = value;
  return others.length === 0 ? only : value;
}

function fitSingle(attribute: Attribute, value: Json, writer: Writer): Json | undefined | Misfit {
  if (value === null) return undefined;
  switch (attribute.type) {
    case "complex":
      return fitComplex(attribute, value, writer);
    case "boolean":
      return fitBoolean(attribute, value, writer);
    default:
      if (typeof value === "string") return value;
      return isUnassigned(value) ? undefined : new Misfit(`${attribute.name} must be text.`);
  }
}

function fitBoolean({ name }: Attribute, value: Json, writer: Writer): boolean | undefined | Misfit {
  if (typeof value === "boolean") return value;
  if (writer === "client" && typeof value === "string") {
    const text = value.toLowerCase();
    if (text === "true") return true;
    if (text === "false") return false;
  }
  return isUnassigned(value) ? undefined : new Misfit(`${name} must be true or false.`);
}

function fitComplex(attribute: Attribute, value: Json, writer: Writer): JsonObject | undefined | Misfit {
  if (isObject(value)) return fitObject(attribute, value, writer);
  const { name } = attribute;
  if (writer === "client" && typeof value === "string" && subNames(attribute).find("value")) {
    return value === "" ? undefined : { value };
  }
  return new Misfit(`${name} must be ${attribute.multiValued ? "a list of objects" : "an object"}.`);
}

function fitObject(
  attribute: Attribute,
  object: JsonObject,
  writer: Writer,
): JsonObject | undefined | Misfit {
  const subs = subNames(attribute);
  const keepsUnknown = attribute.multiValued || attribute.field !== undefined;
  let misfit: Misfit | undefined;
  let isRenamed = false;
  const fitted = mapMembers(object, (name, value) => {
    const sub = subs.find(name);
    if (!sub) {
      return !keepsUnknown || isSecretName(name) || isReservedName(name) ? undefined : cleanValue(value);
    }
    if (sub.mutability === "readOnly" || sub.returned === "never") return undefined;
    const result = fitSingle(sub, value, writer);
    if (result instanceof Misfit) misfit ??= result.within(attribute.name);
    if (sub.name !== name) {
      isRenamed = true;
      if (writer === "record") misfit ??= new Misfit(`${attribute.name}.${sub.name} has another spelling.`);
    }
    return result instanceof Misfit ? undefined : result;
  });
  if (misfit || !fitted || !isRenamed) return misfit ?? fitted;
  return Object.fromEntries(
    Object.entries(fitted).map(([name, value]) => [subs.find(name)?.name ?? name, value]),
  );
}

function fitList(attribute: Attribute, value: Json, writer: Writer): Json | undefined | Misfit {
  const isList = Array.isArray(value);
  if (!isList && writer === "record") return new Misfit(`${attribute.name} must be a list of objects.`);
  const list = isList ? value : [value];
  const entries: JsonObject[] = [];
  let isChanged = !isList;
  for (const element of list) {
    const entry = isUnassigned(element) ? undefined : fitComplex(attribute, element, writer);
    if (entry instanceof Misfit) return entry;
    if (entry !== element) isChanged = true;
    if (entry) entries.push(entry);
  }
  const merged = mergeEntries(attribute, entries);
  if (merged instanceof Misfit) return merged;
  if (merged.length === 0) return undefined;
  return isChanged || merged !== entries ? merged : value;
}
