import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../src/contract/json.ts";
import { JsonScanner } from "../../src/domain/json-scanner.ts";
import { parseMember } from "../../src/scim/members.ts";
import { scanMember } from "../../src/scim/scan-member.ts";
import { spelledJson } from "../support/spell-json.ts";
import { errorOf } from "./support/error-of.ts";

/** Reads the text as a member, to the end. */
function scan(text: string): number | Json {
  const bytes = Buffer.from(text);
  const json = new JsonScanner(bytes, {
    start: 0,
    end: bytes.length,
    maxItemBytes: bytes.length,
    invalid: "invalid-group",
  });
  const member = scanMember(json);
  expect(json.peek()).toBeUndefined();
  return member;
}

/** The id, or the error. */
const outcomeOf = (read: () => number) => {
  let id = 0;
  const error = errorOf(() => {
    id = read();
  });
  return error ?? id;
};

const ids = fc.oneof(
  fc.nat({ max: 2000 }).map(String),
  fc.constantFrom("0", "01", "g7", "", "9007199254740991", "9007199254740992", "12345678901234567", "ada"),
);
const types = fc.oneof(fc.mixedCase(fc.constantFrom("user", "group")), fc.constantFrom("", null, 5));
const others: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)));
const value = fc.oneof({ weight: 4, arbitrary: ids }, others);
const members: fc.Arbitrary<Json> = fc
  .uniqueArray(
    fc.oneof(
      fc.tuple(fc.mixedCase(fc.constant("value")), value),
      fc.tuple(fc.mixedCase(fc.constant("type")), types),
      fc.tuple(fc.constantFrom("$ref", "display", "values", "typ", "__proto__"), others),
    ),
    { selector: ([name]) => name, maxLength: 5 },
  )
  .map((entries) =>
    JSON.parse(`{${entries.map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`)}}`),
  );

test("a member is scanned to the id that parseMember finds, or to what parseMember refuses for the same reason", () => {
  fc.assert(
    fc.property(spelledJson(fc.oneof({ weight: 3, arbitrary: members }, value)), (text) => {
      const scanned = scan(text);
      const parsed = outcomeOf(() => parseMember(JSON.parse(text)));
      if (typeof scanned === "number") expect([text, scanned]).toEqual([text, parsed as number]);
      else {
        expect(parsed).toBeString();
        expect([text, outcomeOf(() => parseMember(scanned))]).toEqual([text, parsed]);
      }
    }),
    { numRuns: 3000 },
  );
});

test("the last value of a member counts", () => {
  expect(scan('{"value":"1","VALUE":"2","type":"Group","Type":"User"}')).toBe(2);
  expect(scan('{"value":"1","value":"g2"}')).toEqual({ value: "g2", type: null });
});
