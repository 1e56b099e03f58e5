import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Users } from "../../../src/client/index.ts";
import { bearer, createFirstKey } from "../../support/credentials.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";

const USERS = 200;

onEachEngine((engine) => {
  let service: TestService;
  let users: Users;
  beforeAll(async () => {
    service = await startService({}, engine);
    users = service.roster.users;
    const records = Array.from({ length: USERS }, (_, i) => ({
      name: `User ${i + 1}`,
      email: `user${i + 1}@example.com`,
      department: i % 2 ? "sales" : "engines",
      ...(i % 50 === 0 && { badge: "secret-value" }),
    }));
    await users.import(records).summary();
  });
  afterAll(() => service.stop());

  const explain = async (query: string) => (await service.call(`/api/users/explain?${query}`)).json();

  describe("GET /api/users/explain", () => {
    test.each([
      ["limit=5", { kind: "all" }, 6],
      ["email=user7@example.com", { kind: "unique", condition: "email" }, 1],
      ["department=sales&sort=name&limit=5", { kind: "walk" }, 11],
      ["badge=secret-value", { kind: "index", condition: "badge" }, 4],
      ["filter=badge+pr&sort=-name", { kind: "sort", condition: "badge pr" }, 4],
    ])("%s", async (query, plan, rowsRead) => {
      expect(await explain(query)).toMatchObject({ plan, rowsRead, complete: true });
    });

    test("finds as many users as the list, on every page", async () => {
      for (const options of [{ q: "us" }, { where: { department: "sales" }, sort: "-name" }] as const) {
        let after: string | undefined;
        do {
          const list = users.list({ ...options, limit: 30, after });
          const page = await list.page();
          const { found, hasMore } = await list.explain();
          expect({ found, hasMore }).toEqual({
            found: page.users.length,
            hasMore: page.next !== undefined,
          });
          after = page.next;
        } while (after !== undefined);
      }
    });

    test("ignores count and fields", async () => {
      const plain = await explain("department=sales&limit=5");
      expect(await explain("department=sales&limit=5&count=true&fields=name")).toEqual(plain);
    });

    test("contains nothing of the users", async () => {
      for (const query of [
        "",
        "limit=1000",
        "q=user",
        "filter=badge+pr",
        "sort=badge",
        "email=user7@example.com",
      ]) {
        const response = await service.call(`/api/users/explain?${query}`);
        expect(response.headers.get("content-type")).toStartWith("application/json");
        expect(await response.text()).not.toMatch(/secret-value|User \d|@example/);
      }
    });

    test.each([
      ["limit=0", "limit"],
      ["sort=", "sort"],
      ["after=x", "after"],
      ["offset=1&after=1.0.id", "after"],
      ["filter=department+is+1", "filter"],
      ["q=", "q"],
      ["count=maybe", "count"],
      ["page=2", "page"],
    ])("refuses what the list refuses: %s", async (query, parameter) => {
      const [explained, listed] = await Promise.all([
        service.call(`/api/users/explain?${query}`),
        service.call(`/api/users?${query}`),
      ]);
      expect([explained.status, listed.status]).toEqual([400, 400]);
      const problem = await explained.json();
      const { errors } = await listed.json();
      expect(problem).toMatchObject({ type: expect.stringContaining("invalid-query"), errors });
      expect(problem.errors).toMatchObject([{ parameter }]);
    });

    test("has only GET", async () => {
      const response = await service.call("/api/users/explain", { method: "POST", json: {} });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    });
  });

  test("an explanation needs the scope users:read", async () => {
    const guarded = await startService({}, engine);
    const manager = await createFirstKey(guarded);
    const create = async (scope: string) => {
      const json = { name: scope, scopes: [scope] };
      const created = await guarded.call("/api/keys", { method: "POST", json, headers: bearer(manager) });
      return (await created.json()).key;
    };
    const statusWith = async (headers: Record<string, string>) =>
      (await guarded.call("/api/users/explain", { headers })).status;
    expect(await statusWith({})).toBe(401);
    expect(await statusWith(bearer(await create("users:write")))).toBe(403);
    expect(await statusWith(bearer(await create("users:read")))).toBe(200);
    await guarded.stop();
  });
});
