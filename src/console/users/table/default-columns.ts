import type { Json } from "../../../client/index.ts";
import { userRecordFields } from "../../../contract/users/user-fields.ts";
import type { FieldSpec } from "../../fields/field-spec.ts";
import { isComposite, typesOf } from "../field-info.ts";
import type { EditedItem } from "../record.ts";

/** The number of custom fields that are columns by default. */
export const DEFAULT_CUSTOM_COLUMNS = 3;
/** The part of the users that has at least to have such a field. */
export const MIN_SHARE = 0.25;

interface StoredFields {
  isStoredAsCustom(name: string): boolean;
}

/**
 * The custom fields that are columns by default: those that most of these users have. Fields of the schema come first, in its order,
 * then the others by name. Simple values win over objects and lists; among fields that as many users have, those of the schema win,
 * then earlier ones.
 */
export function chooseCustomColumns(
  specs: readonly FieldSpec[],
  users: readonly EditedItem[],
  fields: StoredFields = userRecordFields,
): string[] {
  const values = valuesByField(users, fields);
  const inSchema = new Set(specs.map(({ name }) => name));
  const others = [...values.keys()].filter((name) => !inSchema.has(name));
  const candidates = [...inSchema, ...others.toSorted()]
    .map((name, index) => {
      const present = values.get(name) ?? [];
      const isSimple = !isComposite(typesOf(present));
      return { name, index, isSimple, isInSchema: index < specs.length, count: present.length };
    })
    .filter(({ count }) => count > 0 && count >= users.length * MIN_SHARE);
  return candidates
    .toSorted(
      (one, other) =>
        Number(other.isSimple) - Number(one.isSimple) ||
        other.count - one.count ||
        Number(other.isInSchema) - Number(one.isInSchema) ||
        one.index - other.index,
    )
    .slice(0, DEFAULT_CUSTOM_COLUMNS)
    .toSorted((one, other) => one.index - other.index)
    .map(({ name }) => name);
}

/** The values of custom fields, without null. */
function valuesByField(users: readonly EditedItem[], fields: StoredFields): ReadonlyMap<string, Json[]> {
  const found = new Map<string, Json[]>();
  for (const [field, value] of users.flatMap((user) => Object.entries(user))) {
    if (value === null || value === undefined || !fields.isStoredAsCustom(field)) continue;
    const values = found.get(field);
    if (values) values.push(value);
    else found.set(field, [value]);
  }
  return found;
}
