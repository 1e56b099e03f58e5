import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createFirstKey } from "../../support/credentials.ts";
import { onAnyEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";
import { codings, decode, requestRaw } from "./raw-response.ts";

const ALL = "gzip, deflate, br, zstd";

onAnyEngine((engine) => {
  describe("responses", () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startService({}, engine);
      const rows = Array.from({ length: 200 }, (_, index) => ({
        name: `User ${index}`,
        email: `user${index}@example.com`,
        // Half of the bytes are hard to compress.
        note: crypto.getRandomValues(new Uint8Array(3000)).toBase64() + "roster ".repeat(500),
      }));
      for await (const result of service.roster.users.import(rows)) expect(result.status).toBe(201);
    });
    afterAll(() => service.stop());

    test.each([
      ["a short list", "/api/users?limit=3"],
      ["a page of 1 MiB", "/api/users?limit=1000"],
    ])("%s is compressed in each coding", async (_, path) => {
      const url = service.url + path;
      const plain = await requestRaw(url);
      expect(plain.headers["content-encoding"]).toBeUndefined();
      const text = decode(plain, "identity");
      expect(JSON.parse(text).length).toBeGreaterThan(2);
      for (const coding of codings) {
        const response = await requestRaw(url, { "accept-encoding": coding });
        expect(response.status).toBe(200);
        expect(decode(response, coding)).toBe(text);
        expect(response.body.length).toBeLessThan(plain.body.length * 0.7);
        expect(Number(response.headers["content-length"])).toBe(response.body.length);
        expect(response.headers.link).toBe(plain.headers.link);
        const head = await requestRaw(url, { "accept-encoding": coding }, { method: "HEAD" });
        expect(head.headers["content-encoding"]).toBe(coding);
        expect(head.headers["content-length"]).toBe(String(response.body.length));
      }
    });

    test("many large pages at once are complete", async () => {
      const url = `${service.url}/api/users?limit=1000`;
      const text = decode(await requestRaw(url), "identity");
      const texts = await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const coding = codings[index % 3] ?? "gzip";
          return decode(await requestRaw(url, { "accept-encoding": coding }), coding);
        }),
      );
      for (const each of texts) expect(each === text).toBe(true);
    });

    test("fetch decompresses a list by itself", async () => {
      const response = await service.call("/api/users?limit=5");
      expect(response.headers.get("content-encoding")).toBe("zstd");
      expect(await response.json()).toHaveLength(5);
      const names: string[] = [];
      for await (const user of service.roster.users.list({ limit: 50 })) names.push(user.name);
      expect(names).toHaveLength(200);
    });

    test("lists and metrics name Accept-Encoding in Vary, compressed or not", async () => {
      for (const path of ["/api/users?limit=3", "/api/users?email=nobody@example.com", "/metrics"]) {
        for (const headers of [{}, { "accept-encoding": "gzip" }])
          expect((await requestRaw(service.url + path, headers)).headers.vary).toContain("Accept-Encoding");
      }
    });

    test("a short list is compressed only if the caller rejects an uncompressed one", async () => {
      const url = `${service.url}/api/users?email=nobody@example.com`;
      const codingOf = async (accept: string) =>
        (await requestRaw(url, { "accept-encoding": accept })).headers["content-encoding"];
      expect(await codingOf(ALL)).toBeUndefined();
      expect(await codingOf("gzip, identity;q=0")).toBe("gzip");
      expect(await codingOf("deflate, identity;q=0")).toBeUndefined();
    });

    test("metrics are compressed", async () => {
      const response = await requestRaw(`${service.url}/metrics`, { "accept-encoding": "gzip;q=1.0" });
      expect(decode(response, "gzip")).toContain("roster_users 200\n");
      expect(response.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    });

    test("a single user is never compressed", async () => {
      const headers = { "accept-encoding": `${ALL}, identity;q=0`, "content-type": "application/json" };
      const expectPlain = async (method: string, path: string, body?: object) => {
        const response = await requestRaw(service.url + path, headers, {
          method,
          ...(body && { body: JSON.stringify(body) }),
        });
        expect(response.headers["content-encoding"]).toBeUndefined();
        return JSON.parse(decode(response, "identity"));
      };
      const note = "x".repeat(9000);
      const { id } = await expectPlain("POST", "/api/users", { name: "Ada", note });
      await expectPlain("GET", `/api/users/${id}`);
      await expectPlain("PUT", `/api/users/${id}`, { name: "Ada", note, plan: "pro" });
      await expectPlain("PATCH", `/api/users/${id}`, { plan: "free" });
      await service.roster.users.delete(id);
    });

    test("a problem is never compressed", async () => {
      const fields = [
        "password",
        "passwd",
        "pwd",
        "secret",
        "token",
        "apiKey",
        "pin",
        "otp",
        "privateKey",
        "accessToken",
      ];
      const response = await requestRaw(
        `${service.url}/api/users`,
        { "accept-encoding": ALL, "content-type": "application/json" },
        { method: "POST", body: JSON.stringify(Object.fromEntries(fields.map((field) => [field, "x"]))) },
      );
      expect(response.body.length).toBeGreaterThan(1024);
      expect(response.status).toBe(422);
      expect(response.headers["content-encoding"]).toBeUndefined();
    });
  });

  test("responses about keys and sessions are never compressed", async () => {
    const service = await startService({}, engine);
    try {
      const key = await createFirstKey(service);
      const headers = {
        authorization: `Bearer ${key}`,
        "accept-encoding": `${ALL}, identity;q=0`,
        "content-type": "application/json",
      };
      const send = (method: string, path: string, body?: object) =>
        requestRaw(service.url + path, headers, { method, ...(body && { body: JSON.stringify(body) }) });
      const responses = [
        ...(await Promise.all(
          Array.from({ length: 6 }, (_, index) =>
            send("POST", "/api/keys", { name: `key ${index} ${"x".repeat(80)}`, scopes: ["users:read"] }),
          ),
        )),
        await send("GET", "/api/keys"),
        await send("GET", "/api/keys/1"),
        await send("GET", "/api/session"),
        await send("POST", "/api/session", { key }),
      ];
      for (const response of responses) {
        expect(response.status).toBeLessThan(300);
        expect(response.headers["content-encoding"]).toBeUndefined();
      }
    } finally {
      await service.stop();
    }
  });
});
