import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { findAnomalies } from "../support/consistency/check-history.ts";
import { findPrefixAnomalies } from "../support/consistency/check-prefix.ts";
import { falsifications } from "../support/consistency/falsified-history.ts";
import type { Fields, Operation, ResponseData, User, UserRequest } from "../support/consistency/operation.ts";
import {
  IN_DOUBT,
  problem,
  respond,
  simulateHistory,
  unavailable,
} from "../support/consistency/simulated-history.ts";

setDefaultTimeout(120_000);

const LOST = Number.POSITIVE_INFINITY;

function operation(
  request: UserRequest,
  [invoked, completed]: [number, number],
  response?: ResponseData,
): Operation {
  return { request, invoked, completed, response };
}

const times = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" };
const user = (id: number, version: number, fields: Fields & { mark: string }): User => ({
  name: "Ada",
  ...fields,
  id,
  version,
  ...times,
});
const create = (id: number, mark: string, time: [number, number], email?: string) => {
  const fields = { mark, ...(email !== undefined && { email }) };
  return operation(
    { method: "POST", body: { name: "Ada", ...fields } },
    time,
    respond(201, user(id, 1, fields)),
  );
};
const keyed = (id: number, mark: string, time: [number, number], replayed: boolean) => {
  const { request, response } = create(id, mark, time);
  if (request.method !== "POST" || !response) throw new Error("not a create");
  return operation({ ...request, key: mark }, time, { ...response, replayed });
};
const patch = (id: number, mark: string, time: [number, number], version?: number, ifMatch?: number) =>
  operation(
    { method: "PATCH", id, body: { mark }, ...(ifMatch !== undefined && { ifMatch }) },
    time,
    version === undefined ? undefined : respond(200, user(id, version, { mark })),
  );
const read = (id: number, mark: string, version: number, time: [number, number]) =>
  operation({ method: "GET", id }, time, respond(200, user(id, version, { mark })));
const missing = (id: number, time: [number, number]) =>
  operation({ method: "GET", id }, time, problem(404, "user-not-found"));
const remove = (id: number, time: [number, number], isAcknowledged = true) =>
  operation(
    { method: "DELETE", id },
    time,
    isAcknowledged ? { status: 204, text: "", replayed: false } : undefined,
  );
const refused = (id: number, mark: string, [invoked, answered]: [number, number], detail: string) => ({
  ...operation({ method: "PATCH", id, body: { mark } }, [invoked, LOST], unavailable(detail)),
  refusedAt: Date.parse(times.updatedAt) + answered,
});
const rejected = (id: number, mark: string, time: [number, number], ifMatch: number) =>
  operation({ method: "PATCH", id, body: { mark }, ifMatch }, time, problem(412, "version-mismatch"));

/** Evenly distributed numbers from 0 to 1 (Lehmer). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe("accepts", () => {
  const valid: Record<string, Operation[]> = {
    "a read of the old version that overlaps with a change": [
      create(1, "a", [0, 1]),
      patch(1, "b", [2, 5], 2),
      read(1, "b", 2, [3, 4]),
      read(1, "a", 1, [1, 3.5]),
    ],
    "a change without a response that happens later": [
      create(1, "a", [0, 1]),
      patch(1, "b", [2, LOST]),
      read(1, "a", 1, [10, 11]),
      read(1, "b", 2, [12, 13]),
    ],
    "a version that only a change without a response can have made": [
      create(1, "a", [0, 1]),
      patch(1, "b", [2, LOST]),
      patch(1, "c", [4, 5], 3),
    ],
    "a create without a response that is replayed": [
      operation({ method: "POST", body: { name: "Ada", mark: "a" }, key: "a" }, [0, LOST]),
      keyed(1, "a", [2, 3], true),
      keyed(1, "a", [4, 5], true),
    ],
    "a delete without a response that happens": [
      create(1, "a", [0, 1]),
      remove(1, [2, LOST], false),
      read(1, "a", 1, [3, 4]),
      missing(1, [5, 6]),
    ],
    "a rejected condition that a change without a response explains": [
      create(1, "a", [0, 1]),
      patch(1, "b", [2, LOST]),
      rejected(1, "c", [3, 4], 1),
      read(1, "b", 2, [5, 6]),
    ],
    "a change with a 503 that does not say whether it was made, and that happens later": [
      create(1, "a", [0, 1]),
      refused(1, "b", [2, 3], IN_DOUBT),
      read(1, "a", 1, [10, 11]),
      read(1, "b", 2, [12, 13]),
    ],
    "an email that passes from user to user": [
      create(1, "a", [0, 1], "x@y.z"),
      remove(1, [2, 4]),
      create(2, "b", [3, 5], "X@y.z"),
    ],
    "an email that a change without a response releases before a delete": [
      create(1, "a", [0, 1], "x@y.z"),
      operation({ method: "PUT", id: 1, body: { name: "Ada", mark: "b" } }, [2, LOST]),
      create(2, "c", [3, 4], "x@y.z"),
      remove(1, [5, 6]),
    ],
    "an email that a delete without a response releases": [
      create(1, "a", [0, 1], "x@y.z"),
      remove(1, [2, LOST], false),
      create(2, "b", [3, 5], "x@y.z"),
    ],
  };
  test.each(Object.entries(valid))("%s", (_, operations) => {
    expect(findAnomalies(operations)).toEqual([]);
  });
});

describe("finds", () => {
  const invalid: Record<string, Operation[]> = {
    "a stale read": [create(1, "a", [0, 1]), patch(1, "b", [2, 3], 2), read(1, "a", 1, [4, 5])],
    "a read that went back, without any acknowledged change": [
      create(1, "a", [0, 1]),
      patch(1, "b", [2, LOST]),
      read(1, "b", 2, [3, 4]),
      read(1, "a", 1, [5, 6]),
    ],
    "a lost update": [create(1, "a", [0, 1]), patch(1, "b", [2, 3], 2), patch(1, "c", [2, 4], 2)],
    "two changes for the same version": [
      create(1, "a", [0, 1]),
      patch(1, "b", [2, 5], 2, 1),
      patch(1, "c", [2, 5], 3, 1),
    ],
    "a duplicated create": [keyed(1, "a", [0, 1], false), keyed(2, "a", [2, 3], false)],
    "a create that happened twice, once unseen": [create(1, "a", [0, 1]), read(2, "a", 1, [2, 3])],
    "a replay with another outcome": [
      keyed(1, "a", [0, 1], false),
      operation({ method: "POST", body: { name: "Ada", mark: "a" }, key: "a" }, [2, 3], {
        ...problem(409, "email-taken"),
        replayed: true,
      }),
    ],
    "a replay of a create that never ran": [keyed(1, "a", [0, 1], true)],
    "an email that two users have": [create(1, "a", [0, 1], "x@y.z"), create(2, "b", [2, 3], "X@y.z")],
    "an email that is acquired before a delete without a response": [
      create(1, "a", [0, 1], "x@y.z"),
      create(2, "b", [2, 3], "x@y.z"),
      remove(1, [4, LOST], false),
    ],
    "a rejection because of an email that nobody has": [
      create(1, "a", [0, 1], "x@y.z"),
      remove(1, [2, 3]),
      operation(
        { method: "POST", body: { name: "B", mark: "b", email: "x@y.z" } },
        [4, 5],
        problem(409, "email-taken"),
      ),
    ],
    "a reused id": [create(1, "a", [0, 1]), remove(1, [2, 3]), create(1, "b", [4, 5])],
    "an id below an earlier one": [create(2, "a", [0, 1]), create(1, "b", [2, 3])],
    "a version that went back": [create(1, "a", [0, 1]), patch(1, "b", [2, 3], 3)],
    "a rejected change that happened": [
      create(1, "a", [0, 1]),
      patch(1, "b", [2, 3], 2),
      rejected(1, "c", [4, 5], 1),
      read(1, "c", 3, [6, 7]),
    ],
    "a refused change that happened": [
      create(1, "a", [0, 1]),
      refused(1, "b", [2, 3], "The write was not made."),
      read(1, "b", 2, [4, 5]),
    ],
    "a version that only a refused change can have made": [
      create(1, "a", [0, 1]),
      refused(1, "b", [2, 3], "The write was not made."),
      patch(1, "c", [4, 5], 3),
    ],
    "a change that began after a 503": [
      create(1, "a", [0, 1]),
      refused(1, "b", [2, -1], IN_DOUBT),
      read(1, "b", 2, [4, 5]),
    ],
    "a refused delete that happened": [
      create(1, "a", [0, 1]),
      operation({ method: "DELETE", id: 1 }, [2, LOST], unavailable("The write was not made.")),
      missing(1, [4, 5]),
    ],
    "a change that nobody sent": [create(1, "a", [0, 1]), read(1, "z", 2, [2, 3])],
    "a rejected condition that held": [create(1, "a", [0, 1]), rejected(1, "b", [2, 3], 1)],
    "a lost user": [create(1, "a", [0, 1]), missing(1, [2, 3])],
    "a user that came back": [create(1, "a", [0, 1]), remove(1, [2, 3]), read(1, "a", 1, [4, 5])],
    "a user that was deleted twice": [create(1, "a", [0, 1]), remove(1, [2, 3]), remove(1, [4, 5])],
    "a change seen before it was sent": [
      create(1, "a", [0, 1]),
      read(1, "b", 2, [2, 3]),
      patch(1, "b", [4, 5], 2),
    ],
    "a version that nothing can have made": [create(1, "a", [0, 1]), patch(1, "c", [4, 5], 3)],
    "a version with two contents": [
      create(1, "a", [0, 1]),
      operation({ method: "GET", id: 1 }, [2, 3], respond(200, { ...user(1, 1, { mark: "a" }), extra: 1 })),
    ],
    "a patch that lost a field of an earlier one": [
      create(1, "a", [0, 1]),
      operation(
        { method: "PATCH", id: 1, body: { mark: "b", red: 1 } },
        [2, 3],
        respond(200, user(1, 2, { mark: "b", red: 1 })),
      ),
      patch(1, "c", [4, 5], 3),
    ],
    "status 500": [operation({ method: "GET", id: 1 }, [0, 1], problem(500, "internal"))],
  };
  test.each(Object.entries(invalid))("%s", (_, operations) => {
    expect(findAnomalies(operations)).not.toEqual([]);
  });
});

describe("a state", () => {
  const history = [
    create(1, "a", [0, 1]),
    patch(1, "b", [2, 3], 2),
    create(2, "c", [4, 5]),
    remove(2, [6, 7]),
  ];
  const first = user(1, 1, { mark: "a" });
  const second = user(1, 2, { mark: "b" });
  const other = user(2, 1, { mark: "c" });

  test.each([
    ["the empty one", []],
    ["the first write", [first]],
    ["the first two", [second]],
    ["the first three", [second, other]],
  ])("is a prefix of a history: %s", (_, users) => {
    expect(findPrefixAnomalies(history, users)).toEqual([]);
  });

  test.each([
    ["it lacks an earlier change", [first, other]],
    ["it lacks an earlier user", [other]],
    ["nobody wrote it", [user(1, 1, { mark: "z" })]],
    ["it has another content", [{ ...first, extra: 1 }]],
  ])("is no prefix of a history if %s", (_, users) => {
    expect(findPrefixAnomalies(history, users)).not.toEqual([]);
  });

  test("is no prefix of a history if it has a deleted user and a later one", () => {
    const later = [...history, create(3, "d", [8, 9])];
    expect(findPrefixAnomalies(later, [second, other, user(3, 1, { mark: "d" })])).not.toEqual([]);
  });
});

test("accepts every simulated history, and finds every falsification of it", () => {
  const found = new Map<string, number>();
  const property = fc.property(
    fc.integer({ min: 1, max: 2 ** 31 - 2 }),
    fc.integer({ min: 1, max: 120 }),
    (seed, steps) => {
      const random = randomFrom(seed);
      const history = simulateHistory(random, steps);
      // The order in which clients record their operations says nothing about the order of effects.
      expect(findAnomalies(history.toSorted(() => random() - 0.5))).toEqual([]);
      for (const [name, falsify] of Object.entries(falsifications)) {
        const falsified = falsify(history, random);
        if (!falsified) continue;
        expect({ name, anomalies: findAnomalies(falsified) }).not.toEqual({ name, anomalies: [] });
        found.set(name, (found.get(name) ?? 0) + 1);
      }
    },
  );
  fc.assert(property, { numRuns: 150 });
  for (const name of Object.keys(falsifications))
    expect({ name, found: (found.get(name) ?? 0) > 10 }).toEqual({ name, found: true });
});

test("checks 100,000 operations in seconds", () => {
  const history = simulateHistory(randomFrom(1), 100_000);
  expect(history.length).toBeGreaterThan(100_000);
  expect(findAnomalies(history)).toEqual([]);
});
