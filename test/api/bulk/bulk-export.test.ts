import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { ListOptions } from "../../../src/client/index.ts";
import {
  CSV,
  exportText,
  exportUsers,
  type Fields,
  importBody,
  NDJSON,
  toNdjson,
} from "../../support/bulk-requests.ts";
import { bearer } from "../../support/credentials.ts";
import { onEachEngine } from "../../support/engines.ts";
import { sendRaw } from "../../support/raw-http.ts";
import { startService, type TestService } from "../../support/service.ts";

setDefaultTimeout(120_000);

/** The options that lists and exports share. */
type Query = Pick<ListOptions, "q" | "sort"> & { where?: Record<string, string> };

const USERS = 5300;
const teams = ["red", "green", "blue"] as const;

/** More users than two pages of an export hold. */
const people = Array.from({ length: USERS }, (_, index): Fields => {
  const team = teams[index % 3] ?? "";
  const email = index % 5 === 0 ? {} : { email: `p${(index * 7919) % USERS}@example.com` };
  return {
    name: `Person ${(index * 104_729) % USERS} ${index % 50 === 0 ? "José" : ""}`.trim(),
    ...email,
    team,
    index,
  };
});

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
    const { lines } = await importBody(service, NDJSON, toNdjson(people));
    expect(lines.every(({ status }) => status === 201)).toBe(true);
  }, 120_000);
  afterAll(() => service.stop());

  const csvIds = async (query: string) =>
    (await exportText(service, CSV, query))
      .split("\r\n")
      .slice(1, -1)
      .map((row) => Number(row.split(",")[0]));

  describe("an export", () => {
    test.each<Query>([
      {},
      { sort: "-id" },
      { sort: "name" },
      { sort: "-name" },
      { sort: "email" },
      { sort: "-email" },
      { sort: "createdAt" },
      { sort: "-updatedAt" },
      { where: { team: "red" } },
      { where: { team: "red" }, sort: "-name" },
      { q: "jose" },
      { q: "person", sort: "name" },
      { q: "pe", where: { team: "blue" } },
      { where: { email: "p7@example.com" } },
      { where: { id: "3" } },
      { where: { team: "unknown" } },
    ])("with %j has the same users in the same order as the list", async (query) => {
      const users = await service.roster.users.list({ ...query, limit: 1000 }).all();
      const { where, ...rest } = query;
      const search = `?${new URLSearchParams({ ...rest, ...where })}`;
      expect(await exportUsers(service, search)).toEqual(
        users.map((user): Fields => JSON.parse(JSON.stringify(user))),
      );
      expect(await csvIds(search)).toEqual(users.map(({ id }) => id));
    });

    test("has each user's stored JSON on a line, and ends with a newline", async () => {
      const text = await exportText(service, NDJSON, "?id=1&id=2");
      const one = await (await service.call("/api/users/1")).text();
      const two = await (await service.call("/api/users/2")).text();
      expect(text).toBe(`${one}\n${two}\n`);
    });

    test("as CSV has a header row with every field in order", async () => {
      const text = await exportText(service, CSV, "?id=1");
      const [head, row, ...rest] = text.split("\r\n");
      const user = await service.roster.users.get(1);
      expect(head).toBe("id,name,email,team,index,version,createdAt,updatedAt");
      expect(row).toBe(`1,${user.name},,red,0,1,${user.createdAt},${user.updatedAt}`);
      expect(rest).toEqual([""]);
    });

    test("without users is empty, or only the CSV header row", async () => {
      expect(await exportText(service, NDJSON, "?team=none")).toBe("");
      expect(await exportText(service, CSV, "?team=none")).toBe(
        "id,name,email,version,createdAt,updatedAt\r\n",
      );
    });

    test("is a download for browsers, and not for shared caches", async () => {
      for (const [type, name] of [
        [NDJSON, "users.ndjson"],
        [CSV, "users.csv"],
      ] as const) {
        const { headers } = await service.call("/api/users/export?id=1", { headers: { accept: type } });
        expect(headers.get("content-type")).toBe(`${type}; charset=utf-8`);
        expect(headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
        expect(headers.get("cache-control")).toBe("no-store");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("link")).toBeNull();
      }
    });

    test.each(["limit=10", "after=3.0.id", "offset=10", "count=true", "limit=10&offset=2"])(
      "rejects paging: %s is 400",
      async (query) => {
        for (const accept of [NDJSON, CSV]) {
          const response = await service.call(`/api/users/export?${query}`, { headers: { accept } });
          expect(response.status).toBe(400);
          const parameters = query.split("&").map((part) => part.split("=")[0] ?? "");
          expect(await response.json()).toMatchObject({
            type: "/problems/invalid-query",
            errors: parameters.map((parameter) => ({ parameter })),
          });
        }
      },
    );

    test("with an invalid query is 400, like a list", async () => {
      const response = await service.call("/api/users/export?sort=age&q=&5=x", { headers: { accept: CSV } });
      expect(response.status).toBe(400);
    });

    test.each([
      ["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", NDJSON],
      ["*/*", NDJSON],
      ["application/*", NDJSON],
      ["text/*", CSV],
      ["application/ndjson", NDJSON],
      ["application/jsonl", NDJSON],
      ["text/csv;q=0.5, application/x-ndjson", NDJSON],
      ["text/csv;q=0.5, application/jsonl", NDJSON],
      ["text/csv, application/x-ndjson;q=0.9, application/json;q=0.1", CSV],
      ["application/json, TEXT/CSV;q=0.6", CSV],
      ["text/csv;q=0, */*;q=0.1", NDJSON],
      ["*/*, text/csv", CSV],
      ["text/csv; header=present", CSV],
    ])("with Accept: %s is %s", async (accept, expected) => {
      const response = await service.call("/api/users/export?id=1", { headers: { accept } });
      expect([response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([200, expected]);
    });

    test.each(["text/plain", "text/csv;q=0", "application/json", "image/*"])(
      "with Accept: %s is 406",
      async (accept) => {
        const response = await service.call("/api/users/export", { headers: { accept } });
        expect(response.status).toBe(406);
        expect((await response.json()).detail).toContain("application/x-ndjson or text/csv");
      },
    );

    test.each([
      ["csv", NDJSON, CSV],
      ["ndjson", CSV, NDJSON],
      ["csv", "application/json", CSV],
    ])("with format=%s and Accept: %s is %s", async (format, accept, expected) => {
      const response = await service.call(`/api/users/export?team=red&format=${format}&id=1`, {
        headers: { accept },
      });
      expect([response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([200, expected]);
      const text = await response.text();
      expect(text.split("\n")).toHaveLength(expected === CSV ? 3 : 2);
    });

    test.each(["format=xml", "format=", "format=csv&format=csv"])("with %s is 400", async (query) => {
      const response = await service.call(`/api/users/export?${query}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ errors: [{ parameter: "format" }] });
    });

    test("is found under any spelling of its path, and other methods are 405", async () => {
      for (const path of ["/api/users/%65xport?id=1", "/api/users/export/?id=1"]) {
        const { headers } = await fetch(service.url + path);
        expect(headers.get("content-disposition")).toContain("users.ndjson");
      }
      for (const method of ["POST", "PUT", "DELETE"]) {
        const response = await service.call("/api/users/export", { method });
        expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
      }
    });

    test.each([NDJSON, CSV, "application/jsonl", "text/*"])(
      "is not at the list's path: Accept: %s there is 406, with the path of exports",
      async (accept) => {
        const response = await service.call("/api/users", { headers: { accept } });
        expect(response.status).toBe(406);
        expect((await response.json()).detail).toContain("GET /api/users/export");
      },
    );

    test("HEAD has the headers of GET without a body, and keeps the connection usable", async () => {
      for (const accept of [NDJSON, CSV]) {
        const { host } = new URL(service.url);
        const head = `HEAD /api/users/export HTTP/1.1\r\nHost: ${host}\r\nAccept: ${accept}\r\n\r\n`;
        const get = `GET /api/users/1 HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
        const { responses } = await sendRaw(service.url, [head, get], { until: 2, head: true });
        const headers = new Map(responses[0]?.headers);
        expect(responses.map(({ status }) => status)).toEqual([200, 200]);
        expect(headers.get("content-type")).toBe(`${accept}; charset=utf-8`);
        expect(headers.get("content-disposition")).toContain("users.");
        expect(headers.has("content-length")).toBe(false);
        expect(responses[1]?.body).toStartWith('{"id":1,');
      }
      expect(
        (await service.call("/api/users/export?limit=5", { method: "HEAD", headers: { accept: CSV } }))
          .status,
      ).toBe(400);
    });

    test("during creates and deletes has every user that exists throughout exactly once", async () => {
      let isRunning = true;
      const changes = (async () => {
        for (let i = 0; isRunning; i++) {
          const { id } = await service.roster.users.create({ name: `Passing ${i}`, passing: true });
          await service.roster.users.update(id, { name: `Moving ${i}` });
          await service.roster.users.delete(id);
        }
      })();
      for (const sort of ["id", "-name", "email"]) {
        const ids = (await exportUsers(service, `?sort=${sort}`))
          .filter(({ passing }) => !passing)
          .map(({ id }) => id);
        expect([sort, ids.length, new Set(ids).size]).toEqual([sort, USERS, USERS]);
      }
      isRunning = false;
      await changes;
    });
  });

  test("users with more than 1,000 different fields: the rarest are in the _more column, and come back on import", async () => {
    const wide = Array.from({ length: 5 }, (_, user): Fields => {
      const fields = Array.from({ length: 230 }, (_, field) => [
        `f${user}_${field}`,
        field % 2 ? `x;=${field}` : field,
      ]);
      return { name: `Wide ${user}`, ...Object.fromEntries(fields), both: { user, note: ";=1" } };
    });
    const [first, second] = [await startService({}, engine), await startService({}, engine)];
    try {
      await importBody(first, NDJSON, toNdjson(wide));
      const response = await first.call("/api/users/export?format=csv");
      expect(response.status).toBe(200);
      const table = await response.text();
      const header = table.slice(0, table.indexOf("\r\n")).split(",");
      expect(header).toHaveLength(3 + 1000 + 1 + 3);
      expect(header.slice(-4)).toEqual(["_more", "version", "createdAt", "updatedAt"]);
      // Every user has this field, so it gets a column although it comes last.
      expect(header).toContain("both");
      const { lines } = await importBody(second, CSV, table);
      expect(lines.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
      const records = async (service: TestService) =>
        (await exportUsers(service)).map(({ createdAt: _c, updatedAt: _u, ...record }) => record);
      expect(await records(second)).toEqual(await records(first));
    } finally {
      await Promise.all([first.stop(), second.stop()]);
    }
  });
});

describe("with keys", () => {
  let service: TestService;
  const keys = new Map<string, string>();
  beforeAll(async () => {
    service = await startService();
    for (const scopes of [["users:read", "users:write", "keys:manage"], ["users:read"], ["users:write"]]) {
      const response = await service.call("/api/keys", {
        method: "POST",
        json: { name: "k", scopes },
        headers: headersOf("all"),
      });
      keys.set(scopes.length === 1 ? (scopes[0] ?? "") : "all", (await response.json()).key);
    }
  });
  afterAll(() => service.stop());

  const headersOf = (name: string): Record<string, string> => {
    const key = keys.get(name);
    return key === undefined ? {} : bearer(key);
  };
  const get = async (type: string, headers: Record<string, string>) =>
    (await service.call("/api/users/export", { headers: { accept: type, ...headers } })).status;

  test.each([NDJSON, CSV])("an export as %s needs users:read", async (type) => {
    expect(await get(type, headersOf("users:read"))).toBe(200);
    expect(await get(type, headersOf("users:write"))).toBe(403);
    expect(await get(type, {})).toBe(401);
  });

  test.each([
    [NDJSON, '{"name":"Keyed"}\n'],
    [CSV, "name\nKeyed\n"],
  ])("an import of %s needs users:write", async (type, body) => {
    expect(await importBody(service, type, body, headersOf("users:write"))).toMatchObject({ status: 200 });
    expect(await importBody(service, type, body, headersOf("users:read"))).toMatchObject({ status: 403 });
    expect(await importBody(service, type, body)).toMatchObject({ status: 401 });
  });

  test("an Idempotency-Key belongs to the key that sent it", async () => {
    const importAs = (name: string) =>
      importBody(service, NDJSON, '{"name":"Whose"}\n', { ...headersOf(name), "idempotency-key": "one" });
    const first = await importAs("users:write");
    expect((await importAs("users:write")).lines).toEqual(first.lines);
    expect((await importAs("all")).lines[0]?.id).not.toBe(first.lines[0]?.id);
  });

  test("an import counts as one request towards the rate limit", async () => {
    const body = '{"name":"Rated"}\n'.repeat(50);
    const response = await service.call("/api/users/import", {
      method: "POST",
      body,
      headers: { "content-type": NDJSON, ...headersOf("all") },
    });
    expect(response.headers.get("ratelimit")).toMatch(/^"default";r=59\d\d;t=60$/);
  });
});
