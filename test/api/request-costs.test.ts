import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { CreatedKey } from "../../src/client/index.ts";
import { requestCosts } from "../../src/contract/request-costs.ts";
import { bearer, createFirstKey } from "../support/credentials.ts";
import { onAnyEngine } from "../support/engines.ts";
import { startService, type TestService } from "../support/service.ts";

setDefaultTimeout(120_000);

const SCHEMA_TYPE = { "content-type": "application/json" };
const filter = (comparisons: number, more = "") =>
  `/api/users?filter=${encodeURIComponent(
    Array.from({ length: comparisons }, (_, i) => `level eq ${i}`).join(" or "),
  )}${more}`;
const condition = "phones[type eq 1 and kind eq 2].value pr";
const inConditions = `/api/users?filter=${encodeURIComponent(Array(5).fill(condition).join(" or "))}`;
/** A schema of exactly this many bytes. */
const schemaOf = (bytes: number, isValid: boolean) => {
  const schema = (text: string) => JSON.stringify({ [isValid ? "title" : "titel"]: text });
  return schema("x".repeat(bytes - schema("").length));
};

onAnyEngine((engine) => {
  let service: TestService;
  let manager: string;
  beforeAll(async () => {
    service = await startService({}, engine);
    manager = await createFirstKey(service);
  });
  afterAll(() => service.stop());

  const createKey = async (requests: number, seconds = 86_400, more: object = {}): Promise<CreatedKey> => {
    const scopes = ["users:read", "users:write", "schema:manage", "events:read"];
    const body = { name: "costs", scopes, rateLimit: { requests, seconds }, ...more };
    return (await service.call("/api/keys", { method: "POST", json: body, headers: bearer(manager) })).json();
  };
  const send = (key: string, method: string, path: string, body?: string) =>
    service.call(path, {
      method,
      headers: { ...bearer(key), ...(body === undefined ? {} : SCHEMA_TYPE) },
      ...(body !== undefined && { body }),
    });
  const remainingOf = ({ headers }: Response) =>
    Number(/^"default";r=(\d+);/.exec(headers.get("ratelimit") ?? "")?.[1]);

  describe("What a request costs", () => {
    test.each<[cost: number, name: string, status: number, request: readonly [string, string, string?]]>([
      [1, "a list of 1,000", 200, ["GET", "/api/users?limit=1000"]],
      [1, "a search with a count", 200, ["GET", "/api/users?q=ada&count=true"]],
      [1, "statistics", 200, ["GET", "/api/stats?days=366"]],
      [1, "the values of a field", 200, ["GET", "/api/fields/level/values"]],
      [5, "the values of a field with counts", 200, ["GET", "/api/fields/level/values?counts=true"]],
      [1, "a read", 404, ["GET", "/api/users/1"]],
      [1, "a filter of 1 comparison", 200, ["GET", filter(1)]],
      [1, "10 comparisons", 200, ["GET", filter(10)]],
      [2, "11 comparisons", 200, ["GET", filter(11)]],
      [2, "12 comparisons", 200, ["GET", filter(12)]],
      [3, "13 comparisons", 200, ["GET", filter(13)]],
      [21, "50 comparisons", 200, ["GET", filter(50)]],
      [1, "51 comparisons, which are too many", 400, ["GET", filter(51)]],
      [11, "1 comparison with a count", 200, ["GET", filter(1, "&count=true")]],
      [31, "50 comparisons with a count", 200, ["GET", filter(50, "&count=true")]],
      [4, "15 comparisons, some of them in conditions", 200, ["GET", inConditions]],
      [21, "an export with 50 comparisons", 200, ["GET", filter(50).replace("/users?", "/users/export?")]],
      [21, "its explanation", 200, ["GET", filter(50).replace("/users?", "/users/explain?")]],
      [
        1,
        "an explanation, which does not count",
        200,
        ["GET", "/api/users/explain?filter=level+pr&count=true"],
      ],
      [1, "an invalid schema of 2 KiB", 422, ["PUT", "/api/schema", schemaOf(2048, false)]],
      [2, "one more byte", 422, ["PUT", "/api/schema", schemaOf(2049, false)]],
      [32, "an invalid schema of 64 KiB", 422, ["PUT", "/api/schema", schemaOf(65_536, false)]],
      [32, "its dry run", 422, ["PUT", "/api/schema?dryRun=true", schemaOf(65_536, false)]],
      [1, "a schema that is too large", 413, ["PUT", "/api/schema", schemaOf(65_537, false)]],
      [5, "a valid schema of 10 kB", 200, ["PUT", "/api/schema", schemaOf(10_000, true)]],
      [5, "its dry run without users", 200, ["PUT", "/api/schema?dryRun=true", schemaOf(10_000, true)]],
      [5, "a page of violations", 200, ["GET", "/api/schema/violations"]],
    ])("%d for %s", async (cost, _, status, request) => {
      const { key } = await createKey(1000);
      const first = await send(key, ...request);
      expect([first.status, remainingOf(first)]).toEqual([status, 1000 - cost]);
      // The same request costs the same again.
      const second = await send(key, ...request);
      expect([second.status, remainingOf(second)]).toEqual([status, 1000 - 2 * cost]);
    });
  });

  test("a bulk change costs what its filter costs", async () => {
    const { key } = await createKey(1000);
    const text = Array.from({ length: 50 }, (_, i) => `level eq ${i}`).join(" or ");
    const body = JSON.stringify({ filter: text, patch: { level: 1 } });
    expect(remainingOf(await send(key, "POST", "/api/users/bulk?dryRun=true", body))).toBe(979);
  });

  test("a request may cost more than is left, and later ones get 429 until the debt is paid", async () => {
    using _ = service.clock.stop();
    const { key } = await createKey(10, 10);
    const list = ["GET", filter(50)] as const;
    const expensive = await send(key, ...list);
    expect([expensive.status, remainingOf(expensive)]).toEqual([200, 0]);
    const refused = await send(key, "GET", "/api/users");
    // It cost 21 of 10: 11 are owed, and the next request needs one more.
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "12"]);
    await service.clock.advance(11_999);
    expect((await send(key, "GET", "/api/users")).status).toBe(429);
    await service.clock.advance(1);
    expect((await send(key, ...list)).status).toBe(200);
  });

  test("of two expensive requests that are admitted at once, one is refused before its work", async () => {
    using _ = service.clock.stop();
    const { key } = await createKey(2, 86_400);
    const body = schemaOf(65_536, false);
    const statuses = await Promise.all([1, 2].map(() => send(key, "PUT", "/api/schema", body)));
    expect(statuses.map(({ status }) => status).sort()).toEqual([422, 429]);
  });

  test("the quota counts an expensive request once", async () => {
    const { key } = await createKey(1000, 86_400, { quota: 2 });
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await send(key, "GET", filter(50))).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  test("a dry run of a schema counts a request for each 1,000 users", async () => {
    const lines = Array.from({ length: 1501 }, (_, i) => JSON.stringify({ name: `User ${i}` })).join("\n");
    const type = { "content-type": "application/x-ndjson" };
    const headers = { ...bearer(manager), ...type };
    await (await service.call("/api/users/import", { method: "POST", headers, body: lines })).text();
    const { key } = await createKey(1000);
    await send(key, "PUT", "/api/schema?dryRun=true", "{}");
    expect(remainingOf(await send(key, "GET", "/api/schema"))).toBe(1000 - 1 - 1 - 1);
  });

  test("every cost of the contract is in the table above", () => {
    expect(Object.keys(requestCosts).sort()).toEqual([
      "comparisonsPerRequest",
      "countedFilter",
      "countedValues",
      "freeComparisons",
      "schemaBytesPerRequest",
      "violations",
    ]);
  });
});
