import { hasFields } from "../has-fields.ts";
import type { GroupInput, UserInput } from "../service-types.ts";
import type { CallOptions, ChangeOptions } from "../types.ts";
import type { Where } from "./numbered-pages.ts";
import type { AdminRecord, AdminResource, Id, ManyChange, RecordPatch } from "./resources.ts";

/** Most values of one filter. */
const MAX_VALUES = 100;

const fieldsOfService: readonly string[] = ["id", "version", "memberCount", "createdAt", "updatedAt"];

/** The frameworks declare the type of a record at each call. */
export function toRecord<Item>(record: unknown): Item {
  if (hasFields<Item>(record, { id: "number" })) return record;
  throw new TypeError("The response is not a user or a group.");
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

/** Records by id, in the order of the ids. Ids without a record are left out. */
export async function readMany(
  { list }: AdminResource,
  ids: readonly Id[],
  options?: CallOptions,
): Promise<AdminRecord[]> {
  const found = new Map<number, AdminRecord>();
  for (let start = 0; start < ids.length; start += MAX_VALUES) {
    const where = { id: ids.slice(start, start + MAX_VALUES) };
    for (const record of await list.all({ ...options, where, limit: MAX_VALUES }))
      found.set(record.id, record);
  }
  return ids.flatMap((id) => found.get(Number(id)) ?? []);
}

/** The fields of a form that callers can write. Empty fields (undefined) stay absent. */
export function toInput(values: object): UserInput & GroupInput {
  const input = toPatch(values);
  // The service checks the fields, and reports all errors at once.
  return { ...input, name: typeof input.name === "string" ? input.name : "" };
}

/** The fields of `values` that differ from `previous`. */
export function toPatch(values: object, previous: object = {}): RecordPatch {
  const changed = Object.entries(values).filter(
    ([field, value]) =>
      !fieldsOfService.includes(field) &&
      value !== undefined &&
      JSON.stringify(value) !== JSON.stringify(Reflect.get(previous, field)),
  );
  return Object.fromEntries(changed);
}

/** Changes a record if it still has the version that the form was filled with. */
export async function change(
  { records }: AdminResource,
  id: Id,
  values: object,
  previous: object,
): Promise<object> {
  const version: unknown = Reflect.get(previous, "version");
  const options: ChangeOptions = typeof version === "number" ? { ifMatch: version } : {};
  // Without the scope users:read or groups:read, the service returns no record.
  return (
    (await records.update(id, toPatch(values, previous), options)) ?? {
      ...previous,
      ...values,
      id: Number(id),
    }
  );
}

/** Changes or deletes several records. If some fail, the others are changed, and the first problem is thrown. */
export async function changeMany(
  resource: AdminResource,
  ids: readonly Id[],
  change: ManyChange,
): Promise<Id[]> {
  const { failed, problem } = await resource.changeMany(ids, change);
  if (problem) {
    const detail = `${failed} of ${ids.length} ${resource.name} could not be changed. ${problem.detail}`;
    throw Object.assign(new Error(detail), { problem: { ...problem, detail } });
  }
  return [...ids];
}
