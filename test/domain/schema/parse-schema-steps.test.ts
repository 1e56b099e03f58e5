import { describe, expect, test } from "bun:test";
import type { Json } from "../../../src/contract/json.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import { parseSchema, parseSchemaInSteps } from "../../../src/domain/schema/parse-schema.ts";
import { countMatchedCharacters, countReads } from "../../support/counted-work.ts";
import { heavySchemas } from "./support/heavy-schemas.ts";

/** What one step does at most. One pattern has up to 512 characters, and one schema of these up to 110 members. */
const MAX_STEP = { reads: 1000, characters: 3000 } as const;

/** Parses a schema, and returns the most that one step reads and matches. */
function measureSteps(document: { [name: string]: Json }) {
  const { value, reads } = countReads(document);
  const steps = parseSchemaInSteps(value);
  let [count, mostReads, mostCharacters, isRejected] = [0, 0, 0, false];
  for (let done = false; !done; count++) {
    const before = reads();
    const characters = countMatchedCharacters(() => {
      try {
        done = steps.next().done ?? false;
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        isRejected = done = true;
      }
    });
    // The first step looks how deeply the whole document is nested.
    if (count > 0) mostReads = Math.max(mostReads, reads() - before);
    mostCharacters = Math.max(mostCharacters, characters);
  }
  return { count, mostReads, mostCharacters, isRejected };
}

describe("parsing a schema", () => {
  test.each(Object.entries(heavySchemas))("takes many short steps to reject %s", (_, document) => {
    const { count, mostReads, mostCharacters, isRejected } = measureSteps(document);
    expect(isRejected).toBe(true);
    expect(count).toBeGreaterThan(60);
    expect(mostReads).toBeLessThan(MAX_STEP.reads);
    expect(mostCharacters).toBeLessThan(MAX_STEP.characters);
  });

  test("checks a pattern once, however many fields refer to it", () => {
    const withFields = (count: number) => ({
      $defs: { code: { type: "string", maxLength: 10, pattern: `^(${"\\p{L}[a-f]".repeat(20)})$` } },
      properties: Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`f${i}`, { $ref: "#/$defs/code" }]),
      ),
    });
    const once = countMatchedCharacters(() => parseSchema(withFields(1)));
    const often = countMatchedCharacters(() => parseSchema(withFields(100)));
    // Each field has a name and a reference, which are matched too.
    expect(often - once).toBeLessThan(100 * 40);
  });
});
