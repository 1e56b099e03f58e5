import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { NetworkError } from "../../src/client/index.ts";
import { startService, type TestService } from "../support/service.ts";
import { restoreClock, skipDelays } from "./support/clock.ts";
import { quietClient, serveTcp, stopServers } from "./support/servers.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service.stop());
beforeEach(() => void skipDelays());
afterEach(restoreClock);
afterEach(stopServers);

interface Flaky {
  readonly url: string;
  /** The number of lost responses to processed requests. */
  lost: number;
}

/** A proxy that loses two of five responses, completely or in the middle, up to a maximum. */
async function flakyProxy(losses: number): Promise<Flaky> {
  const proxy = { url: "", lost: 0 };
  const pass = (caller: Socket, first: Buffer) => {
    const upstream = connect(Number(new URL(service.url).port), "127.0.0.1");
    upstream.write(first);
    caller.pipe(upstream);
    upstream.on("data", (bytes: Buffer) => {
      const luck = Math.random();
      if (luck > 0.4 || proxy.lost === losses) return void caller.write(bytes);
      proxy.lost++;
      if (luck < 0.1) caller.write(bytes.subarray(0, bytes.length / 2));
      caller.end();
      caller.destroy();
    });
    upstream.on("error", () => caller.destroy());
    caller.on("close", () => upstream.destroy());
  };
  proxy.url = await serveTcp(pass);
  return proxy;
}

const patient = { retries: 20, timeout: 60_000 };

test("200 creates over an unreliable connection create exactly 200 users", async () => {
  const proxy = await flakyProxy(120);
  const { users } = quietClient(proxy.url, patient);
  const created = await Promise.all(
    Array.from({ length: 200 }, (_, n) => users.create({ name: `User ${n}`, batch: "creates" })),
  );
  expect(proxy.lost).toBeGreaterThan(50);
  const stored = await quietClient(service.url)
    .users.list({ where: { batch: "creates" } })
    .all();
  expect(stored).toHaveLength(200);
  expect(new Set(created.map(({ id }) => id))).toEqual(new Set(stored.map(({ id }) => id)));
  expect(new Set(stored.map(({ name }) => name)).size).toBe(200);
}, 120_000);

test("updates, replacements and deletes over an unreliable connection have their exact effect", async () => {
  const proxy = await flakyProxy(60);
  const { users } = quietClient(proxy.url, patient);
  const reliable = quietClient(service.url).users;
  await Promise.all(
    Array.from({ length: 30 }, async (_, n) => {
      const { id } = await reliable.create({ name: `User ${n}`, batch: "changes" });
      expect(await users.update(id, { step: 1 })).toMatchObject({ step: 1, version: 2 });
      expect(await users.replace(id, { name: "Changed", step: 2 })).toMatchObject({ step: 2, version: 3 });
      expect(await users.get(id)).toMatchObject({ name: "Changed", version: 3 });
      await users.delete(id);
    }),
  );
  expect(proxy.lost).toBeGreaterThan(20);
  expect(await reliable.list({ where: { batch: "changes" } }).all()).toEqual([]);
}, 120_000);

test("modify over an unreliable connection applies no change twice, and throws if the outcome is unknown", async () => {
  const proxy = await flakyProxy(40);
  const { users } = quietClient(proxy.url, patient);
  const reliable = quietClient(service.url).users;
  const { id } = await reliable.create({ name: "Counter", count: 0 });
  let [done, unknown] = [0, 0];
  for (let n = 0; n < 40; n++) {
    try {
      await users.modify(id, (user) => ({ ...user, count: Number(user.count) + 1 }));
      done++;
    } catch (error) {
      expect(error).toBeInstanceOf(NetworkError);
      unknown++;
    }
  }
  expect(unknown).toBeGreaterThan(1);
  expect((await reliable.get(id)).count).toBeWithin(done, done + unknown + 1);
}, 120_000);
