import { listLimits } from "../../contract/listing.ts";
import { isName } from "../../domain/filter/scanner.ts";
import type { ListFields } from "../../domain/lists/list-fields.ts";
import type { CustomSort } from "../../domain/lists/listing.ts";
import { fieldPath } from "../../domain/lists/value-index.ts";
import { subNames } from "../attribute-names.ts";
import { isKnownUrn, isUrn, resolvePath, splitUrn } from "../attribute-path.ts";
import type { Attribute, ResourceKind } from "../attributes.ts";
import { ScimError } from "../scim-error.ts";
import { EXTENSIONS, fieldOf, isCustomField } from "./record-fields.ts";

/**
 * The order of a list by an attribute that has one value, or by `emails`. `fields` are those that lists of these records are sorted by,
 * besides custom fields. Values that users do not have come last. Fails with `invalidValue`.
 */
export function parseSort<Column extends string>(
  kind: ResourceKind,
  fields: ListFields<Column>,
  sortBy: string,
): Column | CustomSort {
  const names = sortBy.length > listLimits.sortCharacters ? undefined : findNames(kind, sortBy);
  if (!names) {
    throw new ScimError(
      "invalidValue",
      "sortBy: Name an attribute that has one value, such as userName or name.familyName, or emails.",
    );
  }
  const [name = "", ...deeper] = names;
  return deeper.length === 0 && isField(fields, name) ? name : { custom: fieldPath(names) };
}

function isField<Column extends string>(fields: ListFields<Column>, name: string): name is Column {
  return Object.hasOwn(fields, name);
}

/** The names that lead from a record to the value of an attribute. Undefined if there is none, or no single one. */
function findNames(kind: ResourceKind, text: string): readonly string[] | undefined {
  const { urn, rest } = splitUrn(kind, text);
  const sent = rest.split(".");
  if (!sent.every(isName)) return undefined;
  const { urn: extension, names, attribute, sub } = resolvePath(kind, urn, sent);
  if (attribute)
    return names.length <= (attribute.subAttributes ? 2 : 1) ? namesOf(attribute, sub, names) : undefined;
  if (extension === undefined) return undefined;
  if (isUrn(extension, kind.customUrn)) return isCustomField(kind, names[0] ?? "") ? names : undefined;
  return isKnownUrn(kind, extension) ? undefined : [...EXTENSIONS, extension, ...names];
}

function namesOf(
  attribute: Attribute,
  named: Attribute | undefined,
  names: readonly string[],
): readonly string[] | undefined {
  if (!attribute.subAttributes) {
    const field = fieldOf(attribute);
    return field === undefined ? undefined : [field];
  }
  const sub = names.length > 1 ? named : subNames(attribute).find("value");
  if (attribute.name === "emails") return sub?.name === "value" ? ["email"] : undefined;
  if (attribute.multiValued || !sub) return undefined;
  return attribute.field === undefined ? namesOf(sub, undefined, []) : [attribute.field, sub.name];
}
