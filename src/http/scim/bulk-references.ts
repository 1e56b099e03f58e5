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
    yield* this.#mapTexts(value, (text) => {
      const reference = parseReference(text);
      if (reference !== undefined) found.add(reference);
      return text;
    });
    return found;
  }

  /** Puts ids in place of references: in the value itself, or in its place if it is a reference. */
  resolve(value: Json, ids: ReadonlyMap<string, string>): Steps<Json> {
    return this.#mapTexts(value, (text) => ids.get(parseReference(text) ?? "") ?? text);
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

  /** Puts in place of every text in a value what `map` returns. Values can have a thousand levels, so this does not call itself. */
  *#mapTexts(value: Json, map: (text: string) => string): Steps<Json> {
    const whole = [value];
    const holders: (Json[] | JsonObject)[] = [whole];
    const mapOne = (each: Json): Json => {
      if (typeof each === "string") return map(each);
      if (typeof each === "object" && each !== null) holders.push(each);
      return each;
    };
    for (let holder = holders.pop(); holder; holder = holders.pop()) {
      if (Array.isArray(holder)) {
        for (let index = 0; index < holder.length; index++) {
          holder[index] = mapOne(holder[index] ?? null);
          if (this.#isStepOver()) yield;
        }
      } else {
        for (const name of Object.keys(holder)) {
          holder[name] = mapOne(holder[name] ?? null);
          if (this.#isStepOver()) yield;
        }
      }
    }
    return whole[0] ?? null;
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
