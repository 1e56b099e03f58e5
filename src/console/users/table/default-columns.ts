import type { User } from "../../../client/index.ts";
import { type FieldInfo, isComposite } from "../field-info.ts";

/** The number of custom fields that are columns by default. */
export const DEFAULT_CUSTOM_COLUMNS = 3;
/** The part of the users that has at least to have such a field. */
export const MIN_SHARE = 0.25;

/**
 * The custom fields that are columns by default: those that most of these users have, in the order of `customFields`. Simple values
 * come before objects and lists. Fields of the schema, and then earlier ones, win ties.
 */
export function chooseCustomColumns(customFields: readonly FieldInfo[], users: readonly User[]): string[] {
  const counts = new Map<string, number>();
  for (const [field, value] of users.flatMap((user) => Object.entries(user))) {
    if (value !== null) counts.set(field, (counts.get(field) ?? 0) + 1);
  }
  const candidates = customFields
    .map(({ name, types, spec }, index) => ({
      name,
      index,
      isSimple: !isComposite(types),
      isInSchema: spec !== undefined,
      count: counts.get(name) ?? 0,
    }))
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
