import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import fc from "fast-check";
import type { Users } from "../../src/client/index.ts";
import { scopes } from "../../src/contract/keys/key.ts";
import { IDEMPOTENCY_KEY_PATTERN } from "../../src/contract/users/user.ts";
import { bearer } from "../support/credentials.ts";
import { onEachEngine } from "../support/engines.ts";
import { sendRaw } from "../support/raw-http.ts";
import { outcome, startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";

onEachEngine((engine) => {
  let service: TestService;
  let users: Users;
  beforeAll(async () => {
    service = await startService({}, engine);
    users = service.roster.users;
  });
  afterAll(() => service.stop());

  const post = (key: string, body: unknown) =>
    service.call("/api/users", { method: "POST", json: body, headers: { "idempotency-key": key } });
  const create = (idempotencyKey: string, name: string) => users.create({ name }, { idempotencyKey });
  const listUsers = () => users.list().all();

  describe("Idempotency-Key", () => {
    test("replays the response to the same key and body, and creates one user", async () => {
      const first = await post("key-1", { name: "Once" });
      const before = await listUsers();
      const again = await post("key-1", { name: "Once" });
      expect([first.status, again.status]).toEqual([201, 201]);
      expect(first.headers.get("idempotency-replayed")).toBeNull();
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(await again.text()).toBe(await first.text());
      for (const name of ["location", "etag"]) expect(again.headers.get(name)).toBe(first.headers.get(name));
      expect(await listUsers()).toEqual(before);
    });

    test("treats a quoted and a bare key as the same", async () => {
      const first = await create('"key-2 \\"x\\""', "Quoted");
      expect(await create('key-2 "x"', "Quoted")).toEqual(first);
    });

    test("accepts exactly the keys that match the pattern in the OpenAPI description", async () => {
      const long = "x".repeat(255);
      const accepted = ["a", '"', '"abc', 'abc"', '"a"b"', '"\\"', '" "', '"a', long, `"${long}"`, '"\\\\"'];
      const rejected = ['""', `${long}x`, `"${long}x"`, `"${long}`, "ä"];
      const statuses = new Map<string, number>();
      for (const key of [...accepted, ...rejected])
        statuses.set(key, (await post(key, { name: "Pat" })).status);
      const pattern = new RegExp(IDEMPOTENCY_KEY_PATTERN);
      expect([...statuses]).toEqual([
        ...accepted.map((key): [string, number] => [key, 201]),
        ...rejected.map((key): [string, number] => [key, 400]),
      ]);
      expect([...statuses.keys()].filter((key) => pattern.test(key))).toEqual(accepted);
    });

    test("replays the first outcome even if the user was changed or deleted since", async () => {
      const first = await post("key-3", { name: "Then" });
      const { id } = await first.clone().json();
      await users.update(id, { name: "Now" });
      expect(await (await post("key-3", { name: "Then" })).text()).toBe(await first.text());
      await users.delete(id);
      expect(await create("key-3", "Then")).toMatchObject({ id, name: "Then", version: 1 });
      expect(await outcome(users.get(id))).toBe("404 user-not-found");
    });

    // Bun loses responses to pipelined requests, and after a FIN: see docs/upstream/bun-lost-responses.md.
    test.each([
      { name: "in one write with another request", next: true, hangUp: false },
      { name: "just before the client closes its side", next: false, hangUp: true },
    ])("makes a create safe to repeat that is sent $name", async ({ next, hangUp }) => {
      const key = `lost-${next}`;
      const user = { name: `Lost ${next}`, department: key };
      const { host } = new URL(service.url);
      const text = JSON.stringify(user);
      const head = [
        `POST /api/users HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json`,
        `Idempotency-Key: ${key}\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
      ].join("\r\n");
      const read = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      await sendRaw(service.url, [next ? head + read : head], { until: "close", hangUp });
      // The lost request may still be running.
      const response = await until(async () => {
        const repeated = await post(key, user);
        return repeated.status === 409 ? undefined : repeated;
      });
      expect(response.status).toBe(201);
      expect(await users.list({ where: { department: key } }).all()).toHaveLength(1);
    });

    test("rejects a different body with the same key as 422 idempotency-mismatch", async () => {
      await create("key-4", "One");
      expect(await outcome(create("key-4", "Two"))).toBe("422 idempotency-mismatch");
    });

    test("replays 409, 422 and 400, even if their cause is gone", async () => {
      const { id } = await users.create({ name: "T", email: "t@example.com" });
      expect((await post("key-5", { name: "U", email: "t@example.com" })).status).toBe(409);
      await users.delete(id);
      const again = await post("key-5", { name: "U", email: "t@example.com" });
      expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([409, "true"]);

      const invalid = await (await post("key-6", { email: "x" })).json();
      const replayed = await post("key-6", { email: "x" });
      expect(replayed.headers.get("idempotency-replayed")).toBe("true");
      expect((await replayed.json()).errors).toEqual(invalid.errors);

      const broken = (body: string) =>
        service.call("/api/users", {
          method: "POST",
          body,
          headers: { "content-type": "application/json", "idempotency-key": "key-7" },
        });
      expect((await broken("{")).status).toBe(400);
      expect((await broken("{")).headers.get("idempotency-replayed")).toBe("true");
      expect((await broken("[")).status).toBe(422);
    });

    test("does not store a rejection before the body is read: the key can be used again", async () => {
      const wrong = await service.call("/api/users", {
        method: "POST",
        json: { name: "x" },
        headers: { "idempotency-key": "key-8", "content-type": "text/plain" },
      });
      expect(wrong.status).toBe(415);
      expect(await outcome(create("key-8", "x"))).toBe("done");
    });

    test("409 idempotency-in-flight while the body of the first request is still arriving", async () => {
      const { hostname, port, host } = new URL(service.url);
      const body = '{"name":"Slow"}';
      const headers = `Host: ${host}\r\nContent-Type: application/json\r\nIdempotency-Key: slow`;
      const unfinished = () => {
        const socket = connect(Number(port), hostname);
        const response = new Promise<string>((resolve) => socket.once("data", (data) => resolve(`${data}`)));
        socket.write(`POST /api/users HTTP/1.1\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n`);
        socket.write(body.slice(0, 5));
        return { socket, response };
      };
      // Of two unfinished requests, the service rejects the one that arrives second.
      const requests = [unfinished(), unfinished()];
      const rejected = await Promise.race(
        requests.map(async (request) => ({ request, response: await request.response })),
      );
      expect(rejected.response).toStartWith("HTTP/1.1 409");
      expect(rejected.response).toContain("/problems/idempotency-in-flight");
      const first = requests.find((request) => request !== rejected.request);
      expect(await outcome(create("slow", "Slow"))).toBe("409 idempotency-in-flight");
      first?.socket.write(body.slice(5));
      expect(await first?.response).toStartWith("HTTP/1.1 201");
      for (const { socket } of requests) socket.destroy();
      expect((await post("slow", { name: "Slow" })).headers.get("idempotency-replayed")).toBe("true");
    });

    test("many concurrent requests with one key create one user", async () => {
      const before = await listUsers();
      const requests = Array.from({ length: 30 }, () => outcome(create("crowd", "Crowd")));
      const outcomes = await Promise.all(requests);
      for (const result of outcomes) expect(["done", "409 idempotency-in-flight"]).toContain(result);
      expect(outcomes).toContain("done");
      expect(await listUsers()).toHaveLength(before.length + 1);
    });

    test("any sequence of creates behaves like a map from key to first outcome", async () => {
      const step = fc.record({ key: fc.constantFrom("a", "b", "c"), name: fc.constantFrom("X", "Y", " ") });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
          run++;
          const outcomes = new Map<string, { name: string; status: number; body: string }>();
          for (const { key, name } of steps) {
            const response = await post(`run-${run}-${key}`, { name });
            const { requestId: _, ...body } = await response.json();
            const stored = outcomes.get(key);
            if (!stored) {
              expect(response.status).toBe(name === " " ? 422 : 201);
              outcomes.set(key, { name, status: response.status, body: JSON.stringify(body) });
            } else if (stored.name === name) {
              expect(response.headers.get("idempotency-replayed")).toBe("true");
              expect([response.status, JSON.stringify(body)]).toEqual([stored.status, stored.body]);
            } else {
              expect([response.status, body.type]).toEqual([422, "/problems/idempotency-mismatch"]);
            }
          }
        }),
        { numRuns: 40 },
      );
    });
  });

  test("idempotency keys are separate for each API key", async () => {
    const secured = await startService({}, engine);
    try {
      const name = "Same";
      const { key: one } = await secured.roster.keys.create({ name: "one", scopes: [...scopes] });
      const as = (key: string) => ({ ...bearer(key), "idempotency-key": "shared" });
      const created = await secured.call("/api/keys", {
        method: "POST",
        json: { name: "two", scopes: ["users:write"] },
        headers: as(one),
      });
      const { key: two } = await created.json();
      const ids = [];
      for (const key of [one, two, one, two]) {
        const response = await secured.call("/api/users", {
          method: "POST",
          json: { name },
          headers: as(key),
        });
        ids.push((await response.json()).id);
      }
      expect(ids).toEqual([1, 2, 1, 2]);
    } finally {
      await secured.stop();
    }
  });
});
