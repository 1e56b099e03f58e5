import { expect, setDefaultTimeout, test } from "bun:test";
import { bearer, createFirstKey, startSession } from "../support/credentials.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import { startService, startServiceOn } from "../support/service.ts";
import { until } from "../support/until.ts";
import { Follower } from "./support/follower.ts";

setDefaultTimeout(120_000);

/** Milliseconds until the condition is met. */
async function timeUntil(condition: () => boolean): Promise<number> {
  const start = performance.now();
  await until(condition);
  return performance.now() - start;
}

onEachEngine((engine) => {
  test("an event reaches a stream and a waiting caller within a second", async () => {
    const service = await startService({}, engine);
    const follower = await Follower.open(service, "/api/events");
    await follower.waitUntil(({ text }) => text !== "");
    for (let round = 1; round <= 10; round++) {
      let isAnswered = false;
      const waiting = service.call("/api/events?wait=60").then(() => {
        isAnswered = true;
      });
      await service.call("/api/users", { method: "POST", json: { name: `User ${round}` } });
      expect(await timeUntil(() => isAnswered && follower.events.length === round)).toBeLessThan(1000);
      await waiting;
    }
    follower.close();
    await service.stop();
  });

  test("a stream ends within a second when its key is revoked or its session signs out, on any node", async () => {
    const database = await databaseOn(engine);
    const nodes = [await startServiceOn(database.url), await startServiceOn(database.url)] as const;
    const key = await createFirstKey(nodes[0]);
    for (const node of nodes) {
      const body = { name: "reader", scopes: ["events:read"] };
      const reader: { id: number; key: string } = await (
        await nodes[0].call("/api/keys", { method: "POST", json: body, headers: bearer(key) })
      ).json();
      const byKey = await Follower.open(node, "/api/events", bearer(reader.key));
      await nodes[0].call(`/api/keys/${reader.id}`, { method: "DELETE", headers: bearer(key) });
      expect(await timeUntil(() => byKey.isEnded)).toBeLessThan(1000);
      const session = await startSession(nodes[0], key);
      const bySession = await Follower.open(node, "/api/events", session);
      await nodes[0].call("/api/session", { method: "DELETE", headers: session });
      expect(await timeUntil(() => bySession.isEnded)).toBeLessThan(1000);
    }
    for (const node of nodes) await node.stop();
    await database.drop();
  });

  test("streams end, and the service stops, within three seconds", async () => {
    const service = await startService({}, engine);
    const follower = await Follower.open(service, "/api/events");
    const start = performance.now();
    await service.stop();
    await until(() => follower.isEnded);
    expect(performance.now() - start).toBeLessThan(3000);
  });
});
