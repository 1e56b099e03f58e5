import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { scopes } from "../../../src/contract/keys/key.ts";
import type { CreatedKey } from "../../../src/contract/keys/key-schemas.ts";
import { KNOWN_TO_ALL_MS } from "../../../src/domain/keys/key-ring.ts";
import { bearer, startSession, unknownKey } from "../../support/credentials.ts";
import { databaseOn, onEachEngine } from "../../support/engines.ts";
import type { FreshDatabase } from "../../support/postgres/fresh-database.ts";
import { readResponse } from "../../support/responses.ts";
import type { TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { startNode } from "./support/test-node.ts";

setDefaultTimeout(120_000);

const HOUR_MS = 3_600_000;

onEachEngine((engine) => {
  describe.each([
    { end: "is revoked", lifetimeMs: undefined },
    { end: "has expired", lifetimeMs: HOUR_MS },
  ])("On loopback with ROSTER_AUTH=auto, where the first key later $end,", ({ lifetimeMs }) => {
    let database: FreshDatabase;
    let node: TestService;
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
        const { status, problem } = await readResponse(on.call(path, { headers }));
        return status === 200 ? "good" : problem?.type.replace("/problems/", "");
      });
      return [...new Set(await Promise.all(results))].join();
    };
    const createKey = (body: object, headers: Record<string, string> = {}) =>
      readResponse(node.call("/api/keys", { method: "POST", headers, json: body }));

    test("every caller can do everything before the first key, and an invalid key changes nothing", async () => {
      expect(await authenticate()).toBe("good");
      expect((await createKey({ name: "", scopes: [] })).status).toBe(422);
      expect((await createKey({ replaces: 1, graceSeconds: 0 })).status).toBe(422);
      expect(await authenticate()).toBe("good");
      const who = await readResponse(node.call("/api/session"));
      expect(JSON.parse(who.text)).toEqual({
        auth: "open",
        key: null,
        scopes,
        expiresAt: null,
        deletedDays: 30,
      });
    });

    test("a key is required as soon as the first one is created", async () => {
      const expiresAt = lifetimeMs ? new Date(node.clock.now() + lifetimeMs).toISOString() : null;
      const { status, text } = await node.clock.skipTo(createKey({ name: "first", scopes, expiresAt }));
      expect(status).toBe(201);
      first = JSON.parse(text);
      expect(await authenticate()).toBe("unauthenticated");
      expect(await authenticate(bearer(first.key))).toBe("good");
      expect((await createKey({ name: "second", scopes })).status).toBe(401);
      const entry = node.log.find((line) => line.includes("first key created")) ?? "{}";
      expect(JSON.parse(entry)).toMatchObject({ level: "info", access: "a key is required: keys exist" });
    });

    test("a key is still required after the first one expired or was revoked, and after a restart", async () => {
      const { id, key, expiresAt } = first;
      if (expiresAt === null) {
        const sent = { method: "DELETE", headers: bearer(key) };
        expect((await node.call(`/api/keys/${id}`, sent)).status).toBe(204);
      } else node.clock.jump(Date.parse(expiresAt) - node.clock.now());
      const problem = expiresAt === null ? "key-revoked" : "key-expired";
      expect([await authenticate(), await authenticate(bearer(key))]).toEqual(["unauthenticated", problem]);
      // Longer than the refresh interval of keys.
      await node.clock.advance(300);
      expect([await authenticate(), await authenticate(bearer(key))]).toEqual(["unauthenticated", problem]);
      const again = await startNode(database.url);
      again.clock.jump(Math.max(0, node.clock.now() - again.clock.now()));
      const states = [await authenticate({}, again), await authenticate(bearer(key), again)];
      await again.stop();
      expect(states).toEqual(["unauthenticated", problem]);
      expect(node.log.join("")).not.toContain(key.slice(12));
    });
  });

  describe("On two nodes with ROSTER_AUTH=auto,", () => {
    let database: FreshDatabase;
    let nodes: readonly [TestService, TestService];
    beforeEach(async () => {
      database = await databaseOn(engine);
      nodes = [await startNode(database.url), await startNode(database.url)];
    });
    afterEach(async () => {
      for (const node of nodes) await node.stop();
      await database.drop();
    });
    const createFirst = (node: TestService) =>
      readResponse(node.call("/api/keys", { method: "POST", json: { name: "first", scopes } }));
    const statusOf = async (node: TestService, path: string, headers: Record<string, string> = {}) =>
      (await node.call(path, { headers })).status;

    test("the response that creates the first key comes two refresh intervals later", async () => {
      const [node, other] = nodes;
      for (const each of nodes) each.clock.stop();
      let isAnswered = false;
      const creating = createFirst(node).then((response) => {
        isAnswered = true;
        return response;
      });
      // The node itself knows the key at once.
      await until(async () => (await statusOf(node, "/api/users")) === 401);
      await node.clock.advance(499);
      expect([isAnswered, await statusOf(other, "/api/users")]).toEqual([false, 200]);
      await other.clock.advance(250);
      await until(async () => (await statusOf(other, "/api/users")) === 401);
      await node.clock.advance(1);
      expect((await creating).status).toBe(201);
      // Later keys do not wait. The time of the first one is that of the machine, which is ahead of the stopped clock.
      const { key, createdAt }: CreatedKey = JSON.parse((await creating).text);
      await node.clock.advance(Math.max(0, Date.parse(createdAt) + KNOWN_TO_ALL_MS - node.clock.now()));
      const second = { method: "POST", json: { name: "2", scopes }, headers: bearer(key) };
      expect((await node.call("/api/keys", second)).status).toBe(201);
    });

    test("a request with a key or a session is never admitted as the anonymous caller of an open node", async () => {
      const [node, other] = nodes;
      // This node does not look for new keys by itself.
      other.clock.stop();
      const { text } = await node.clock.skipTo(createFirst(node));
      const { key }: CreatedKey = JSON.parse(text);
      const session = await startSession(node, key);
      const whoIs = async (headers: Record<string, string>) =>
        (await (await other.call("/api/session", { headers })).json()).auth;
      expect(await statusOf(other, "/api/users")).toBe(200);
      expect(await whoIs(session)).toBe("session");
      expect(await statusOf(other, "/api/users")).toBe(401);
      expect(await whoIs(bearer(key))).toBe("key");
    });

    test("a wrong key is rejected by a node that does not know yet that keys exist", async () => {
      const [node, other] = nodes;
      other.clock.stop();
      await node.clock.skipTo(createFirst(node));
      expect(await statusOf(other, "/api/users", bearer(unknownKey))).toBe(401);
    });
  });
});
