import { expect, test } from "bun:test";
import fc from "fast-check";
import Value from "typebox/value";
import { eventOperations } from "../../src/contract/events/event-operations.ts";
import type { Parameter } from "../../src/contract/operation.ts";
import { ProblemError } from "../../src/domain/problem-error.ts";
import { parseEventQuery } from "../../src/http/events/event-query.ts";
import { createInputReader } from "../../src/http/operation-input.ts";
import { createContext } from "../../src/http/request-context.ts";
import { NO_PARAMETERS } from "../../src/http/route-table.ts";

const { listEvents } = eventOperations;
/** The parameters of the query. */
const parameters: readonly Parameter[] = listEvents.parameters.filter(
  (parameter) => parameter.in === "query",
);
const readInput = createInputReader(listEvents, async ({ request }) => request.bytes());

function isAccepted(name: string, value: string): boolean {
  const request = new Request(`http://localhost/?${new URLSearchParams([[name, value]])}`);
  try {
    const input = readInput(createContext(request, NO_PARAMETERS, 0));
    if (input instanceof Promise) throw new Error("Without a body, there is nothing to wait for.");
    parseEventQuery(input);
    return true;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.data.type !== "invalid-query") throw error;
    return false;
  }
}

/** Texts that match the pattern, texts that almost do, and any texts. */
function texts(pattern: string, example: string): fc.Arbitrary<string> {
  const matching = fc.stringMatching(new RegExp(pattern));
  const changed = fc
    .tuple(fc.oneof(matching, fc.constant(example)), fc.nat(40), fc.constantFrom("", "9", "0", "-", "z", "é"))
    .map(([text, at, character]) => text.slice(0, at) + character + text.slice(at + 1));
  return fc.oneof(matching, changed, fc.string());
}

const examples: Readonly<Record<string, string>> = {
  after: "0ho78yaryg6",
  type: "user.*",
  actor: "key:3",
  requestId: "0Az._:/+=-",
  from: "2026-02-28T23:59:59.123+05:30",
  to: "2028-02-29T00:00:00Z",
  sort: "-id",
  subject: "user:42",
};

test.each(Object.entries(examples))("%s accepts exactly what the description allows", (name, example) => {
  const schema = parameters.find((parameter) => parameter.name === name)?.schema;
  const value = schema?.items ?? schema;
  if (value?.pattern === undefined) throw new Error(`${name} has no pattern.`);
  expect(isAccepted(name, example)).toBe(true);
  fc.assert(
    fc.property(texts(value.pattern, example), (text) => {
      expect([text, isAccepted(name, text)]).toEqual([text, Value.Check(value, text)]);
    }),
    { numRuns: 300 },
  );
});

test("requestId accepts what a service takes as X-Request-Id, and nothing else", () => {
  const texts = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9._:/+=-]{1,129}$/),
    fc.string(),
    fc.constant("a".repeat(128)),
  );
  fc.assert(
    fc.property(texts, (text) => {
      let headers: Headers;
      try {
        headers = new Headers({ "x-request-id": text });
      } catch {
        // No request can have such a header.
        return expect([text, isAccepted("requestId", text)]).toEqual([text, false]);
      }
      const sent = headers.get("x-request-id") ?? "";
      const { requestId } = createContext(new Request("http://localhost/", { headers }), NO_PARAMETERS, 0);
      expect([sent, isAccepted("requestId", sent)]).toEqual([sent, requestId === sent]);
    }),
  );
});

test.each(["limit", "wait"])("%s accepts exactly what the description allows", (name) => {
  const schema = parameters.find((parameter) => parameter.name === name)?.schema;
  if (!schema) throw new Error(`There is no parameter ${name}.`);
  for (let number = -2; number < 130; number++)
    expect([number, isAccepted(name, String(number))]).toEqual([number, Value.Check(schema, number)]);
  for (const text of ["", "x", "1e1", "01", " 1", "9007199254740993"])
    expect(isAccepted(name, text)).toBe(false);
});

test("rejects days that do not exist", () => {
  for (const day of ["2026-02-29", "2026-02-30", "2026-04-31", "2100-02-29"])
    expect(isAccepted("from", `${day}T12:00:00Z`)).toBe(false);
});
