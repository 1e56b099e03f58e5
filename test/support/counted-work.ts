import { spyOn } from "bun:test";
import type { Json } from "../../src/contract/json.ts";

type Members = { [name: string]: Json };

/** A copy that counts how often members and elements are read, at any level. */
export function countReads(value: Members): { readonly value: Members; readonly reads: () => number } {
  let reads = 0;
  const observe = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        if (name !== "length" && Object.hasOwn(target, name)) reads += 1;
        return Reflect.get(target, name);
      },
    });
  const copy = (part: Json): Json => {
    if (Array.isArray(part)) return observe(part.map(copy));
    return typeof part === "object" && part !== null ? copyMembers(part) : part;
  };
  const copyMembers = (part: Members): Members =>
    observe(Object.fromEntries(Object.entries(part).map(([name, member]) => [name, copy(member)])));
  return { value: copyMembers(value), reads: () => reads };
}

/** How often a method of strings is called while `work` runs, and with how many characters. */
export function countStringCalls(
  method: "charCodeAt" | "normalize" | "replaceAll" | "slice",
  work: () => void,
): { readonly calls: number; readonly characters: number } {
  const spy = spyOn(String.prototype, method);
  try {
    work();
    const texts = spy.mock.contexts.map(String);
    return { calls: texts.length, characters: texts.reduce((sum, text) => sum + text.length, 0) };
  } finally {
    spy.mockRestore();
  }
}

/** The characters that regular expressions look at while `work` runs: those that match, and the next one. */
export function countMatchedCharacters(work: () => void): number {
  const spy = spyOn(RegExp.prototype, "exec");
  try {
    work();
    const matches = spy.mock.results.map(({ value }) => (Array.isArray(value) ? String(value[0]) : ""));
    return matches.reduce((sum, match) => sum + match.length + 1, 0);
  } finally {
    spy.mockRestore();
  }
}

/** The bytes that are copied from one array to another while `work` runs. */
export async function countCopiedBytes(work: () => Promise<void>): Promise<number> {
  const typedArrays: { set: (from: ArrayLike<number>) => void } = Object.getPrototypeOf(Uint8Array.prototype);
  const spy = spyOn(typedArrays, "set");
  try {
    await work();
    return spy.mock.calls.reduce((sum, [from]) => sum + from.length, 0);
  } finally {
    spy.mockRestore();
  }
}
