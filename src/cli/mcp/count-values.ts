import type { Client } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import { listLimits } from "../../contract/listing.ts";
import { foldOf } from "../../domain/field-fold.ts";
import { type FieldPath, formatFieldPath } from "../../domain/field-path.ts";
import { type AddNote, shorten } from "./arguments.ts";

/** The most different values that are kept. */
const MAX_VALUES = 10_000;
/** Characters of a value in the answer, and characters that tell values apart: both bound the memory. */
const VALUE_CHARACTERS = 100;
const KEY_CHARACTERS = 1000;

type Value = string | number | boolean;

interface CountedValue {
  readonly value: Value;
  users: number;
}

/** Counts users by the values of a field, as `eq` compares them: texts without regard to case, elements of arrays one by one. */
export async function countValues(
  client: Client,
  search: { readonly q?: string; readonly filter: string | undefined; readonly group?: number },
  by: FieldPath,
  limit: number,
  addNote: AddNote,
): Promise<object> {
  const field = formatFieldPath(by);
  const counted = new Map<string, CountedValue>();
  let users = 0;
  let withoutValue = 0;
  for await (const user of client.users.export({ ...search, fields: [field] })) {
    if (users === listLimits.count) {
      addNote(`More than ${users} users match. Only the first ${users} were counted: add a filter.`);
      break;
    }
    users += 1;
    if (!addTo(counted, new Map(valuesAt(user, by).map((value) => [keyOf(field, value), value]))))
      withoutValue += 1;
    if (counted.size > MAX_VALUES) {
      throw new ConfigError(
        `${field} has more than ${MAX_VALUES} different values. Choose a field with fewer, or count with a filter.`,
      );
    }
  }
  const sorted = [...counted.values()].sort((a, b) => b.users - a.users);
  if (sorted.length > limit) addNote(`These are the ${limit} most frequent of ${sorted.length} values.`);
  return { by: field, users, values: sorted.slice(0, limit), withoutValue };
}

/** Counts a user for each value. Returns whether there is one. */
function addTo(counted: Map<string, CountedValue>, values: ReadonlyMap<string, Value>): boolean {
  for (const [key, value] of values) {
    const known = counted.get(key);
    if (known) known.users += 1;
    else
      counted.set(key, {
        value: typeof value === "string" ? shorten(value, VALUE_CHARACTERS) : value,
        users: 1,
      });
  }
  return values.size > 0;
}

/** The texts, numbers and booleans at a path. A path that meets an array goes on with each element. */
function valuesAt(value: unknown, path: FieldPath): Value[] {
  if (Array.isArray(value)) return value.flatMap((element) => valuesAt(element, path));
  const [name, ...rest] = path;
  if (name !== undefined) {
    if (typeof value !== "object" || value === null) return [];
    return valuesAt(Object.getOwnPropertyDescriptor(value, name)?.value, rest);
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? [value] : [];
}

function keyOf(field: string, value: Value): string {
  return typeof value === "string" ? `"${foldOf(field)(shorten(value, KEY_CHARACTERS))}` : String(value);
}
