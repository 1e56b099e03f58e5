import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { NDJSON, toNdjson } from "../support/bulk-requests.ts";
import { onAnyEngine, onEachEngine } from "../support/engines.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { Follower } from "./support/follower.ts";

setDefaultTimeout(120_000);

const LIMIT = 2_000_000;

async function metric(service: TestService, name: string): Promise<number | undefined> {
  const text = await (await service.call("/metrics")).text();
  const value = new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

onEachEngine((engine) => {
  let service: TestService;
  let ids: number[];
  beforeAll(async () => {
    service = await startService({ eventsBytes: LIMIT }, engine);
    const records = Array.from({ length: 30 }, (_, i) => ({ name: `User ${i}`, text: "x".repeat(15_000) }));
    await service.roster.users.import(toNdjson(records)).summary();
    ids = (await service.roster.users.list({ limit: 100 }).all()).map(({ id }) => id);
    expect(ids).toHaveLength(30);
  });
  afterAll(() => service.stop());

  /** Writes about 1.3 MB of events. */
  const changeAll = async (letter: string) => {
    const patch = { text: letter.repeat(15_000), letter };
    const { failed } = await service.roster.users.bulk({ ids, patch }).summary();
    expect(failed).toBe(0);
  };
  /** The service looks once a second, or up to half a second later. */
  const untilBelowLimit = async () => {
    // On PostgreSQL, events are counted when they become part of the feed. A list puts all of them there.
    await service.call("/api/events?limit=1");
    using _ = service.clock.stop();
    await until(async () => {
      // Ends the pauses of the cleanup. One that was running when the clock stopped begins its pause later.
      await service.clock.advance(100);
      return Number(await metric(service, "roster_events_bytes")) <= LIMIT;
    });
  };
  async function readAll(): Promise<{ id: string; record: { letter?: string } }[]> {
    const text = await (await service.call("/api/events", { headers: { accept: NDJSON } })).text();
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  test("bulk changes leave at most the limit of events: the newest, and 410 for those who are behind", async () => {
    const [first] = await readAll();
    for (const letter of "abcdef") await changeAll(letter);
    await untilBelowLimit();
    const kept = await readAll();
    const letters = kept.map(({ record }) => record.letter);
    // The last 30 events, and some of the 30 before.
    expect(kept.length).toBeWithin(31, 60);
    expect(letters.slice(-30)).toEqual(ids.map(() => "f"));
    expect(new Set(letters.slice(0, -30))).toEqual(new Set(["e"]));
    expect(await metric(service, "roster_events_limit_bytes")).toBe(LIMIT);
    for (const headers of [{}, { accept: NDJSON }, { accept: "text/event-stream" }]) {
      const behind = await service.call(`/api/events?after=${first?.id}`, { headers });
      expect([behind.status, (await behind.json()).type]).toEqual([410, "/problems/events-expired"]);
    }
    const next = await service.call(`/api/events?after=${kept[0]?.id}&limit=100`);
    expect(await next.json()).toHaveLength(kept.length - 1);
  });

  test("a follower that reads gets every event, although most are removed", async () => {
    const follower = await Follower.open(service, "/api/events");
    await follower.waitUntil(({ text }) => text.startsWith("retry: 1000\nid: "));
    for (const [round, letter] of [..."ghijk"].entries()) {
      await changeAll(letter);
      await follower.waitUntil(({ text }) => text.split("\ndata: ").length - 1 >= 30 * (round + 1));
      await untilBelowLimit();
    }
    const expected = [..."ghijk"].flatMap((letter) => ids.map((id) => ({ id, letter })));
    const received = follower.events.map(({ record }) => record);
    follower.close();
    expect(received).toHaveLength(expected.length);
    expect(received).toMatchObject(expected);
    expect((await readAll()).length).toBeLessThan(60);
  });
});

onAnyEngine((engine) => {
  test("ROSTER_EVENTS_BYTES=0 means no limit", async () => {
    const service = await startService({ eventsBytes: 0 }, engine);
    expect(await metric(service, "roster_events_bytes")).toBe(0);
    expect(await metric(service, "roster_events_limit_bytes")).toBeUndefined();
    await service.stop();
  });
});
