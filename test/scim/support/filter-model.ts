import { isObject, type Json, type JsonObject } from "../../../src/contract/json.ts";

/** A filter of SCIM as a test makes it: its text is written from it, and it is evaluated on documents. */
export type ModelFilter =
  | { readonly kind: "and" | "or"; readonly parts: readonly ModelFilter[] }
  | { readonly kind: "not"; readonly part: ModelFilter }
  | ModelComparison;

export interface ModelComparison {
  readonly kind: "comparison";
  readonly path: ModelPath;
  /** Undefined for the attribute and its condition alone, such as `emails[type eq "work"]`. */
  readonly operator: string | undefined;
  readonly value?: string | number | boolean | null;
  /** Without quotes. */
  readonly isBare?: boolean;
}

export interface ModelPath {
  /** Of an extension. */
  readonly urn?: string;
  readonly attribute: string;
  readonly where?: ModelFilter;
  readonly sub?: string;
}

/** The text of a filter. `spell` changes the case of names and operators. */
export function writeFilter(filter: ModelFilter, spell: (name: string) => string = (name) => name): string {
  switch (filter.kind) {
    case "and":
    case "or":
      return filter.parts.map((part) => `(${writeFilter(part, spell)})`).join(` ${spell(filter.kind)} `);
    case "not":
      return `${spell("not")} (${writeFilter(filter.part, spell)})`;
    case "comparison": {
      const { urn, attribute, where, sub } = filter.path;
      const isCustom = urn !== undefined && !urn.includes("enterprise");
      const name = isCustom ? attribute : spell(attribute);
      const path = [
        urn === undefined ? name : `${urn}:${name}`,
        ...(where ? [`[${writeFilter(where, spell)}]`] : []),
        ...(sub === undefined ? [] : [`.${isCustom ? sub : spell(sub)}`]),
      ].join("");
      const { operator, value, isBare } = filter;
      if (operator === undefined) return path;
      if (operator === "pr") return `${path} ${spell("pr")}`;
      return `${path} ${spell(operator)} ${isBare ? String(value) : JSON.stringify(value)}`;
    }
  }
}

/** Whether a document matches, in the simplest words of RFC 7644. Slow. */
export function matchesDocument(filter: ModelFilter, document: Json): boolean {
  switch (filter.kind) {
    case "and":
      return filter.parts.every((part) => matchesDocument(part, document));
    case "or":
      return filter.parts.some((part) => matchesDocument(part, document));
    case "not":
      return !matchesDocument(filter.part, document);
    case "comparison":
      return compares(filter, document);
  }
}

/** Attributes whose texts are compared character by character. */
const EXACT = new Set(["id", "externalid", "manager.value", "manager.$ref", "photos.value"]);
const COMPLEX = new Set([
  "name",
  "manager",
  "emails",
  "phonenumbers",
  "roles",
  "photos",
  "addresses",
  "meta",
]);

function compares({ path, operator, value = null }: ModelComparison, document: Json): boolean {
  const { attribute, where, sub } = path;
  const name = attribute.toLowerCase();
  const isComplex = COMPLEX.has(name) && !path.urn?.includes("roster");
  const entries = elementsOf(findAttribute(document, path)).filter(
    (entry) => !where || matchesDocument(where, entry),
  );
  if (isComplex && sub === undefined && (operator === undefined || operator === "pr"))
    return entries.some((entry) => isPresent(entry, name));
  const inner = sub ?? (isComplex ? "value" : undefined);
  const values =
    inner === undefined ? entries : entries.flatMap((entry) => elementsOf(memberOf(entry, inner)));
  const isExact = EXACT.has(inner === undefined ? name : `${name}.${inner.toLowerCase()}`);
  return comparesValues(values, operator ?? "pr", value, isExact);
}

/** An attribute with one value has to have a part that is not empty. */
function isPresent(entry: Json, name: string): boolean {
  if (name !== "name" && name !== "manager") return true;
  return isObject(entry) && Object.values(entry).some((part) => part !== "");
}

function comparesValues(values: readonly Json[], operator: string, value: Json, isExact: boolean): boolean {
  const hasValue = values.some((found) => found !== null && found !== "");
  if (operator === "pr") return hasValue;
  if (value === null) return operator === "eq" ? !hasValue : operator === "ne" && hasValue;
  if (operator === "ne") return !values.some((found) => test(found, "eq", value, isExact));
  return values.some((found) => test(found, operator, value, isExact));
}

function test(found: Json, operator: string, value: Json, isExact: boolean): boolean {
  if (typeof found !== typeof value) return false;
  if (typeof found === "number" && typeof value === "number") return isOrdered(found - value, operator);
  if (typeof found !== "string" || typeof value !== "string") return operator === "eq" && found === value;
  const [text, wanted] = isExact ? [found, value] : [found.toLowerCase(), value.toLowerCase()];
  if (operator === "co") return text.includes(wanted);
  if (operator === "sw") return text.startsWith(wanted);
  if (operator === "ew") return text.endsWith(wanted);
  return isOrdered(text < wanted ? -1 : text > wanted ? 1 : 0, operator);
}

function isOrdered(difference: number, operator: string): boolean {
  if (operator === "eq") return difference === 0;
  if (operator === "gt") return difference > 0;
  if (operator === "ge") return difference >= 0;
  if (operator === "lt") return difference < 0;
  return operator === "le" && difference <= 0;
}

/** Without a URN, also in an extension that has the attribute. */
function findAttribute(document: Json, { urn, attribute }: ModelPath): Json | undefined {
  if (urn !== undefined) return memberOf(memberOf(document, urn), attribute);
  const enterprise = isObject(document)
    ? document["urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"]
    : undefined;
  return memberOf(document, attribute) ?? memberOf(enterprise, attribute);
}

function elementsOf(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.flatMap(elementsOf) : [value];
}

/** A member, whose name matches in any case. */
function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (!isObject(value)) return undefined;
  const members: JsonObject = value;
  const found = Object.keys(members).find((key) => key === name || key.toLowerCase() === name.toLowerCase());
  return found === undefined ? undefined : members[found];
}
