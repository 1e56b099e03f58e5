import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { onEachEngine } from "../../support/engines.ts";
import { sendRaw } from "../../support/raw-http.ts";
import { startService, type TestService } from "../../support/service.ts";

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
    await service.roster.users.create({ name: "Ada" });
  });
  afterAll(() => service.stop());

  describe("HEAD", () => {
    test.each([
      ["/api/users/1", 200],
      ["/api/users", 200],
      ["/api/users/export", 200],
      ["/api/users/2", 404],
      ["/api/users?limit=0", 400],
      ["/healthz", 200],
      ["/openapi.json", 200],
      ["/docs", 200],
      ["/nowhere", 404],
    ])("of %s has Date, like GET", async (path, status) => {
      const host = `Host: ${new URL(service.url).host}`;
      const { responses } = await sendRaw(service.url, [`HEAD ${path} HTTP/1.1\r\n${host}\r\n\r\n`], {
        head: true,
      });
      expect(responses.map((response) => response.status)).toEqual([status]);
      const dates = responses[0]?.headers.filter(([name]) => name === "date") ?? [];
      expect(dates).toHaveLength(1);
      expect(Math.abs(Date.parse(dates[0]?.[1] ?? "") - Date.now())).toBeLessThan(60_000);
    });
  });

  describe("Vary", () => {
    test.each(["/api/users", "/api/users?limit=1", "/api/users/export", "/api/keys"])(
      "of %s names Accept",
      async (path) => {
        const { status, headers } = await service.call(path);
        expect(status).toBe(200);
        expect(headers.get("vary")?.split(", ")).toContain("Accept");
      },
    );
  });

  describe("Accept", () => {
    const problem = { accept: "application/problem+json" };

    test("of problem documents only never turns an error into 406", async () => {
      const read = (path: string) => service.call(path, { headers: problem });
      expect((await read("/api/users/999")).status).toBe(404);
      expect((await read("/api/users?limit=0")).status).toBe(400);
      expect((await service.call("/api/users", { method: "POST", json: {}, headers: problem })).status).toBe(
        422,
      );
      expect(
        (await service.call("/api/users/999", { method: "PATCH", json: {}, headers: problem })).status,
      ).toBe(404);
    });

    test("of problem documents only gets a success as JSON", async () => {
      const created = await service.call("/api/users", {
        method: "POST",
        json: { name: "Grace" },
        headers: problem,
      });
      expect([created.status, (await created.json()).name]).toEqual([201, "Grace"]);
      const location = created.headers.get("location") ?? "";
      expect((await service.call(location, { headers: problem })).status).toBe(200);
      expect((await service.call(location, { method: "DELETE", headers: problem })).status).toBe(204);
    });

    test("of text/* gets what is text", async () => {
      const typeOf = async (path: string) => {
        const { status, headers } = await service.call(path, { headers: { accept: "text/*" } });
        return [status, headers.get("content-type")?.split(";")[0]];
      };
      expect(await typeOf("/api/users/export")).toEqual([200, "text/csv"]);
      expect(await typeOf("/metrics")).toEqual([200, "text/plain"]);
      expect(await typeOf("/docs")).toEqual([200, "text/html"]);
      expect(await typeOf("/api/users")).toEqual([406, "application/problem+json"]);
    });

    test("with a quality of 0 excludes a type", async () => {
      const headers = { accept: "application/x-ndjson;q=0, */*" };
      const exported = await service.call("/api/users/export", { headers });
      expect(exported.headers.get("content-type")).toStartWith("text/csv");
      const excluded = await service.call("/api/users/1", {
        headers: { accept: "application/json;q=0, */*" },
      });
      expect(excluded.status).toBe(406);
    });
  });
});
