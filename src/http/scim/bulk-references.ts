import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import type { Steps } from "../../domain/scheduling/steps.ts";

const PREFIX = "bulkId:";

/** The `bulkId` that a value stands for: the id of a resource that the same request creates. */
export function parseReference(value: string): string | undefined {
  return value.startsWith(PREFIX) && value.length > PREFIX.length ? value.slice(PREFIX.length) : undefined;
}

/** Values that are visited in one step. */
const STEP_VALUES = 1000;

/** Finds and replaces the references in values, step by step: a request can have a hundred thousand values. */
export class BulkReferences {
  #visited = 0;

  /** Every `bulkId` that a value refers to. */
  *list(value: Json): Steps<ReadonlySet<string>> {
    const found = new Set<string>();
    yield* this.#collect(value, found);
    return found;
  }

  /** The value with ids in place of references. */
  *resolve(value: Json, ids: ReadonlyMap<string, string>): Steps<Json> {
    if (this.#isStepOver()) yield;
    if (typeof value === "string") return ids.get(parseReference(value) ?? "") ?? value;
    if (Array.isArray(value)) {
      const resolved: Json[] = [];
      for (const item of value) resolved.push(yield* this.resolve(item, ids));
      return resolved;
    }
    if (!isObject(value)) return value;
    const resolved: [string, Json][] = [];
    for (const name of Object.keys(value)) {
      resolved.push([name, yield* this.resolve(value[name] ?? null, ids)]);
    }
    return Object.fromEntries(resolved);
  }

  /** Takes out of a resource what refers to one of these: an attribute, or an attribute of an extension. */
  *split(resource: JsonObject, references: ReadonlySet<string>): Steps<SplitResource> {
    const rest: [string, Json][] = [];
    const referring: [string, Json][] = [];
    for (const name of Object.keys(resource)) {
      const value = resource[name] ?? null;
      const found = yield* this.list(value);
      if (references.isDisjointFrom(found)) rest.push([name, value]);
      else if (isObject(value) && name.includes(":")) {
        const inner = yield* this.split(value, references);
        rest.push([name, inner.rest]);
        referring.push([name, inner.referring]);
      } else referring.push([name, value]);
    }
    return { rest: Object.fromEntries(rest), referring: Object.fromEntries(referring) };
  }

  *#collect(value: Json, found: Set<string>): Steps<void> {
    if (this.#isStepOver()) yield;
    if (typeof value === "string") {
      const reference = parseReference(value);
      if (reference !== undefined) found.add(reference);
    } else if (Array.isArray(value)) {
      for (const item of value) yield* this.#collect(item, found);
    } else if (isObject(value)) {
      for (const name of Object.keys(value)) yield* this.#collect(value[name] ?? null, found);
    }
  }

  #isStepOver(): boolean {
    return ++this.#visited % STEP_VALUES === 0;
  }
}

/** A resource in two parts. */
interface SplitResource {
  /** Without the attributes that refer to others. */
  readonly rest: JsonObject;
  /** Only these attributes. */
  readonly referring: JsonObject;
}
