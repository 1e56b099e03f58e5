import { describe, expect, test } from "bun:test";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describeApi } from "../../src/contract/openapi.ts";
import { prototypeNames } from "../../src/contract/users/field-name.ts";
import { userLimits } from "../../src/contract/users/user.ts";
import { checkKey, LATEST_EXPIRY } from "../../src/domain/keys/check-key.ts";
import { ProblemError } from "../../src/domain/problem-error.ts";
import { userCheck } from "../../src/domain/users/check-user.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { keyBodies, userBodies } from "./support/request-bodies.ts";

/*
 * The service checks request bodies by hand-written code, for speed and better messages. The OpenAPI description
 * publishes schemas for the same bodies. These tests prove that both accept the same bodies, except for the rules in
 * `inexpressible`.
 */

const RUNS = 4000;
const NOW = Date.parse("2026-11-15T09:30:00Z");
const ID = 7;
const unlimited = { maxBytes: Number.POSITIVE_INFINITY, maxFields: Number.POSITIVE_INFINITY };

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ ...JSON.parse(JSON.stringify(describeApi("0.0.0"))), $id: "api" });
const published = (name: string) => ajv.compile({ $ref: `api#/components/schemas/${name}` });

interface Body {
  readonly validate: ValidateFunction;
  readonly check: (body: unknown) => unknown;
}
const userInput: Body = {
  validate: published("UserInput"),
  check: (body) => userCheck.whole(body, unlimited),
};
const userPatch: Body = { validate: published("UserPatch"), check: (body) => userCheck.patch(body, ID) };
const keyInput: Body = { validate: published("KeyInput"), check: (body) => checkKey(body, NOW) };

function passes({ check }: Body, body: unknown): boolean {
  try {
    check(body);
    return true;
  } catch (error) {
    if (error instanceof ProblemError) return false;
    throw error;
  }
}

/** Rules that the checks enforce and the schemas do not, each with the reason and an example. */
const inexpressible: { rule: string; reason: string; schema: Body; body: unknown; check?: Body["check"] }[] =
  [
    {
      rule: "strings must not contain half of a surrogate pair",
      reason:
        "Validators disagree on surrogates in patterns: without Unicode mode, the pattern would reject emoji.",
      schema: userInput,
      body: { name: "Ada", note: "\ud800" },
    },
    {
      rule: "an email must not contain invisible characters beyond U+FFFF",
      reason: "As above.",
      schema: userInput,
      body: { name: "Ada", email: "ada\u{e0041}@example.com" },
    },
    {
      rule: "a key's name must not contain half of a surrogate pair",
      reason: "As above.",
      schema: keyInput,
      body: { name: "a\udfffb", scopes: ["users:read"] },
    },
    {
      rule: `values must not be nested more than ${userLimits.nestingLevels} levels deep`,
      reason: "JSON Schema has no keyword for depth. A schema for each level would be unreadable.",
      schema: userInput,
      body: { name: "Ada", deep: nest(userLimits.nestingLevels + 1) },
    },
    {
      rule: `a record must not exceed ${userLimits.recordBytes} bytes of JSON`,
      reason: "JSON Schema has no keyword for the size of a document. The limit is a setting.",
      schema: userInput,
      body: { name: "Ada", note: "x".repeat(userLimits.recordBytes) },
      check: (body) => userCheck.whole(body, { ...unlimited, maxBytes: userLimits.recordBytes }),
    },
    {
      rule: `a record must not have more than ${userLimits.recordFields} fields`,
      reason: "`maxProperties` would also count the fields that the service ignores. The limit is a setting.",
      schema: userInput,
      body: { name: "Ada", ...manyFields(userLimits.recordFields) },
      check: (body) => userCheck.whole(body, { ...unlimited, maxFields: userLimits.recordFields }),
    },
    {
      rule: "the id must match the path",
      reason: "A schema of the body does not know the path.",
      schema: userPatch,
      body: { id: ID + 1 },
    },
    {
      rule: "expiresAt must be in the future",
      reason: "JSON Schema cannot compare times.",
      schema: keyInput,
      body: { name: "ci", scopes: ["users:read"], expiresAt: new Date(NOW).toISOString() },
    },
    {
      rule: "expiresAt must not be after the year 9999",
      reason: "JSON Schema cannot compare times.",
      schema: keyInput,
      body: { name: "ci", scopes: ["users:read"], expiresAt: "9999-12-31T00:00:01Z" },
    },
    {
      rule: "expiresAt must be a day of the calendar",
      reason: "A pattern for the lengths of months and for leap years would be unreadable.",
      schema: keyInput,
      body: { name: "ci", scopes: ["users:read"], expiresAt: "2090-02-29T12:00:00Z" },
    },
  ];

describe("a rule that the schema cannot express", () => {
  test.each(inexpressible)("$rule", ({ schema, body, check = schema.check }) => {
    expect(schema.validate(body)).toBe(true);
    expect(passes({ ...schema, check }, body)).toBe(false);
  });

  test("applies beyond its limit only", () => {
    expect(passes(userInput, { name: "Ada", deep: nest(userLimits.nestingLevels) })).toBe(true);
    expect(passes(userPatch, { id: ID })).toBe(true);
    expect(passes(userPatch, { id: null })).toBe(true);
    const fieldLimit: Body = { ...userInput, check: (body) => userCheck.whole(body, defaultRecordRules) };
    const ignored = { id: ID, version: 1, createdAt: "", updatedAt: "" };
    const body = { name: "Ada", ...manyFields(userLimits.recordFields - 1), ...ignored };
    expect(passes(fieldLimit, body)).toBe(true);
    const expiresAt = new Date(LATEST_EXPIRY).toISOString();
    expect(passes(keyInput, { name: "ci", scopes: ["users:read"], expiresAt })).toBe(true);
  });
});

/** Whether the body may break a rule of `inexpressible`. The generated bodies are small, shallow and about no other id. */
function mayBreakInexpressibleRule(json: string, body: unknown): boolean {
  if (/\\ud[89a-f]/i.test(json)) return true;
  if (typeof body !== "object" || body === null) return false;
  if (Object.values(body).some((value) => membersOf(value).some(breaksTextOrNumberRule))) return true;
  if (!("expiresAt" in body)) return false;
  const { expiresAt } = body;
  if (typeof expiresAt !== "string") return false;
  const [date = ""] = expiresAt.split(/t/i);
  const isDay = new Date(`${date}T00:00:00Z`).toString() !== "Invalid Date" && toDate(date) === date;
  const time = Date.parse(expiresAt.toUpperCase());
  return !isDay || !(time > NOW && time <= LATEST_EXPIRY);
}

function membersOf(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

/** For a member of an array or an object: whether it, or a value or name inside it, is not allowed. */
function breaksTextOrNumberRule(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\u0000");
  if (typeof value === "number") return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== "object" || value === null) return false;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  const hasForbiddenName = names.some(
    (name) => name.includes("\u0000") || prototypeNames.some((forbidden) => forbidden === name),
  );
  return hasForbiddenName || membersOf(value).some(breaksTextOrNumberRule);
}

function toDate(date: string): string {
  return new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10);
}

function manyFields(count: number): { [field: string]: number } {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i]));
}

function nest(levels: number): unknown {
  return levels === 0 ? 1 : [nest(levels - 1)];
}

describe("a request body passes the check exactly if it is valid by the published schema", () => {
  test.each([
    ["UserInput", userInput, userBodies],
    ["UserPatch", userPatch, userBodies],
    ["KeyInput", keyInput, keyBodies],
  ])("%s", (_, schema, bodies) => {
    let [accepted, compared] = [0, 0];
    fc.assert(
      fc.property(bodies, (json) => {
        const body: unknown = JSON.parse(json);
        const isValid = schema.validate(body);
        const isAccepted = passes(schema, body);
        // Everything that the service accepts is valid by its description.
        if (isAccepted) expect({ json, isValid }).toEqual({ json, isValid: true });
        // The reverse holds for bodies that only break rules that the schema can express.
        if (mayBreakInexpressibleRule(json, body)) return;
        expect({ json, isAccepted }).toEqual({ json, isAccepted: isValid });
        compared++;
        if (isAccepted) accepted++;
      }),
      { numRuns: RUNS },
    );
    // The bodies are close enough to the rules to be worth comparing.
    expect(compared).toBeGreaterThan(RUNS / 3);
    expect(accepted).toBeGreaterThan(RUNS / 40);
  });
});
