import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Client, createClient } from "../../../src/client/index.ts";
import { scopes } from "../../../src/contract/keys/key.ts";
import { bearer } from "../../support/credentials.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";

setDefaultTimeout(60_000);

/** A key with users:write and without users:read must not read users through the responses to its changes. */
onEachEngine((engine) => {
  let service: TestService;
  let owner: Client;
  let writeOnly: string;

  beforeAll(async () => {
    service = await startService({}, engine);
    const { key: apiKey } = await service.roster.keys.create({ name: "owner", scopes });
    owner = createClient({ baseUrl: service.url, apiKey });
    writeOnly = (await owner.keys.create({ name: "writer", scopes: ["users:write"] })).key;
  });
  afterAll(() => service.stop());

  const change = (method: string, id: number, body: object, headers: Record<string, string> = {}) =>
    service.call(`/api/users/${id}`, { method, json: body, headers: { ...bearer(writeOnly), ...headers } });

  describe("a key without users:read", () => {
    test.each([
      ["PATCH", {}, 1],
      ["PATCH", { department: "research" }, 2],
      ["PUT", { name: "Ada King" }, 2],
    ] as const)("gets 204 with the ETag for %s %j", async (method, body, version) => {
      const { id } = await owner.users.create({ name: "Ada", salary: 100 });
      const response = await change(method, id, body);
      expect(response.status).toBe(204);
      expect(response.headers.get("etag")).toBe(`"${version}"`);
      expect(await response.text()).toBe("");
      expect(await owner.users.get(id)).toMatchObject({ ...body, version });
    });

    test("can use the ETag for its next change", async () => {
      const { id } = await owner.users.create({ name: "Ada" });
      const etag = (await change("PATCH", id, { step: 1 })).headers.get("etag") ?? "";
      expect((await change("PATCH", id, { step: 2 }, { "if-match": etag })).status).toBe(204);
      expect((await change("PATCH", id, { step: 3 }, { "if-match": etag })).status).toBe(412);
    });

    test("gets the user that it creates", async () => {
      const response = await service.call("/api/users", {
        method: "POST",
        json: { name: "Grace" },
        headers: bearer(writeOnly),
      });
      expect(response.status).toBe(201);
      expect(await response.json()).toMatchObject({ name: "Grace" });
    });

    test("gets undefined from the client", async () => {
      const { id } = await owner.users.create({ name: "Ada" });
      const { users } = createClient({ baseUrl: service.url, apiKey: writeOnly, retries: 0 });
      expect(await users.update(id, { step: 1 })).toBeUndefined();
      expect(await users.replace(id, { name: "Ada King" })).toBeUndefined();
      expect(await owner.users.get(id)).toMatchObject({ name: "Ada King", version: 3 });
    });
  });

  test("a key with users:read gets the changed user", async () => {
    const { id } = await owner.users.create({ name: "Ada" });
    const both = await owner.keys.create({ name: "both", scopes: ["users:read", "users:write"] });
    const { users } = createClient({ baseUrl: service.url, apiKey: both.key });
    expect(await users.update(id, { step: 1 })).toMatchObject({ name: "Ada", step: 1, version: 2 });
  });
});
