import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type AdminRecord, Resources } from "../../src/client/admin/resources.ts";
import type { Client } from "../../src/client/index.ts";
import { startService, type TestService } from "../support/service.ts";
import { ada, json, quietClient, startServer, stopServers } from "./support/servers.ts";

const COUNT = 25;
let service: TestService;
let client: Client;

beforeAll(async () => {
  service = await startService();
  client = service.roster;
  await client.users.import(Array.from({ length: COUNT }, (_, i) => ({ name: `User ${i + 1}` }))).summary();
});
afterAll(() => service.stop());
afterEach(stopServers);

const ids = (found: readonly AdminRecord[]) => found.map(({ id }) => id);
const pagesOf = (reader: Client) => new Resources(reader).get("users").list.pages;
const linkTo = (cursor: string) => ({ link: `</api/users?after=${cursor}>; rel="next"` });

describe("a page by number", () => {
  test("is the same before and after the pages before it were read, and has a total if it is the last", async () => {
    for (const numbers of [
      [3, 2, 1],
      [1, 2, 3],
    ]) {
      const pages = pagesOf(client);
      for (const number of numbers) {
        const { items: found, total } = await pages.read(number, { limit: 10 });
        expect(ids(found)).toEqual(
          Array.from({ length: number === 3 ? 5 : 10 }, (_, i) => 10 * (number - 1) + i + 1),
        );
        expect(total).toEqual(number === 3 ? { count: COUNT, capped: false } : undefined);
      }
    }
  });

  test("after the end is empty, with a total on request", async () => {
    for (const number of [4, 1_000_000]) {
      const pages = pagesOf(client);
      expect(await pages.read(number, { limit: 10 })).toEqual({
        items: [],
        next: undefined,
        total: undefined,
      });
      const { total } = await pages.read(number, { limit: 10 }, { count: true });
      expect(total).toEqual({ count: COUNT, capped: false });
    }
  });

  test("is read on until it is full, if the service ends it early", async () => {
    const user = (id: number) => ({ ...ada, id });
    const { url, seen } = await startServer(
      // The time was not enough to skip all users.
      json([], 200, { ...linkTo("c1"), "x-total-count": "300001" }),
      json([user(7), user(8)], 200, linkTo("c2")),
      json([user(9)], 200, linkTo("c3")),
      json([user(10)]),
    );
    const pages = pagesOf(quietClient(url));
    const { items: found, total } = await pages.read(100_001, { limit: 3, sort: "name" }, { count: true });
    expect(ids(found)).toEqual([7, 8, 9]);
    expect(total).toEqual({ count: 300_001, capped: false });
    expect(ids((await pages.read(100_002, { limit: 3, sort: "name" })).items)).toEqual([10]);
    expect(seen.map(({ target }) => target)).toEqual([
      "/api/users?sort=name&limit=3&offset=300000&count=true",
      "/api/users?sort=name&limit=3&after=c1",
      "/api/users?sort=name&limit=1&after=c2",
      "/api/users?sort=name&limit=3&after=c3",
    ]);
  });
});
