import type { Json } from "../contract/json.ts";
import type { FieldPath } from "./field-path.ts";

/** The members of an object to keep, each as a whole or in part. */
export type Projection = ReadonlyMap<string, Projection | "whole">;

type PartialProjection = Map<string, PartialProjection | "whole">;

const ID: FieldPath = ["id"];
const VERSION: FieldPath = ["version"];

/** The projection that keeps these fields. */
export function createProjection(fields: readonly FieldPath[]): Projection {
  const projection: PartialProjection = new Map();
  for (const path of fields) addPath(projection, path);
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

/** The fields of a record, or the members of another object. */
export type Members = { readonly [name: string]: Json | undefined };

/** The members that a projection keeps, in the same order. */
export function project(members: Members, projection: Projection): { [name: string]: Json } {
  const kept: { [name: string]: Json } = {};
  for (const name in members) {
    const part = projection.get(name);
    const value = members[name];
    if (part === undefined || value === undefined) continue;
    const found = part === "whole" ? value : projectValue(value, part);
    if (found !== undefined) kept[name] = found;
  }
  return kept;
}

/** Applies to each element of an array. Undefined for a value without members, such as text. */
function projectValue(value: Json, projection: Projection): Json | undefined {
  if (Array.isArray(value)) {
    return value.flatMap((element) => {
      const found = projectValue(element, projection);
      return found === undefined ? [] : [found];
    });
  }
  return typeof value === "object" && value !== null ? project(value, projection) : undefined;
}

/** The value at a path. Beyond an array, the values of all elements that have one. */
export function readPath(members: Members, [name = "", ...rest]: FieldPath): Json | undefined {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  return value === undefined || rest.length === 0 ? value : readInside(value, rest);
}

function readInside(value: Json, path: FieldPath): Json | undefined {
  if (Array.isArray(value)) {
    return value.flatMap((element) => {
      const found = readInside(element, path);
      return found === undefined ? [] : [found];
    });
  }
  return typeof value === "object" && value !== null ? readPath(value, path) : undefined;
}

/** The fields with the id in front and the version at the end, unless they are among the fields. */
export function withIdAndVersion(fields: readonly FieldPath[]): FieldPath[] {
  return [...missing(fields, ID), ...fields, ...missing(fields, VERSION)];
}

function missing(fields: readonly FieldPath[], field: FieldPath): FieldPath[] {
  return fields.some((path) => path.length === 1 && path[0] === field[0]) ? [] : [field];
}
