import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { User, Users } from "../../../src/client/index.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";

onEachEngine((engine) => {
  let service: TestService;
  let users: Users;
  beforeAll(async () => {
    service = await startService({}, engine);
    users = service.roster.users;
  });
  afterAll(() => service.stop());

  const request = (method: string, { id }: User, headers: Record<string, string>) =>
    method === "PUT" || method === "PATCH"
      ? service.call(`/api/users/${id}`, { method, json: { name: "Changed" }, headers })
      : service.call(`/api/users/${id}`, { method, headers });
  const resultOf = async (response: Response) =>
    response.ok ? response.status : `${response.status} ${(await response.json()).type}`;

  describe("If-Match", () => {
    test.each(["PUT", "PATCH", "DELETE", "GET", "HEAD"])(
      "of %s accepts the weak form of the current version, which proxies that compress create",
      async (method) => {
        const user = await users.create({ name: "Ada" });
        const { status } = await request(method, user, { "if-match": 'W/"1"' });
        expect(status).toBe(method === "DELETE" ? 204 : 200);
      },
    );

    test("of GET and HEAD is 412 for another version", async () => {
      const user = await users.create({ name: "Ada" });
      expect(await resultOf(await request("GET", user, { "if-match": '"2"' }))).toBe(
        "412 /problems/version-mismatch",
      );
      expect((await request("HEAD", user, { "if-match": '"2"' })).status).toBe(412);
      expect((await request("GET", user, { "if-match": '"2", "1"' })).status).toBe(200);
      expect((await request("GET", user, { "if-match": "*" })).status).toBe(200);
    });

    test("of GET is checked before If-None-Match", async () => {
      const user = await users.create({ name: "Ada" });
      const both = (match: string) => request("GET", user, { "if-match": match, "if-none-match": '"1"' });
      expect((await both('"2"')).status).toBe(412);
      expect((await both('"1"')).status).toBe(304);
    });

    test("of GET of an unknown user is 404", async () => {
      const unknown = await service.call("/api/users/999999", { headers: { "if-match": '"1"' } });
      expect(unknown.status).toBe(404);
    });

    test("without any ETag gets an error that shows how to write one", async () => {
      const user = await users.create({ name: "Ada" });
      for (const tag of ["1", "'1'", "", 'w/"1"']) {
        const response = await request("PUT", user, { "if-match": tag });
        expect(response.status).toBe(412);
        expect((await response.json()).detail).toContain('the version in quotes, such as "1"');
      }
    });
  });

  describe("If-None-Match of a change", () => {
    test.each(["PUT", "PATCH", "DELETE"])("of %s is 412 if it matches the user", async (method) => {
      const user = await users.create({ name: "Ada" });
      for (const tag of ["*", '"1"', 'W/"1"', '"7", "1"']) {
        expect(await resultOf(await request(method, user, { "if-none-match": tag }))).toBe(
          "412 /problems/precondition-failed",
        );
      }
      expect(await users.get(user.id)).toEqual(user);
    });

    test("has no effect if it does not match the user", async () => {
      const user = await users.create({ name: "Ada" });
      for (const tag of ['"7"', "", "nonsense"]) {
        expect((await request("PUT", user, { "if-none-match": tag })).status).toBe(200);
      }
    });

    test("of an unknown user is 404: PUT does not create users", async () => {
      const response = await service.call("/api/users/999999", {
        method: "PUT",
        json: { name: "Ada" },
        headers: { "if-none-match": "*" },
      });
      expect(response.status).toBe(404);
    });
  });
});
