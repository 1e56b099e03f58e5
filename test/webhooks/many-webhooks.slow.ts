import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { ChildServer } from "../../bench/support/child-server.ts";
import { startMonitoredServer } from "../../bench/support/monitored-server.ts";
import { interleave } from "../../bench/support/rounds.ts";
import { median } from "../../bench/support/statistics.ts";
import {
  createUsers,
  createWebhooks,
  measureWebhooks,
  type WebhookRound,
} from "../../bench/support/webhook-load.ts";
import { startWebhookReceiver } from "../../bench/support/webhook-receiver.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import { pooler } from "../support/postgres/fresh-database.ts";
import { startRoster, stopAll } from "../support/process/roster.ts";

setDefaultTimeout(600_000);

const CREATES_PER_SECOND = 50;
const SECONDS = 10;
const ROUNDS = 3;
/** A create with 100 webhooks costs at most this many times what it costs with one. */
const MAX_RATIO = 2;
const MAX_STEP_MS = 10;

const one = { webhooks: 1, isLive: true };
const live = { webhooks: 100, isLive: true };
const dead = { webhooks: 100, isLive: false };

onEachEngine((engine) => {
  let receiver: ChildServer;
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  afterEach(stopAll);
  afterAll(() => receiver[Symbol.asyncDispose]());

  test("a create with 100 webhooks, whose receivers respond or refuse connections, costs at most twice as much CPU time as with one", async () => {
    const results = await interleave([one, live, dead], ROUNDS, async (subject) => {
      const database = await databaseOn(engine);
      const service = await startRoster(database.url, {
        flags: ["--webhook-private=allow", `--database-pooler=${pooler}`],
      });
      const load = {
        ...subject,
        creates: SECONDS * CREATES_PER_SECOND,
        createsPerSecond: CREATES_PER_SECOND,
      };
      const round = await measureWebhooks(service, receiver, load);
      await stopAll();
      await database.drop();
      return round;
    });
    const costOf = (subject: typeof one) =>
      median((results.get(subject) ?? []).map(({ cpuMs }: WebhookRound) => cpuMs));
    const ratios = { live: costOf(live) / costOf(one), dead: costOf(dead) / costOf(one) };
    const lags = (results.get(live) ?? []).map(({ lagSeconds }) => lagSeconds.toFixed(1));
    console.log(
      `One webhook: ${costOf(one).toFixed(2)} ms per create. 100 live: ${ratios.live.toFixed(2)} ×, 100 dead: ${ratios.dead.toFixed(2)} ×. The last delivery came ${lags.join(", ")} s after the last create.`,
    );
    expect([...results.values()].flat().map(({ errors }) => errors)).toEqual(Array(3 * ROUNDS).fill(0));
    expect(ratios.live).toBeLessThanOrEqual(MAX_RATIO);
    expect(ratios.dead).toBeLessThanOrEqual(MAX_RATIO);
  });

  describe("no step of the event loop takes over 10 ms of CPU time with", () => {
    test.each([
      ["100 webhooks whose receivers respond", live],
      ["100 webhooks whose receivers refuse connections", dead],
    ])("%s", async (title, { webhooks, isLive }) => {
      const database = await databaseOn(engine);
      const flags = ["--webhook-private=allow", `--database-pooler=${pooler}`];
      const service = await startMonitoredServer(database.url, flags);
      await createWebhooks(service.url, receiver, webhooks, isLive);
      const measure = async (name: string) => {
        await createUsers(service.url, SECONDS * CREATES_PER_SECOND, CREATES_PER_SECOND, name);
        return service.takeLongestTurn();
      };
      await measure("warm");
      // A garbage collection of the whole heap may come once.
      const longest: number[] = [];
      for (let round = 0; round < ROUNDS; round++) longest.push(await measure(`round ${round}`));
      console.log(`${title}: longest steps of ${longest.map((ms) => ms.toFixed(1)).join(", ")} ms.`);
      expect(median(longest)).toBeLessThanOrEqual(MAX_STEP_MS);
      await service[Symbol.asyncDispose]();
      await database.drop();
    });
  });
});
