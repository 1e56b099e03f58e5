import { describe, expect, test } from "bun:test";
import { createCase } from "./fuzz-case.ts";
import { PLANTED_SECRET } from "./planted-secret.ts";
import { Random } from "./random.ts";
import { allOperations, createRequest } from "./requests.ts";
import { fuzzedOperation } from "./scim/operations.ts";

const key = { secret: "roster_key", keyId: 7, isActive: true };
const ended = { secret: "roster_ended", keyId: 8, isActive: false };
const target = { host: "127.0.0.1:3000", credentials: [key, ended] };

const cases = Array.from({ length: 4000 }, (_, number) => createCase("a", number, target));
const requests = cases.flatMap((each) => each.requests ?? []);
const textOf = ({ parts }: (typeof cases)[number]) => parts.map(({ bytes }) => bytes).join("");

describe("random requests", () => {
  test("call every operation of the contract, SCIM and OAuth included", () => {
    const random = new Random("operations");
    const called = new Set<string>();
    for (let count = 0; count < 6000; count++) called.add(createRequest(random, target).operation?.id ?? "");
    expect(allOperations.map(({ id }) => id).filter((id) => !called.has(id))).toEqual([]);
  });

  test("come with and without a caller, and say which operations need one", () => {
    const isSent = (secret: string) => requests.some(({ text }) => text.includes(secret));
    expect([key, ended].map(({ secret }) => isSent(secret))).toEqual([true, true]);
    for (const { isAnonymous, operation, text } of requests) {
      if (operation?.access === "public" || text.includes(key.secret)) expect(isAnonymous).toBe(false);
      else if (operation) expect(isAnonymous).toBe(true);
    }
  });

  test("have passwords, but not where changed bytes could make them anything else", () => {
    const withPassword = (isKnown: boolean) =>
      cases.filter((each) => Boolean(each.requests) === isKnown && textOf(each).includes(PLANTED_SECRET))
        .length;
    expect(withPassword(true)).toBeGreaterThan(20);
    expect(withPassword(false)).toBe(0);
  });
});

describe("an operation of SCIM that the fuzzer does not know", () => {
  const [operation] = allOperations.filter(({ id }) => id === "scimCreateUser");
  if (!operation) throw new Error("There is no such operation.");

  test("stops it", () => {
    expect(() => fuzzedOperation({ ...operation, id: "scimRename" })).toThrow(
      "does not know the operation scimRename",
    );
  });

  test("stops it if it has no body for the operation", () => {
    expect(() => fuzzedOperation({ ...operation, id: "scimReadUser" })).toThrow(
      "needs a body for scimReadUser",
    );
  });
});
