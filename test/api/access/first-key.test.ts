import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { scopes } from "../../../src/contract/keys/key.ts";
import type { CreatedKey } from "../../../src/contract/keys/key-schemas.ts";
import { bearer } from "../../support/credentials.ts";
import { databaseOn, onEachEngine } from "../../support/engines.ts";
import type { FreshDatabase } from "../../support/postgres/fresh-database.ts";
import { startNode, type TestNode } from "./support/test-node.ts";

setDefaultTimeout(120_000);

onEachEngine((engine) => {
  describe.each([
    { end: "is revoked", more: {} },
    { end: "has expired", more: { expiresAt: () => new Date(Date.now() + 3000).toISOString() } },
  ])("On loopback with ROSTER_AUTH=auto, where the first key later $end,", ({ more }) => {
    let database: FreshDatabase;
    let node: TestNode;
    let first: CreatedKey;
    beforeAll(async () => {
      database = await databaseOn(engine);
      node = await startNode(database.url);
    });
    afterAll(async () => {
      await node.stop();
      await database.drop();
    });

    /** "good", or the problem types of several requests with these headers. */
    const authenticate = async (headers: Record<string, string> = {}, on = node) => {
      const results = ["/api/users", "/api/keys", "/api/session", "/metrics"].map(async (path) => {
        const { status, problem } = await on.request({ method: "GET", path, headers });
        return status === 200 ? "good" : problem?.type.replace("/problems/", "");
      });
      return [...new Set(await Promise.all(results))].join();
    };
    const createKey = (body: object, headers: Record<string, string> = {}) =>
      node.request({ method: "POST", path: "/api/keys", headers, body });

    test("every caller can do everything before the first key, and an invalid key changes nothing", async () => {
      expect(await authenticate()).toBe("good");
      expect((await createKey({ name: "", scopes: [] })).status).toBe(422);
      expect((await createKey({ replaces: 1, graceSeconds: 0 })).status).toBe(422);
      expect(await authenticate()).toBe("good");
      const who = await node.request({ method: "GET", path: "/api/session" });
      expect(JSON.parse(who.text)).toEqual({
        auth: "open",
        key: null,
        scopes,
        expiresAt: null,
        deletedDays: 30,
      });
    });

    test("a key is required as soon as the first one is created", async () => {
      const expiry = "expiresAt" in more ? { expiresAt: more.expiresAt() } : {};
      const { status, text } = await createKey({ name: "first", scopes, ...expiry });
      expect(status).toBe(201);
      first = JSON.parse(text);
      expect(await authenticate()).toBe("unauthenticated");
      const state = await authenticate(bearer(first.key));
      // On a busy machine, the key may have expired already.
      if (Date.now() < Date.parse(first.expiresAt ?? "9999-12-31")) expect(state).toBe("good");
      expect((await createKey({ name: "second", scopes })).status).toBe(401);
      const entry = node.log.find((line) => line.includes("first key created")) ?? "{}";
      expect(JSON.parse(entry)).toMatchObject({ level: "info", access: "a key is required: keys exist" });
    });

    test("a key is still required after the first one expired or was revoked, and after a restart", async () => {
      const { id, key, expiresAt } = first;
      if (expiresAt === null) {
        const sent = { method: "DELETE", path: `/api/keys/${id}`, headers: bearer(key) };
        expect((await node.request(sent)).status).toBe(204);
      } else await Bun.sleep(Math.max(0, Date.parse(expiresAt) - Date.now()) + 5);
      const problem = expiresAt === null ? "key-revoked" : "key-expired";
      expect([await authenticate(), await authenticate(bearer(key))]).toEqual(["unauthenticated", problem]);
      // Longer than the refresh interval of keys.
      await Bun.sleep(300);
      expect([await authenticate(), await authenticate(bearer(key))]).toEqual(["unauthenticated", problem]);
      const again = await startNode(database.url);
      const states = [await authenticate({}, again), await authenticate(bearer(key), again)];
      await again.stop();
      expect(states).toEqual(["unauthenticated", problem]);
      expect(node.log.join("")).not.toContain(key.slice(12));
    });
  });
});
