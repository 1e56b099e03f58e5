import { afterEach, describe, expect, test } from "bun:test";
import { createClient } from "../../src/client/index.ts";
import { ada, failure, failureOf, json, quietClient, startServer, stopServers } from "./support/servers.ts";

afterEach(stopServers);

describe("an id", () => {
  const places: Record<string, string> = {
    "../keys": "..%2Fkeys",
    "../../healthz": "..%2F..%2Fhealthz",
    "..\\keys": "..%5Ckeys",
    "1/2": "1%2F2",
    "1?x=y": "1%3Fx%3Dy",
    "%2e%2e": "%252e%252e",
    "#": "%23",
    "1#x": "1%23x",
    "...": "...",
    " ..": "%20..",
    "..;": "..%3B",
    "\t..\n": "%09..%0A",
    "http://evil.example/": "http%3A%2F%2Fevil.example%2F",
    "@evil.example": "%40evil.example",
    "1\r\nX-Evil: yes": "1%0D%0AX-Evil%3A%20yes",
    "\u0000": "%00",
    "７": "%EF%BC%97",
  };
  for (const [id, place] of Object.entries(places)) {
    test(`such as ${JSON.stringify(id)} stays within its path segment`, async () => {
      const { url, seen } = await startServer(json(ada), json(ada), json(ada), { status: 204 });
      const { users } = quietClient(url);
      await users.get(id);
      await users.replace(id, { name: "Ada" });
      await users.update(id, { name: "Ada" });
      await users.delete(id);
      expect(seen.map(({ target }) => target)).toEqual(Array(4).fill(`/api/users/${place}`));
    });
  }

  for (const id of ["", ".", ".."]) {
    test(`such as ${JSON.stringify(id)} is rejected before anything is sent`, async () => {
      const { url, seen } = await startServer(json(ada));
      const { users } = quietClient(url);
      for (const call of [
        users.get(id),
        users.replace(id, { name: "x" }),
        users.update(id, {}),
        users.delete(id),
      ]) {
        expect((await failureOf(RangeError, call)).message).toBe(`"${id}" is not a valid id.`);
      }
      expect(seen).toEqual([]);
    });
  }

  test("such as half a surrogate pair is rejected before anything is sent", async () => {
    const { url, seen } = await startServer(json(ada));
    await failureOf(URIError, quietClient(url).users.get("\ud800"));
    expect(seen).toEqual([]);
  });
});

describe("baseUrl", () => {
  test("may have a path before /api, trailing slashes, and a query, which is ignored", async () => {
    const { url, seen } = await startServer(json(ada));
    for (const end of [
      "",
      "/",
      "///",
      "/roster",
      "/roster/",
      "/a/b//",
      "/roster?x=y",
      "/roster/#top",
      "/a%2Fb",
    ]) {
      await quietClient(url + end).users.get(7);
    }
    await createClient({ baseUrl: new URL(url) }).users.get(7);
    expect(seen.map(({ target }) => target.replace("/api/users/7", ""))).toEqual([
      "",
      "",
      "",
      "/roster",
      "/roster",
      "/a/b",
      "/roster",
      "/roster",
      "/a%2Fb",
      "",
    ]);
  });

  test("keeps its path for lists and redirected pages", async () => {
    const link = '</api/users?limit=1&after=c1>; rel="next"';
    const { url, seen } = await startServer(json([ada], 200, { link }), json([]));
    await quietClient(`${url}/roster/`).users.list({ limit: 1 }).all();
    expect(seen.map(({ target }) => target)).toEqual([
      "/roster/api/users?limit=1",
      "/roster/api/users?limit=1&after=c1",
    ]);
  });

  test("that is invalid is rejected immediately with a reason", () => {
    expect(() => createClient({ baseUrl: "localhost:3000" })).toThrow(
      "The URL must begin with http: or https:, not localhost:",
    );
    for (const baseUrl of ["", "/api", "nonsense"])
      expect(() => createClient({ baseUrl })).toThrow(TypeError);
    for (const baseUrl of ["ftp://host", "file:///etc", "data:,x"]) {
      expect(() => createClient({ baseUrl })).toThrow("http: or https:");
    }
  });

  test("with a password is rejected without quoting the password", async () => {
    const error = await failure(Promise.try(() => createClient({ baseUrl: "http://ada:hunter2@localhost" })));
    expect(Bun.inspect(error)).toContain("The URL contains a username or password");
    expect(String(error)).not.toContain("hunter2");
  });
});
