import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  setSystemTime,
  test,
} from "bun:test";
import type { Stats } from "../../src/client/index.ts";
import { bearer } from "../support/credentials.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import { startServiceOn, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);
afterEach(() => {
  setSystemTime();
});

const DAY_MS = 86_400_000;
const dateAt = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The sums of all days: a test may run over midnight. */
function sum({ days }: Stats) {
  const add = (count: "created" | "deleted" | "restored") =>
    days.reduce((total, day) => total + day[count], 0);
  return {
    created: add("created"),
    deleted: add("deleted"),
    restored: add("restored"),
    total: days.at(-1)?.total,
  };
}

onEachEngine((engine) => {
  let database: Awaited<ReturnType<typeof databaseOn>>;
  let service: TestService;
  /** Another node. */
  let other: TestService;
  beforeAll(async () => {
    database = await databaseOn(engine);
    [service, other] = [await startServiceOn(database.url), await startServiceOn(database.url)];
  });
  afterAll(async () => {
    await Promise.all([service.stop(), other.stop()]);
    await database.drop();
  });

  describe("GET /api/stats", () => {
    test("has 30 days up to today, and zeros before the first user", async () => {
      const { days } = await service.roster.stats();
      const now = Date.now();
      expect(days).toHaveLength(30);
      expect(days.map(({ date }) => date)).toEqual(
        days.map((_, index) => dateAt(now - (days.length - 1 - index) * DAY_MS)),
      );
      expect(days[0]).toEqual({
        date: dateAt(now - 29 * DAY_MS),
        created: 0,
        deleted: 0,
        restored: 0,
        total: 0,
      });
    });

    test("counts the changes of every operation and every node once", async () => {
      const { users, deletedUsers, stats } = service.roster;
      const created = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? service : other).roster.users.create({ name: `User ${i}`, email: `u${i}@example.com` }),
        ),
      );
      const imported = `{"name":"A"}\n{"name":"B","email":"u1@example.com"}\n{"name":"C"}\n`;
      expect(
        (
          await service.call("/api/users/import", {
            method: "POST",
            headers: { "content-type": "application/x-ndjson" },
            body: imported,
          })
        ).status,
      ).toBe(200);
      const ids = created.map(({ id }) => id);
      await users.update(ids[0] ?? 0, { name: "Renamed" });
      await Promise.all(ids.slice(0, 4).map((id) => other.roster.users.delete(id)));
      await users.delete(ids[4] ?? 0, { purge: true });
      expect(
        (
          await service.call("/api/users/bulk", {
            method: "POST",
            json: { ids: ids.slice(5, 8), delete: true },
          })
        ).status,
      ).toBe(200);
      await deletedUsers.restore(ids[0] ?? 0);
      await deletedUsers.restore(ids[6] ?? 0);
      await deletedUsers.purge(ids[1] ?? 0);
      expect(sum(await stats({ days: 2 }))).toEqual({ created: 22, deleted: 8, restored: 2, total: 16 });
      const { total } = await users.list({ limit: 1 }).page({ count: true });
      expect(total?.count).toBe(16);
    });

    test("moves on at midnight UTC: a finished day keeps its counts and its total", async () => {
      const before = await service.roster.stats({ days: 2 });
      const today = before.days.at(-1)?.date ?? "";
      setSystemTime(Date.parse(`${today}T23:59:59.999Z`));
      expect(await service.roster.stats({ days: 2 })).toEqual(before);
      setSystemTime(Date.parse(`${today}T23:59:59.999Z`) + 1);
      const { days } = await service.roster.stats({ days: 3 });
      expect(days.slice(0, 2)).toEqual([...before.days]);
      const tomorrow = dateAt(Date.parse(today) + DAY_MS);
      expect(days[2]).toEqual({ date: tomorrow, created: 0, deleted: 0, restored: 0, total: 16 });
    });

    test("leaves out the changes of a node whose clock is a day ahead", async () => {
      setSystemTime(Date.now() - DAY_MS);
      const { days } = await service.roster.stats({ days: 1 });
      expect(days).toEqual([expect.objectContaining({ created: expect.any(Number), total: 0 })]);
    });

    test("returns 1 to 366 days, and rejects any other query", async () => {
      expect((await service.roster.stats({ days: 1 })).days).toHaveLength(1);
      expect((await service.roster.stats({ days: 366 })).days).toHaveLength(366);
      for (const query of [
        "days=0",
        "days=367",
        "days=-1",
        "days=1.5",
        "days=",
        "days=1&days=2",
        "day=1",
        "days=%ff",
      ]) {
        const response = await service.call(`/api/stats?${query}`);
        expect([query, response.status, (await response.json()).type]).toEqual([
          query,
          400,
          "/problems/invalid-query",
        ]);
      }
    });
  });

  describe("GET /api/keys/{id}/usage", () => {
    test("counts the requests of each day, and needs the scope keys:manage", async () => {
      const admin = { name: "admin", scopes: ["users:read", "keys:manage"] } as const;
      const { key: secret, id } = await service.roster.keys.create(admin);
      const created = await service.call("/api/keys", {
        method: "POST",
        json: { name: "reader", scopes: ["users:read"] },
        headers: bearer(secret),
      });
      const { key: reader } = await created.json();
      const get = (path: string, key = secret) => service.call(path, { headers: bearer(key) });
      for (let i = 0; i < 5; i++) await get("/api/users?limit=1");
      await until(async () => {
        const { days } = await (await get(`/api/keys/${id}/usage?days=2`)).json();
        expect(days).toHaveLength(2);
        return days[0].requests + days[1].requests >= 6;
      });
      expect((await get(`/api/keys/${id}/usage`, reader)).status).toBe(403);
      expect((await get("/api/stats", reader)).status).toBe(200);
      expect((await get("/api/keys/999/usage")).status).toBe(404);
      expect((await get(`/api/keys/${id}/usage?days=400`)).status).toBe(400);
    });
  });
});
