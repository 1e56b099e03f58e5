import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { freshDatabase, startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";
import { until } from "../support/until.ts";
import { startReceiver } from "../webhooks/support/receiver.ts";

setDefaultTimeout(180_000);
startPostgresBeforeTests();
afterEach(stopAll);

const USERS = 20;
const UPDATES = 30;
/** A killed node's deliveries are taken over within this time. */
const TAKEOVER_MS = 10_000;

interface Message {
  readonly data: { readonly subject: { readonly id: number }; readonly version: number };
}

test("every event arrives at least once, in the order of each user, if the node that delivers is killed", async () => {
  const { url, drop } = await freshDatabase();
  const flags = ["--webhook-private=allow"];
  const nodes = [await startRoster(url, { flags }), await startRoster(url, { flags })] as const;
  const receiver = startReceiver();
  // Slow enough that the node is killed in the middle.
  receiver.respond = async () => {
    await Bun.sleep(20);
    return new Response(null, { status: 204 });
  };
  const created = await nodes[0].call("/api/webhooks", {
    method: "POST",
    json: { url: receiver.url, types: ["user.*"] },
  });
  const { secret }: { secret: string } = await created.json();
  const ids: number[] = [];
  for (let index = 0; index < USERS; index++) {
    const user: { id: number } = await (
      await nodes[1].call("/api/users", { method: "POST", json: { name: "User" } })
    ).json();
    ids.push(user.id);
  }
  const countDelivered = async (node: Roster) =>
    Number(/outcome="delivered"\} (\d+)/.exec(await (await node.call("/metrics")).text())?.[1]);
  // The node that delivers counts deliveries, a moment after they arrive.
  const counts = await until(async () => {
    const found = await Promise.all(nodes.map(countDelivered));
    return found.some((count) => count > 0) ? found : undefined;
  });
  const [victim, survivor] = Number(counts[0]) > 0 ? nodes : [nodes[1], nodes[0]];
  const write = Promise.all(
    ids.map(async (id) => {
      for (let level = 1; level <= UPDATES; level++) {
        await survivor.call(`/api/users/${id}`, { method: "PATCH", json: { level } });
      }
    }),
  );
  expect(counts.filter((count) => count > 0)).toHaveLength(1);
  const before = receiver.received.length;
  victim.kill("SIGKILL");
  await victim.exited;
  const killedAt = performance.now();
  await until(() => receiver.received.length > before + 40);
  const takeoverMs = performance.now() - killedAt;
  console.log(`The other node took over after ${Math.round(takeoverMs)} ms.`);
  expect(takeoverMs).toBeLessThan(TAKEOVER_MS);
  await write;
  const total = USERS * (UPDATES + 1);
  const arrived = () => new Set(receiver.received.map(({ headers }) => headers.get("webhook-id")));
  await until(
    () => arrived().size === total,
    () => `${arrived().size} of ${total}`,
  );
  const firstVersions = new Map<number, number>();
  for (const { body, headers } of receiver.received) {
    new Webhook(secret).verify(body, Object.fromEntries(headers));
    const { data }: Message = JSON.parse(body);
    const last = firstVersions.get(data.subject.id) ?? 0;
    // A version can arrive again, but never before all earlier ones.
    expect(data.version).toBeLessThanOrEqual(last + 1);
    firstVersions.set(data.subject.id, Math.max(last, data.version));
  }
  expect([...firstVersions.values()]).toEqual(Array.from({ length: USERS }, () => UPDATES + 1));
  await receiver.stop();
  await drop();
});
