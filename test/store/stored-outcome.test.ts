import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { MembershipResult } from "../../src/domain/groups/group-store.ts";
import { ProblemError } from "../../src/domain/problem-error.ts";
import type { Attempt } from "../../src/domain/users/user-store.ts";
import {
  emailTaken,
  findUserProblem,
  type ImportResults,
  replayImport,
  replayMemberships,
  replayRefusal,
  toStoredCreate,
  toStoredImport,
  toStoredMemberships,
} from "../../src/store/writes/stored-outcome.ts";

const store = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const manyErrors = Array.from({ length: 100 }, (_, i) => ({
  pointer: `/_${i}`,
  detail: "Not a field name.",
}));
const rejected: Attempt = { problem: new ProblemError("invalid-user", "100 errors.", manyErrors).data };
const malformed: Attempt = { problem: new ProblemError("malformed-json", "The line is not JSON.").data };
const valid: Attempt = { record: { name: "Ada", email: "ada@example.com" } };
const taken = emailTaken({ name: "Ada", email: "ada@example.com" }).data;

/** A line and its result. Ids are assigned in order. */
const lines = fc.array(fc.constantFrom("created", "taken", "rejected", "malformed"), { maxLength: 60 });

function toChunk(kinds: readonly string[], firstId: number) {
  let id = firstId;
  const attempts = kinds.map((kind) =>
    kind === "rejected" ? rejected : kind === "malformed" ? malformed : valid,
  );
  const results: ImportResults = attempts.map((attempt, i) => {
    if ("problem" in attempt) return attempt.problem;
    return kinds[i] === "taken" ? taken : id++;
  });
  return { attempts, results };
}

describe("the stored outcome of a chunk", () => {
  test("gives a repeated import the same results", () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 2 ** 50 }), (kinds, firstId) => {
        const { attempts, results } = toChunk(kinds, firstId);
        expect(replayImport(store(toStoredImport(results)), attempts, findUserProblem)).toEqual(results);
      }),
    );
  });

  test.each([
    ["500 created users", ["created"], 60],
    ["500 lines with 100 errors each", ["rejected"], 60],
    ["500 lines with alternating problems", ["rejected", "malformed"], 3000],
    ["500 lines of which every other one fails", ["created", "taken"], 8000],
  ])("is small: %s", (_name, kinds, maxBytes) => {
    const { results } = toChunk(
      Array.from({ length: 500 }, (_, i) => kinds[i % kinds.length] ?? ""),
      1_000_000,
    );
    expect(JSON.stringify(toStoredImport(results)).length).toBeLessThan(maxBytes);
  });

  test("keeps a line rejected if the limits have changed since", () => {
    const stored = store(
      toStoredImport(["invalid-user" as const].map((type) => new ProblemError(type).data)),
    );
    expect(replayImport(stored, [valid], findUserProblem)).toEqual([new ProblemError("invalid-user").data]);
    const storedTaken = store(toStoredImport([taken]));
    expect(replayImport(storedTaken, [rejected], findUserProblem)).toEqual([
      new ProblemError("email-taken").data,
    ]);
  });
});

describe("the stored outcome of a chunk of memberships", () => {
  const results = fc.constantFrom<MembershipResult[]>(
    "changed",
    "unchanged",
    "user-not-found",
    "invalid-group",
  );

  test("gives a repeated import the same results", () => {
    fc.assert(
      fc.property(fc.array(results, { maxLength: 60 }), (lines) => {
        expect(replayMemberships(store(toStoredMemberships(lines)))).toEqual(lines);
      }),
    );
  });

  test("is small, also if each line has another result than the line before", () => {
    const all = Array.from({ length: 500 }, (): MembershipResult => "changed");
    expect(JSON.stringify(toStoredMemberships(all)).length).toBeLessThan(60);
    const mixed = all.map((result, i) => (i % 2 ? "user-not-found" : result));
    expect(JSON.stringify(toStoredMemberships(mixed)).length).toBeLessThan(2500);
  });
});

describe("the stored outcome of a create", () => {
  test.each([
    ["invalid record", rejected, rejected],
    ["email in use", valid, { problem: taken }],
    ["malformed body", malformed, malformed],
  ])("gives a repeated create the same problem: %s", (_name, attempt, outcome) => {
    if (!("problem" in outcome)) throw new Error("Expected a problem.");
    const stored = store(toStoredCreate(outcome, attempt));
    if (!("problem" in stored)) throw new Error("Expected a stored problem.");
    expect(replayRefusal(stored, attempt)).toEqual(outcome);
    expect(JSON.stringify(stored).length).toBeLessThan(200);
  });
});
