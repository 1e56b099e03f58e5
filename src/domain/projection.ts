import type { Json } from "../contract/user.ts";
import type { FieldPath } from "./field-path.ts";

/** The members of an object to keep, each as a whole or in part. */
export type Projection = ReadonlyMap<string, Projection | "whole">;

type PartialProjection = Map<string, PartialProjection | "whole">;

/** Projections keep these fields of every user. */
const REQUIRED: readonly FieldPath[] = [["id"], ["version"]];

/** The projection that keeps these fields of a user, and its id and version. */
export function createProjection(fields: readonly FieldPath[]): Projection {
  const projection: PartialProjection = new Map();
  for (const path of [...REQUIRED, ...fields]) addPath(projection, path);
  return projection;
}

function addPath(projection: PartialProjection, [name = "", ...rest]: FieldPath): void {
  const member = projection.get(name);
  if (member === "whole") return;
  if (rest.length === 0) {
    projection.set(name, "whole");
    return;
  }
  const part: PartialProjection = member ?? new Map();
  projection.set(name, part);
  addPath(part, rest);
}

/**
 * The part of a value that a projection keeps, in the same order. Applies to each element of an array. Undefined for a value
 * without members, such as text.
 */
export function project(value: Json, projection: Projection): Json | undefined {
  if (Array.isArray(value)) {
    return value.map((element) => project(element, projection)).filter((element) => element !== undefined);
  }
  if (typeof value !== "object" || value === null) return undefined;
  const kept: { [name: string]: Json } = {};
  for (const name in value) {
    const member = projection.get(name);
    const found = value[name];
    if (member === undefined || found === undefined) continue;
    const part = member === "whole" ? found : project(found, member);
    if (part !== undefined) kept[name] = part;
  }
  return kept;
}

/** The value at a path. Beyond an array, the values of all elements that have one. */
export function readPath(value: Json, path: FieldPath): Json | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (Array.isArray(value)) {
    return value.map((element) => readPath(element, path)).filter((found) => found !== undefined);
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  const member = value[name];
  return member === undefined ? undefined : readPath(member, rest);
}

/** The fields as the columns of a table, with the id in front and the version at the end unless they are named. */
export function toColumns(fields: readonly FieldPath[]): FieldPath[] {
  const [id, version] = REQUIRED.map((path) => (hasField(fields, path) ? [] : [path]));
  return [...(id ?? []), ...fields, ...(version ?? [])];
}

function hasField(fields: readonly FieldPath[], [name]: FieldPath): boolean {
  return fields.some((path) => path.length === 1 && path[0] === name);
}
