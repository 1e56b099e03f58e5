import { hasFields } from "../has-fields.ts";
import type { User, UserInput, UserPatch } from "../service-types.ts";
import type { CallOptions, ChangeOptions, ListOptions } from "../types.ts";
import type { Users } from "../users.ts";

/** The frameworks take ids as numbers, and as text from URLs. */
export type Id = number | string;
export type Where = NonNullable<ListOptions["where"]>;

/** Most values of one filter. */
const MAX_VALUES = 100;

const fieldsOfService: readonly string[] = ["id", "version", "createdAt", "updatedAt"];

/** The frameworks declare the type of a record at each call. */
export function toRecord<Item>(user: unknown): Item {
  if (hasFields<Item>(user, { id: "number" })) return user;
  throw new TypeError("The response is not a user.");
}

export function checkResource(resource: string): void {
  if (resource !== "users") {
    throw new RangeError(`The Roster data provider has the resource "users", and not "${resource}".`);
  }
}

export function toSort(field: string, descending: boolean): string {
  return descending ? `-${field}` : field;
}

/** The values of an equality filter. */
export function toFilter(field: string, value: unknown): Where[string] {
  if (Array.isArray(value)) return value.map((item) => toScalar(field, item));
  return toScalar(field, value);
}

function toScalar(field: string, value: unknown): string | number | boolean | null {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) {
    return typeof value === "number" || typeof value === "boolean" || value === null ? value : String(value);
  }
  throw new TypeError(`Filter ${field} by text, a number, true, false or null.`);
}

/** Users by id, in the order of the ids. Ids without a user are left out. */
export async function readMany(users: Users, ids: readonly Id[], options?: CallOptions): Promise<User[]> {
  const found = new Map<number, User>();
  for (let start = 0; start < ids.length; start += MAX_VALUES) {
    const where = { id: ids.slice(start, start + MAX_VALUES) };
    for await (const user of users.list({ ...options, where, limit: MAX_VALUES })) found.set(user.id, user);
  }
  return ids.flatMap((id) => found.get(Number(id)) ?? []);
}

/** The fields of a form that callers can write. Empty fields (undefined) stay absent. */
export function toInput(values: object): UserInput {
  const input = toPatch(values);
  // The service checks the fields, and reports all errors at once.
  return { ...input, name: typeof input.name === "string" ? input.name : "" };
}

/** The fields of `values` that differ from `previous`. */
export function toPatch(values: object, previous: object = {}): UserPatch {
  const changed = Object.entries(values).filter(
    ([field, value]) =>
      !fieldsOfService.includes(field) &&
      value !== undefined &&
      JSON.stringify(value) !== JSON.stringify(Reflect.get(previous, field)),
  );
  return Object.fromEntries(changed);
}

/** Changes a user if it still has the version that the form was filled with. */
export async function change(users: Users, id: Id, values: object, previous: object): Promise<object> {
  const version: unknown = Reflect.get(previous, "version");
  const options: ChangeOptions = typeof version === "number" ? { ifMatch: version } : {};
  // Without the scope users:read, the service returns no user.
  return (
    (await users.update(id, toPatch(values, previous), options)) ?? { ...previous, ...values, id: Number(id) }
  );
}

/** Changes or deletes several users in one call. If some fail, the others are changed, and the first problem is thrown. */
export async function changeMany(
  users: Users,
  ids: readonly Id[],
  change: { readonly patch: UserPatch } | { readonly delete: true },
): Promise<Id[]> {
  if (ids.length === 0) return [];
  const { failed, failures } = await users.bulk({ ids, ...change }).summary({ max: 1 });
  const problem = failures[0]?.problem;
  if (problem) {
    const detail = `${failed} of ${ids.length} users could not be changed. ${problem.detail}`;
    throw Object.assign(new Error(detail), { problem: { ...problem, detail } });
  }
  return [...ids];
}
