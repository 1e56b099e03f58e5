import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createSecret } from "../../../src/contract/keys/key-secret.ts";
import type { TestRequest } from "../../support/call.ts";
import { bearer } from "../../support/credentials.ts";
import { databaseOn, onEachEngine } from "../../support/engines.ts";
import type { FreshDatabase } from "../../support/postgres/fresh-database.ts";
import { readResponse } from "../../support/responses.ts";
import type { Settings, TestService } from "../../support/service.ts";
import { environment, mistyped, unknown } from "./support/credential-kinds.ts";
import { expectNoSecretsInLog } from "./support/expect-access.ts";
import { TestKeys } from "./support/test-keys.ts";
import { startNode } from "./support/test-node.ts";

setDefaultTimeout(120_000);

/** Requests with a key in the URL. */
const requestsWithKey: readonly ((key: string) => { path: string } & TestRequest)[] = [
  (key) => ({ method: "GET", path: `/api/users?api_key=${key}` }),
  (key) => ({ method: "GET", path: `/api/users?${key}` }),
  (key) => ({ method: "GET", path: `/api/users?q=${key}&limit=1` }),
  (key) => ({ method: "GET", path: `/api/users?key=Bearer%20${key}` }),
  (key) => ({ method: "HEAD", path: `/api/users?key=${key}` }),
  (key) => ({ method: "POST", path: `/api/users?key=${key}`, json: { name: "Nobody" } }),
  (key) => ({ method: "GET", path: `/api/users/${key}` }),
  (key) => ({ method: "GET", path: `/api/users/1?key=${key}` }),
  (key) => ({ method: "PUT", path: `/api/users/1?key=${key}`, json: { name: "Nobody" } }),
  (key) => ({ method: "PATCH", path: `/api/users/1?key=${key}`, json: { name: "Nobody" } }),
  (key) => ({ method: "DELETE", path: `/api/users/1?key=${key}` }),
  (key) => ({ method: "GET", path: `/api/keys/${key}` }),
  (key) => ({ method: "DELETE", path: `/api/keys/${key}` }),
  (key) => ({
    method: "POST",
    path: `/api/keys?key=${key}`,
    json: { name: "no key", scopes: ["users:read"] },
  }),
  (key) => ({ method: "GET", path: `/api/session?key=${key}` }),
  (key) => ({ method: "POST", path: `/api/session?key=${key}`, json: { key } }),
  (key) => ({ method: "DELETE", path: `/api/session?key=${key}` }),
  (key) => ({ method: "GET", path: `/metrics?key=${key}` }),
  (key) => ({ method: "GET", path: `/healthz?key=${key}` }),
  (key) => ({ method: "GET", path: `/docs?key=${key}` }),
  (key) => ({ method: "GET", path: `/problems/${key}` }),
  (key) => ({ method: "GET", path: `/${key}` }),
  (key) => ({ method: "GET", path: `/api/users/x${key}x/y` }),
  (key) => ({ method: "GET", path: `/api/users/${key.replace("_", "%5F")}` }),
  (key) => ({ method: "GET", path: `/api/users?key=${key.replace("r", "%72")}` }),
];

onEachEngine((engine) => {
  const testKeys = new TestKeys(createSecret());
  const modes: Record<string, { readonly settings: Settings; readonly headers: object }> = {
    "if no key is required": { settings: {}, headers: {} },
    "if a key is required": {
      settings: { auth: "required", apiKey: testKeys.environmentKey },
      headers: bearer(testKeys.environmentKey),
    },
    "with ROSTER_AUTH=off": { settings: { auth: "off" }, headers: {} },
  };
  let database: FreshDatabase;
  const nodes = new Map<string, TestService>();
  const findNode = (mode: string): TestService => {
    const node = nodes.get(mode);
    if (!node) throw new Error(`There is no node ${mode}.`);
    return node;
  };

  beforeAll(async () => {
    database = await databaseOn(engine);
    for (const [mode, { settings }] of Object.entries(modes)) {
      nodes.set(mode, await startNode(database.url, settings));
    }
    const headers = bearer(testKeys.environmentKey);
    const ada = { method: "POST", json: { name: "Ada" }, headers };
    expect((await findNode("if a key is required").call("/api/users", ada)).status).toBe(201);
  });
  afterAll(async () => {
    await Promise.all([...nodes.values()].map((node) => node.stop()));
    await database.drop();
  });

  describe.each(Object.entries(modes))("%s", (mode, { headers: authentication }) => {
    const findSecrets = (text: string) => testKeys.secrets.filter((secret) => text.includes(secret));

    test("rejects a key in the URL, and neither returns nor logs it", async () => {
      const node = findNode(mode);
      for (const kind of [environment, unknown, mistyped]) {
        for (const toRequest of requestsWithKey) {
          const { path, ...sent } = toRequest(testKeys.secret(kind));
          const { status, headers, text, problem } = await readResponse(
            node.call(path, { ...sent, headers: { ...authentication } }),
          );
          expect({ path, ...sent, status }).toEqual({ path, ...sent, status: 400 });
          if (sent.method !== "HEAD") expect(problem).toMatchObject({ type: "/problems/invalid-query" });
          expect(findSecrets(`${text}${[...headers].join("\n")}`)).toEqual([]);
        }
      }
      expectNoSecretsInLog({ node, keys: testKeys });
    });

    test("neither returns nor logs most of a key in the path", async () => {
      const node = findNode(mode);
      for (const cut of [1, 2, 6, 12]) {
        const path = `/api/users/${testKeys.environmentKey.slice(0, -cut)}`;
        const { text } = await readResponse(node.call(path, { headers: { ...authentication } }));
        const rest = testKeys.environmentKey.slice(12, -cut);
        expect(`${text}${node.log.join("")}`).not.toContain(rest);
      }
    });

    test("neither returns nor logs a key in X-Request-Id", async () => {
      const node = findNode(mode);
      const key = testKeys.environmentKey;
      for (const id of [key, `req-${key}`, `${key}.1`, testKeys.secret(unknown), key.slice(0, -1)]) {
        for (const path of ["/api/users", "/api/users/1", "/api/users/0", "/healthz", "/nowhere"]) {
          const sent = { headers: { ...authentication, "x-request-id": id } };
          const { headers, text } = await readResponse(node.call(path, sent));
          expect(headers.get("x-request-id")).not.toContain("roster_");
          expect(findSecrets(`${text}${[...headers].join("\n")}`)).toEqual([]);
        }
      }
      expectNoSecretsInLog({ node, keys: testKeys });
    });

    test("leaves the user unchanged and creates no key", async () => {
      const adminNode = findNode("if a key is required");
      const headers = bearer(testKeys.environmentKey);
      const users = await readResponse(adminNode.call("/api/users", { headers }));
      expect(JSON.parse(users.text)).toMatchObject([{ id: 1, name: "Ada", version: 1 }]);
      expect((await readResponse(adminNode.call("/api/keys", { headers }))).text).toBe("[]");
    });
  });
});
