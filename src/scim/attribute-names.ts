import { isCredentialField } from "../contract/users/field-name.ts";
import {
  type Attribute,
  type AttributeSchema,
  commonAttributes,
  type ResourceKind,
  secretAttributes,
} from "./attributes.ts";

/** Attributes by their names, in any case. */
export class AttributeNames {
  readonly #exact: ReadonlyMap<string, Attribute>;
  readonly #lowerCase: ReadonlyMap<string, Attribute>;

  constructor(attributes: readonly Attribute[]) {
    this.#exact = new Map(attributes.map((attribute) => [attribute.name, attribute]));
    this.#lowerCase = new Map(attributes.map((attribute) => [attribute.name.toLowerCase(), attribute]));
  }

  find(name: string): Attribute | undefined {
    return this.#exact.get(name) ?? this.#lowerCase.get(name.toLowerCase());
  }
}

/** The attributes of a kind of resource that need no URN, in any case. */
export function coreNames(kind: ResourceKind): AttributeNames {
  return remember(cores, kind, () => new AttributeNames([...kind.core.attributes, ...commonAttributes]));
}

/** An attribute that the table has. */
export function coreAttribute(kind: ResourceKind, name: string): Attribute {
  const attribute = coreNames(kind).find(name);
  if (!attribute) throw new Error(`The table of SCIM's attributes has no ${name}.`);
  return attribute;
}

/** The attributes of an extension, in any case. */
export function extensionNames(extension: AttributeSchema): AttributeNames {
  return remember(extensions, extension, () => new AttributeNames(extension.attributes));
}

/** The sub-attributes of an attribute, in any case. */
export function subNames(attribute: Attribute): AttributeNames {
  return remember(subs, attribute, () => new AttributeNames(attribute.subAttributes ?? []));
}

const cores = new Map<ResourceKind, AttributeNames>();
const extensions = new Map<AttributeSchema, AttributeNames>();
const subs = new Map<Attribute, AttributeNames>();

function remember<Key>(
  known: Map<Key, AttributeNames>,
  key: Key,
  make: () => AttributeNames,
): AttributeNames {
  const found = known.get(key);
  if (found) return found;
  const names = make();
  known.set(key, names);
  return names;
}

/** Whether values of this name are credentials: they are never stored or shown. */
export function isSecretName(name: string): boolean {
  const known = secrets.get(name);
  if (known !== undefined) return known;
  const isSecret = secretAttributes.has(name.toLowerCase()) || isCredentialField(name);
  if (secrets.size >= MAX_REMEMBERED) secrets.clear();
  if (name.length <= MAX_REMEMBERED_CHARACTERS) secrets.set(name, isSecret);
  return isSecret;
}

/** Names come again and again, and to look one up is quicker than to compare it. */
const secrets = new Map<string, boolean>();
const MAX_REMEMBERED = 5000;
const MAX_REMEMBERED_CHARACTERS = 64;
