import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Client, createClient } from "../../../src/client/index.ts";
import { type Scope, scopes } from "../../../src/contract/keys/key.ts";
import { bearer } from "../../support/credentials.ts";
import { onAnyEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";
import { protectedOperations } from "./support/protected-operations.ts";

setDefaultTimeout(60_000);

/** The id of no key and no webhook. */
const MISSING_ID = 999_999;

/** What responses tell a caller without users:read. docs/security.md has a table of it. */
onAnyEngine((engine) => {
  let service: TestService;
  let owner: Client;
  let ownerKey: string;

  beforeAll(async () => {
    service = await startService({ rateLimit: 0 }, engine);
    ownerKey = (await service.roster.keys.create({ name: "owner", scopes })).key;
    owner = createClient({ baseUrl: service.url, apiKey: ownerKey });
  });
  afterAll(() => service.stop());

  const createKey = async (...granted: Scope[]) =>
    (await owner.keys.create({ name: granted.join(), scopes: granted })).key;
  const importLines = async (key: string, query: string, lines: readonly object[]) => {
    const response = await service.call(`/api/users/import?${query}`, {
      method: "POST",
      headers: { ...bearer(key), "content-type": "application/x-ndjson" },
      body: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    });
    return (await response.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  };

  describe("an import", () => {
    test.each(["onConflict=skip", "onConflict=update", "onConflict=skip&dryRun=true"])(
      "with %s names users that existed only to a key with users:read",
      async (query) => {
        const email = `${crypto.randomUUID()}@example.com`;
        const { id } = await owner.users.create({ name: "Ada", email });
        const line = { name: "Ada", email };
        expect(await importLines(await createKey("users:write"), query, [line])).toEqual([
          { line: 1, status: 200 },
        ]);
        const reader = await createKey("users:write", "users:read");
        expect(await importLines(reader, query, [line])).toEqual([{ line: 1, status: 200, id }]);
      },
    );

    test("with dryRun=true and onConflict=update, which tells what is stored, needs users:read", async () => {
      const { id } = await owner.users.create({ name: "Ada", note: "x".repeat(100) });
      const query = "dryRun=true&onConflict=update&match=id";
      const [refused] = await importLines(await createKey("users:write"), query, [{ id, note: "y" }]);
      expect(refused).toMatchObject({ status: 403, type: "/problems/insufficient-scope" });
      const reader = await createKey("users:write", "users:read");
      expect(await importLines(reader, query, [{ id, note: "y" }])).toEqual([{ line: 1, status: 200, id }]);
    });

    test("names the users that it creates, also if it is repeated", async () => {
      const writer = await createKey("users:write");
      const { users } = createClient({ baseUrl: service.url, apiKey: writer, retries: 0 });
      const email = `${crypto.randomUUID()}@example.com`;
      const existing = await owner.users.create({ name: "Ada", email });
      const runImport = () => {
        const lines = [{ name: "New" }, { name: "Ada", email }];
        return Array.fromAsync(
          users.import(lines, { onConflict: "skip", idempotencyKey: `import of ${email}` }),
        );
      };
      const expected = [
        { line: 1, status: 201, id: existing.id + 1 },
        { line: 2, status: 200 },
      ];
      expect(await runImport()).toEqual(expected);
      expect(await runImport()).toEqual(expected);
    });
  });

  test("a patch that makes a record too large does not tell how large it was", async () => {
    const { id } = await owner.users.create({ name: "Ada", note: "x".repeat(1234) });
    const writer = bearer(await createKey("users:write"));
    const patch = async (body: object) =>
      (await service.call(`/api/users/${id}`, { method: "PATCH", json: body, headers: writer })).json();
    const isNeutral = (detail: string) => ({ errors: [{ pointer: "", detail }] });
    expect(await patch({ more: "x".repeat(16_000) })).toMatchObject(
      isNeutral("The record would have more than 16384 bytes of JSON."),
    );
    const many = Object.fromEntries(Array.from({ length: 256 }, (_, index) => [`field${index}`, index]));
    expect(await patch(many)).toMatchObject(isNeutral("The record would have more than 256 fields."));
  });

  describe("the schema", () => {
    const send = (key: string, path: string, schema: object) =>
      service.call(`/api/schema${path}`, { method: "PUT", json: schema, headers: bearer(key) });

    test("is checked against users only for a key with users:read", async () => {
      const manager = await createKey("schema:manage");
      const { id } = await owner.users.create({ name: "Ada", iban: "DE02" });
      const schema = { properties: { iban: { type: "string", pattern: "^X" } } };
      const refused = await send(manager, "?dryRun=true", schema);
      expect(refused.status).toBe(403);
      expect(refused.headers.get("www-authenticate")).toContain('scope="users:read"');
      expect(await refused.text()).not.toContain(`"id":${id}`);
      const both = await createKey("schema:manage", "users:read");
      const checked = await send(both, "?dryRun=true", schema);
      expect(await checked.json()).toMatchObject({ violations: [{ id }] });
      expect((await service.call("/api/schema/violations", { headers: bearer(manager) })).status).toBe(403);
      await owner.users.delete(id);
    });

    test("can be read, saved and removed by a key with schema:manage alone", async () => {
      const { schema } = createClient({
        baseUrl: service.url,
        apiKey: await createKey("schema:manage"),
        retries: 0,
      });
      const saved = await schema.set({ properties: { level: { type: "number" } } });
      expect(await schema.get()).toEqual(saved);
      expect((await Array.fromAsync(schema.versions())).at(0)?.version).toBe(saved.version);
      await schema.remove({ ifMatch: saved.version });
    });

    test("with a field that is not unique names users with equal values only to a key with users:read", async () => {
      const field = `badge_${Date.now()}`;
      for (const badge of ["1", "1", "2", "2"]) await owner.users.create({ name: "Ada", [field]: badge });
      const schema = { properties: { [field]: { type: "string", "x-unique": true } } };
      const pointer = `/properties/${field}/x-unique`;
      const refused = await send(await createKey("schema:manage"), "", schema);
      expect(refused.status).toBe(409);
      expect(await refused.json()).toMatchObject({
        type: "/problems/value-taken",
        detail:
          "Users have the same value of a field that you want to be unique. A key with the scope users:read sees which users.",
        errors: [{ pointer, detail: "Some users have the same value." }],
      });
      const named = await send(await createKey("schema:manage", "users:read"), "", schema);
      expect(await named.json()).toMatchObject({
        errors: [
          { pointer, detail: expect.stringMatching(/^The users \d+ and \d+/) },
          { pointer, detail: expect.stringMatching(/^The users \d+ and \d+/) },
        ],
      });
    });
  });

  test("a restore does not tell the email of the deleted user if another user has it now", async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const { id } = await owner.users.create({ name: "Ada", email });
    await owner.users.delete(id);
    await owner.users.create({ name: "Bea", email });
    const writer = bearer(await createKey("users:write"));
    const single = await service.call(`/api/deleted-users/${id}/restore`, {
      method: "POST",
      headers: writer,
    });
    const many = await service.call("/api/users/bulk", {
      method: "POST",
      json: { ids: [id], restore: true },
      headers: writer,
    });
    const detail = "Another user has this user's email now. Restore the user with another email.";
    for (const response of [single, many]) {
      const text = await response.text();
      expect(text).not.toContain(email);
      expect(text).toContain(detail);
    }
    const sent = await service.call(`/api/deleted-users/${id}/restore`, {
      method: "POST",
      json: { email },
      headers: writer,
    });
    expect(await sent.json()).toMatchObject({
      errors: [{ pointer: "/email", detail: `${email} is already in use.` }],
    });
  });

  test("deliveries of a webhook, which name users, need events:read", async () => {
    const { id } = await owner.webhooks.create({ url: "https://hooks.example.com/", types: ["user.*"] });
    const manager = bearer(await createKey("webhooks:manage"));
    const both = bearer(await createKey("webhooks:manage", "events:read"));
    const path = `/api/webhooks/${id}/deliveries`;
    for (const [method, each] of [
      ["GET", path],
      ["GET", `${path}/0ho78yaryg6`],
      ["GET", `/api/webhooks/${id}/attempts`],
      ["POST", `${path}/0ho78yaryg6/resend`],
    ] as const) {
      expect((await service.call(each, { method, headers: manager })).status).toBe(403);
      expect((await service.call(each, { method, headers: both })).status).not.toBe(403);
    }
    await owner.webhooks.delete(id);
  });

  test("no operation returns what is in a user to a key with all scopes except users:read and events:read", async () => {
    const secret = `canary${crypto.randomUUID().replaceAll("-", "")}`;
    const key = bearer(
      await createKey(...scopes.filter((scope) => !["users:read", "events:read"].includes(scope))),
    );
    const canary = {
      name: secret,
      email: `${secret}@example.com`,
      [secret.slice(0, 40)]: { [secret]: [secret] },
    };
    // Each operation gets a user, and a deleted user whose email another user has now.
    const lines = protectedOperations.map((_, index) => ({ ...canary, email: `${index}.${canary.email}` }));
    const importCanaries = async () => {
      const imported = await Array.fromAsync(owner.users.import(lines));
      return imported.map(({ id = MISSING_ID }) => id);
    };
    const deleted = await importCanaries();
    await owner.users.bulk({ ids: deleted, delete: true }).summary();
    const existing = await importCanaries();
    let answered = 0;
    for (const [index, operation] of protectedOperations.entries()) {
      for (const userId of [existing[index] ?? MISSING_ID, deleted[index] ?? MISSING_ID]) {
        const isOfUser = ["users", "deleted-users"].includes(operation.resource);
        const { path, body, json, ...request } = operation.toRequest(isOfUser ? userId : MISSING_ID);
        const headers = { ...request.headers, ...key };
        // Some bodies are optional.
        const bodies = [
          {},
          ...(body === undefined ? [] : [{ body }]),
          ...(json === undefined ? [] : [{ json }]),
        ];
        for (const each of bodies) {
          const response = await service.call(path, { ...request, headers, ...each });
          const received = `${[...response.headers].join("\n")}\n${await response.text()}`;
          expect([operation.name, received.includes(secret)]).toEqual([operation.name, false]);
          if (response.ok) answered++;
        }
      }
    }
    expect(answered).toBeGreaterThan(10);
    // The same requests do return it to the owner.
    const read = await service.call(`/api/users?q=${secret}`, { headers: bearer(ownerKey) });
    expect(await read.text()).toContain(secret);
  });
});
