import { isObject, type Json, type JsonObject } from "../../../../src/contract/json.ts";
import { enterpriseSchema, type ResourceKind } from "../../../../src/scim/attributes.ts";

/** Operations of a PATCH that replace each attribute of a document with the value that it has, by each kind of path. */
export function replaceByItself(kind: ResourceKind, document: JsonObject): object[] {
  const { schemas: _, id: __, meta: ___, ...attributes } = document;
  const paths = Object.entries(attributes).flatMap(([name, value]) => {
    if (!name.startsWith("urn:")) return pathsOf(name, name, value);
    const isKnown = name === enterpriseSchema.id;
    const members = Object.entries(isObject(value) ? value : {});
    const inside = members.flatMap(([member, each]): PathValue[] => {
      const path = `${name}:${member}`;
      if (isKnown) return pathsOf(member, path, each);
      // An object at an unknown URN would be an extension of its own.
      const isNamed = name === kind.customUrn || !isObject(each);
      return isNamed && /^[A-Za-z]\w*$/.test(member) ? [[path, each]] : [];
    });
    return [[name, value] as const, ...inside];
  });
  const core = Object.keys(attributes)
    .filter((name) => !name.startsWith("urn:"))
    .map((name) => [`${kind.core.id}:${name}`, attributes[name] ?? null] as const);
  const named = [...paths, ...core].map(([path, value]) => ({ op: "replace", path, value }));
  return [...named, { op: "replace", value: attributes }, { op: "add", value: document }];
}

type PathValue = readonly [path: string, value: Json];

/** The attribute, its sub-attributes, and those of each entry. Members of groups are no entries that can be replaced. */
function pathsOf(name: string, path: string, value: Json): PathValue[] {
  const whole: PathValue = [path, value];
  if (name === "members") return [whole];
  if (Array.isArray(value)) {
    const hasValues = name !== "addresses";
    return [whole, ...(hasValues ? value.flatMap((entry) => pathsOfEntry(path, entry)) : [])];
  }
  if (!isObject(value)) return [whole];
  const known = Object.entries(value).filter(([sub]) => name === "name" || sub === "value");
  return [whole, ...known.map(([sub, each]) => [`${path}.${sub}`, each] as const)];
}

/** Type and value tell entries of one list apart. */
function pathsOfEntry(list: string, entry: Json): PathValue[] {
  if (!isObject(entry) || typeof entry.value !== "string" || entry.value === "") return [];
  const { value, type, display } = entry;
  const ofType =
    typeof type === "string" && type !== "" ? `type eq ${JSON.stringify(type)}` : "not (type pr)";
  const path = `${list}[value eq ${JSON.stringify(value)} and ${ofType}]`;
  const own: PathValue[] = [
    [path, entry],
    [`${path}.value`, value],
  ];
  return typeof display === "string" ? [...own, [`${path}.display`, display]] : own;
}
