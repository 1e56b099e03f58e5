import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { scopes } from "../../../src/contract/keys/key.ts";
import type { CreatedKey } from "../../../src/contract/keys/key-schemas.ts";
import type { WebhookWithSecret } from "../../../src/contract/webhooks/webhook-schemas.ts";
import { bearer } from "../../support/credentials.ts";
import { databaseOn, onEachEngine } from "../../support/engines.ts";
import type { FreshDatabase } from "../../support/postgres/fresh-database.ts";
import { readResponse } from "../../support/responses.ts";
import type { TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { startNode } from "./support/test-node.ts";

setDefaultTimeout(60_000);

const hook = { url: "https://hooks.example.com/", types: ["user.*"] };

/** What a node still allows that does not know yet what another node has done. docs/security.md has a table of it. */
onEachEngine((engine) => {
  let database: FreshDatabase;
  let node: TestService;
  /** Looks for changes of keys only when its clock is advanced. */
  let stale: TestService;
  beforeEach(async () => {
    database = await databaseOn(engine);
    node = await startNode(database.url);
    stale = await startNode(database.url);
    stale.clock.stop();
  });
  afterEach(async () => {
    stale.clock.resume();
    for (const each of [node, stale]) await each.stop();
    await database.drop();
  });

  const send = async (on: TestService, method: string, path: string, key?: string, body?: object) => {
    const headers = key === undefined ? {} : bearer(key);
    const { status, text, problem } = await readResponse(on.call(path, { method, headers, json: body }));
    return { status, text, type: problem?.type.replace("/problems/", "") };
  };
  const createKey = async (key?: string, fields: object = {}): Promise<CreatedKey> => {
    const sent = send(node, "POST", "/api/keys", key, { name: "key", scopes, ...fields });
    const { status, text } = await node.clock.skipTo(sent);
    expect(status).toBe(201);
    return JSON.parse(text);
  };
  /** The keys and webhooks that are active. */
  const listActive = async ({ key }: CreatedKey) => {
    const keys: { id: number; revokedAt: string | null }[] = JSON.parse(
      (await send(node, "GET", "/api/keys", key)).text,
    );
    const active = keys.filter(({ revokedAt }) => revokedAt === null).map(({ id }) => id);
    return [active, JSON.parse((await send(node, "GET", "/api/webhooks", key)).text)];
  };

  describe.each(["key-revoked", "key-expired"] as const)("a key that is %s on another node", (problem) => {
    test("cannot change keys and webhooks any more, though it is still admitted", async () => {
      const owner = await createKey();
      const { id, key } = await createKey(owner.key);
      const created = await send(node, "POST", "/api/webhooks", key, hook);
      const webhook: WebhookWithSecret = JSON.parse(created.text);
      expect((await send(stale, "GET", "/api/users", key)).status).toBe(200);
      if (problem === "key-revoked") {
        expect((await send(node, "DELETE", `/api/keys/${id}`, owner.key)).status).toBe(204);
      } else {
        await createKey(owner.key, { replaces: id, graceSeconds: 0 });
        // The clock of the node is ahead of the machine, whose time the database uses.
        const { expiresAt } = JSON.parse((await send(node, "GET", `/api/keys/${id}`, owner.key)).text);
        await until(() => Date.now() > Date.parse(expiresAt));
      }
      expect((await send(node, "GET", "/api/users", key)).type).toBe(problem);
      const before = await listActive(owner);

      expect((await send(stale, "GET", "/api/users", key)).status).toBe(200);
      const path = `/api/webhooks/${webhook.id}`;
      const changes = [
        await send(stale, "POST", "/api/keys", key, { name: "outlives", scopes }),
        await send(stale, "POST", "/api/keys", key, { replaces: owner.id, graceSeconds: 0 }),
        await send(stale, "DELETE", `/api/keys/${owner.id}`, key),
        await send(stale, "POST", "/api/webhooks", key, hook),
        await send(stale, "PATCH", path, key, { url: "https://other.example.com/" }),
        await send(stale, "POST", `${path}/rotate`, key),
        await send(stale, "DELETE", path, key),
      ];
      expect(changes.map(({ status, type }) => [status, type])).toEqual(changes.map(() => [401, problem]));
      expect(await listActive(owner)).toEqual(before);

      // Past the expiry, and the next look for changes.
      await stale.clock.advance(10_000);
      await until(async () => (await send(stale, "GET", "/api/users", key)).type === problem);
    });
  });

  describe("a node that does not know the first key yet", () => {
    test("creates no keys and webhooks without a key, though it is still open", async () => {
      const owner = await createKey();
      expect((await send(stale, "GET", "/api/users")).status).toBe(200);
      const changes = [
        await send(stale, "POST", "/api/keys", undefined, { name: "outlives", scopes }),
        await send(stale, "DELETE", `/api/keys/${owner.id}`),
        await send(stale, "POST", "/api/webhooks", undefined, hook),
      ];
      expect(changes.map(({ status, type }) => [status, type])).toEqual(
        changes.map(() => [401, "unauthenticated"]),
      );
      expect(await listActive(owner)).toEqual([[owner.id], []]);
    });
  });

  test("of several first keys that are created at the same time, one is created", async () => {
    const nodes = [node, stale, node, stale];
    stale.clock.resume();
    const sent = nodes.map((each) => send(each, "POST", "/api/keys", undefined, { name: "first", scopes }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 401, 401, 401]);
  });
});
