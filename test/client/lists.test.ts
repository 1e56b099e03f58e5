import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { ApiError, type Client, createClient, type User } from "../../src/client/index.ts";
import { startService, type TestService } from "../support/service.ts";
import { ada, failureOf, json, quietClient, startServer, stopServers } from "./support/servers.ts";

type CustomFields = { team?: string; level?: number | string; active?: boolean; note?: string | null };

const COUNT = 25;
let service: TestService;
let users: Client<CustomFields>["users"];

beforeAll(async () => {
  service = await startService();
  users = createClient<CustomFields>({ baseUrl: service.url }).users;
  for (let n = 1; n <= COUNT; n++) {
    await users.create({
      name: `User ${String(n).padStart(2, "0")}`,
      email: `user${n}@example.com`,
      team: ["red", "green", "blue & white"][n % 3] ?? "",
      level: n % 5,
      active: n % 2 === 0,
      note: n === 1 ? null : "",
    });
  }
});

afterAll(() => service.stop());
afterEach(stopServers);

const ids = (list: readonly User[]) => list.map(({ id }) => id);
const from = (low: number, high: number) => Array.from({ length: high - low + 1 }, (_, at) => low + at);

describe("a list", () => {
  test("yields every user of every page once", async () => {
    const iterated: number[] = [];
    for await (const user of users.list({ limit: 4 })) iterated.push(user.id);
    expect(iterated).toEqual(from(1, COUNT));
  });

  test("fetches no more pages after a break", async () => {
    const pages = [1, 2, 3].map((page) => {
      const link = `</api/users?limit=2&after=c${page}>; rel="next", </api/users?limit=2>; rel="first"`;
      return json([ada, ada], 200, { link });
    });
    const { url, seen } = await startServer(...pages);
    const read: User[] = [];
    for await (const user of quietClient(url).users.list({ limit: 2, offset: 5, sort: "-name" })) {
      read.push(user);
      if (read.length === 4) break;
    }
    expect(seen.map(({ target }) => target)).toEqual([
      "/api/users?sort=-name&limit=2&offset=5",
      "/api/users?sort=-name&limit=2&after=c1",
    ]);
  });

  test("sends no request and no key to another origin that Link names", async () => {
    const other = await startServer(json([ada]));
    const link = `<${other.url}/api/users?limit=1&after=c1>; rel="next"`;
    const { url, seen } = await startServer(json([ada], 200, { link }), json([]));
    const { users: listed } = quietClient(url, { apiKey: "rk_test" });
    expect(await listed.list({ limit: 1 }).all()).toEqual([ada]);
    expect(seen.map(({ target }) => target)).toEqual(["/api/users?limit=1", "/api/users?limit=1&after=c1"]);
    expect(other.seen).toEqual([]);
  });

  test("explains how its page is found, and rejects other responses", async () => {
    const list = users.list({ where: { team: "red" }, sort: "-name", limit: 3 });
    expect(await list.explain()).toMatchObject({ order: "-name", found: 3, hasMore: true });
    const { url } = await startServer(json([ada]));
    const error = await failureOf(ApiError, quietClient(url).users.list().explain());
    expect(error.message).toContain("the response is not an explanation of a list");
    // No request is sent.
    await failureOf(RangeError, users.list({ where: { team: [] } }).explain());
  });

  test("ends at a Link that is not a URL", async () => {
    const { url } = await startServer(json([ada], 200, { link: '<http://[>; rel="next"' }));
    expect(await quietClient(url).users.list().all()).toEqual([ada]);
  });

  test("continues after an empty page", async () => {
    const link = '</api/users?after=more>; rel="next"';
    const { url } = await startServer(json([], 200, { link }), json([ada]));
    expect(await quietClient(url).users.list().all()).toEqual([ada]);
    const again = await startServer(json([], 200, { link }), json([ada]));
    expect(await quietClient(again.url).users.find({ email: "ada@example.com" })).toEqual(ada);
  });

  test("can be iterated over twice", async () => {
    const list = users.list({ limit: 10 });
    expect(ids(await list.all())).toEqual(ids(await list.all()));
  });

  test("returns pages with next and after", async () => {
    const first = await users.list({ limit: 10 }).page();
    expect(ids(first.users)).toEqual(from(1, 10));
    expect(first.total).toBeUndefined();
    const second = await users.list({ limit: 10, after: first.next ?? "" }).page();
    expect(ids(second.users)).toEqual(from(11, 20));
    const last = await users.list({ limit: 10, after: second.next ?? "" }).page();
    expect(ids(last.users)).toEqual(from(21, 25));
    expect(last.next).toBeUndefined();
    expect(ids(await users.list({ limit: 10, after: second.next ?? "" }).all())).toEqual(from(21, 25));
  });

  test("counts on request", async () => {
    const page = await users.list({ limit: 1, where: { team: "red" } }).page({ count: true });
    expect(page.total).toEqual({ count: 8, capped: false });
    const headers = { "x-total-count": "100000", "x-total-count-capped": "true" };
    const { url } = await startServer(json([], 200, headers));
    const capped = await quietClient(url).users.list().page({ count: true });
    expect(capped.total).toEqual({ count: 100_000, capped: true });
  });

  test("returns one array, up to a maximum", async () => {
    expect(ids(await users.list({ limit: 7 }).all())).toEqual(from(1, COUNT));
    expect(await users.list({ limit: 7 }).all({ max: COUNT })).toHaveLength(COUNT);
    const error = await failureOf(RangeError, users.list({ limit: 7 }).all({ max: COUNT - 1 }));
    expect(error.message).toBe("There are more than 24 users: iterate, or set { max }.");
  });

  test("sorts, searches and skips", async () => {
    expect(ids(await users.list({ sort: "-name", limit: 2 }).all({ max: 99 }))).toEqual(
      from(1, COUNT).reverse(),
    );
    expect(ids(await users.list({ q: "user 1" }).all())).toEqual(from(10, 19));
    expect(ids(await users.list({ q: "user2@" }).all())).toEqual([2]);
    expect(ids(await users.list({ offset: 20, limit: 2 }).all())).toEqual(from(21, 25));
  });

  test("with invalid options throws the problem of the service", async () => {
    const error = await failureOf(ApiError, users.list({ limit: 9999 }).page());
    expect(error).toMatchObject({ status: 400, type: "invalid-query" });
    expect(error.problem?.errors).toMatchObject([{ parameter: "limit" }]);
  });
});

describe("where", () => {
  const where = async (filter: NonNullable<Parameters<typeof users.list>[0]>["where"] & object) =>
    ids(await users.list({ where: filter, limit: 3 }).all());

  test("accepts any text", async () => {
    expect(await where({ team: "blue & white" })).toEqual([2, 5, 8, 11, 14, 17, 20, 23]);
    expect(await where({ team: "blue&team=red" })).toEqual([]);
    expect(await where({ email: "USER7@example.com" })).toEqual([7]);
  });

  test("matches any of several values", async () => {
    expect(await where({ team: ["red", "green"] })).toHaveLength(17);
    expect(await where({ id: [3, 5, 99] })).toEqual([3, 5]);
  });

  test("accepts numbers, booleans and null", async () => {
    expect(await where({ level: 0 })).toEqual([5, 10, 15, 20, 25]);
    expect(await where({ active: true, level: [0, 1] })).toEqual([6, 10, 16, 20]);
    expect(await where({ active: false, level: 0 })).toEqual([5, 15, 25]);
    expect(await where({ note: null })).toEqual([1]);
    expect(await where({ note: "" })).toHaveLength(24);
  });

  test("with an empty list matches no user", async () => {
    expect(await where({ id: [] })).toEqual([]);
    const page = await users.list({ where: { id: [] } }).page({ count: true });
    expect(page).toEqual({ users: [], next: undefined, total: { count: 0, capped: false } });
  });

  test("rejects a field with the name of a query parameter", async () => {
    for (const field of ["limit", "after", "offset", "sort", "q", "count"]) {
      await failureOf(RangeError, users.list({ where: { [field]: "1" } }).page());
    }
  });
});
