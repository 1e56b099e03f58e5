import fc from "fast-check";
import { isObject, type Json, type JsonObject } from "../../../../src/contract/json.ts";
import {
  type Attribute,
  commonAttributes,
  enterpriseSchema,
  type ResourceKind,
} from "../../../../src/scim/attributes.ts";

/** Decides how each part of a resource is written: the next of these numbers from 0 to 5. */
export const arbitrarySpelling: fc.Arbitrary<readonly number[]> = fc.array(fc.nat(5), { maxLength: 20 });

/** Writes a resource in another way that means the same, as clients do. */
export function respell(kind: ResourceKind, resource: JsonObject, spelling: readonly number[]): JsonObject {
  return new Speller(kind, spelling).write(resource);
}

class Speller {
  readonly #kind: ResourceKind;
  readonly #spelling: readonly number[];
  #choices = 0;

  constructor(kind: ResourceKind, spelling: readonly number[]) {
    this.#kind = kind;
    this.#spelling = spelling;
  }

  write(resource: JsonObject): JsonObject {
    const { core, customUrn } = this.#kind;
    const written: JsonObject = { schemas: ["urn:example:schemas:Unknown"] };
    const inCore: JsonObject = {};
    for (const [name, value] of lastOfEach(resource)) {
      const attribute = find([...core.attributes, ...commonAttributes], name);
      if (name === customUrn) this.#writeExtension(written, name, value);
      else if (name === enterpriseSchema.id) this.#writeEnterprise(written, value);
      else if (!attribute) written[name] = value;
      else this.#writeAttribute({ written, inCore }, attribute, value);
    }
    if (Object.keys(inCore).length > 0) written[core.id] = inCore;
    if (this.#next === 5) Object.assign(written, { id: "other", meta: { version: "x" }, groups: [] });
    if (this.#next === 5) Object.assign(written, { x509Certificates: [{ value: "x" }], PASSWORD: "secret" });
    return written;
  }

  get #next(): number {
    return this.#spelling[this.#choices++ % Math.max(this.#spelling.length, 1)] ?? 0;
  }

  /** At the top, with the URN in its name, or in the core schema as if it were an extension. */
  #writeAttribute(
    { written, inCore }: { readonly written: JsonObject; readonly inCore: JsonObject },
    attribute: Attribute,
    value: Json,
  ): void {
    const { name } = attribute;
    const spelled = this.#spellValue(attribute, value);
    const choice = this.#next;
    if (choice === 3) written[name.toUpperCase()] = spelled;
    else if (choice === 4) written[`${this.#kind.core.id}:${name}`] = spelled;
    else if (choice === 5) inCore[name.toLowerCase()] = spelled;
    else written[name] = spelled;
  }

  /** As an object, or each member by itself. */
  #writeExtension(written: JsonObject, urn: string, value: Json): void {
    const spelled = this.#next === 3 ? urn.toUpperCase() : urn;
    if (this.#next === 4 && isObject(value)) {
      for (const [name, member] of Object.entries(value)) written[`${spelled}:${name}`] = member;
    } else {
      written[spelled] = value;
    }
  }

  #writeEnterprise(written: JsonObject, value: Json): void {
    const members: JsonObject = {};
    for (const [name, member] of Object.entries(isObject(value) ? value : {})) {
      const attribute = find(enterpriseSchema.attributes, name);
      members[this.#next === 3 ? name.toUpperCase() : name] = attribute
        ? this.#spellValue(attribute, member)
        : member;
    }
    this.#writeExtension(written, enterpriseSchema.id, members);
  }

  #spellValue(attribute: Attribute, value: Json): Json {
    if (typeof value === "boolean") return this.#next < 3 ? value : String(value).toUpperCase();
    if (attribute.type !== "complex") return value;
    if (!Array.isArray(value)) {
      const members = this.#spellMembers(attribute, value);
      return this.#next === 5 && attribute.name === "manager" ? [members] : members;
    }
    const entries = value.map((entry) => this.#spellMembers(attribute, entry));
    const [first] = entries;
    if (first === undefined) return entries;
    const choice = this.#next;
    if (choice === 4 && isObject(first)) return [first, null, ...entries];
    return choice === 5 && entries.length === 1 ? first : entries;
  }

  /** A value alone is also sent as text. */
  #spellMembers({ name: attributeName, subAttributes = [] }: Attribute, value: Json): Json {
    if (!isObject(value)) return value;
    const { value: only, ...others } = value;
    const isOnly = Object.keys(others).length === 0 && typeof only === "string" && only !== "";
    if (isOnly && attributeName !== "name" && this.#next === 5) return only;
    const members: JsonObject = {};
    for (const [name, member] of Object.entries(value)) {
      const sub = find(subAttributes, name);
      const isUpper = sub !== undefined && this.#next === 3;
      members[isUpper ? name.toUpperCase() : name] = sub ? this.#spellValue(sub, member) : member;
    }
    return members;
  }
}

function find(attributes: readonly Attribute[], name: string): Attribute | undefined {
  return attributes.find((each) => each.name.toLowerCase() === name.toLowerCase());
}

/** Names that are sent twice in different cases once. */
function lastOfEach(resource: JsonObject): (readonly [string, Json])[] {
  const byName = new Map(Object.entries(resource).map((member) => [member[0].toLowerCase(), member]));
  return [...byName.values()];
}
