import { Database } from "bun:sqlite";
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import { anonymousOrigin, environmentActor } from "../../src/domain/caller.ts";
import type { StoredEvent } from "../../src/domain/events/event.ts";
import type { Store } from "../../src/domain/store.ts";
import { beginBackup } from "../../src/store/archive/backup.ts";
import { move } from "../../src/store/archive/move.ts";
import { openSource, openTarget } from "../../src/store/archive/open-archive.ts";
import { beginRestore } from "../../src/store/archive/restore.ts";
import { eventBytesError } from "../support/consistency/event-bytes.ts";
import { databaseOn, type Engine, onEachEngine } from "../support/engines.ts";
import { openTestStore } from "../support/open-test-store.ts";
import { pooler } from "../support/postgres/fresh-database.ts";

setDefaultTimeout(60_000);

const access = { waitMs: 60_000, dedicatedSessions: pooler === "none" };
const ignoreProgress = () => undefined;

/** Runs `work` on a store of the database, and checks that the bytes of its events are counted. */
async function withStore<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openTestStore(url);
  const engine = url.startsWith("postgres") ? "postgres" : "sqlite";
  try {
    expect(await eventBytesError(engine, url)).toBe(0);
    return await work(store);
  } finally {
    expect(await eventBytesError(engine, url)).toBe(0);
    await store.close();
  }
}

async function readAll(store: Store): Promise<readonly StoredEvent[]> {
  return (await store.events.read({ limit: 1000 }))?.events ?? [];
}

async function change(store: Store): Promise<number> {
  const { outcome } = await store.users.create({ record: { name: "Ada" } }, undefined, {
    actor: environmentActor,
    requestId: "r",
  });
  if ("problem" in outcome) throw new Error(outcome.problem.detail);
  await store.users.edit(outcome.user.id, { merge: { level: 2 } });
  return await store.events.last();
}

async function moveAll(from: string, to: string): Promise<void> {
  const source = await openSource(parseDatabase(from), access);
  const target = await openTarget(parseDatabase(to), access);
  try {
    await move(source, target, ignoreProgress);
  } finally {
    await source.close();
    await target.close();
  }
}

onEachEngine((engine) => {
  describe("events and deleted users", () => {
    const folder = mkdtempSync(join(tmpdir(), "roster-events-"));
    afterAll(() => rmSync(folder, { recursive: true }));

    test("move to the other engine and back unchanged, and their ids keep ascending", async () => {
      const databases = [
        await databaseOn(engine),
        await databaseOn(engine === "sqlite" ? "postgres" : "sqlite"),
      ];
      const [first = "", second = ""] = databases.map(({ url }) => url);
      const before = await withStore(first, async (store) => {
        await change(store);
        await store.users.remove(1);
        return await readAll(store);
      });
      expect(before.map(({ type }) => type)).toEqual(["user.created", "user.updated", "user.deleted"]);
      await moveAll(first, second);
      await withStore(second, async (store) => {
        expect(await readAll(store)).toEqual(before);
        const deleted = await store.deletedUsers.read(1);
        expect(deleted?.json).toMatch(/"name":"Ada","level":2,.*"deletedAt":/);
        const last = await store.events.last();
        await change(store);
        expect((await store.events.read({ after: last, limit: 10 }))?.events).toHaveLength(2);
        while ((await store.events.removeOldest({ before: 0, max: 2 })) > 0);
      });
      const back = await databaseOn(engine);
      await moveAll(second, back.url);
      await withStore(back.url, async (store) => {
        const last = before.at(-1)?.position ?? 0;
        expect((await store.events.read({ after: last, limit: 10 }))?.events).toHaveLength(2);
        expect(await store.events.read({ after: 0, limit: 10 })).toBeUndefined();
        expect((await store.deletedUsers.restore(1)).version).toBe(3);
      });
      for (const database of [...databases, back]) await database.drop();
    });

    test("after a restore, positions from after the backup are unknown, and new ones are higher", async () => {
      const { url, drop } = await databaseOn(engine);
      const file = join(folder, `${engine}.db`);
      const backedUp = await withStore(url, change);
      await beginBackup(parseDatabase(url), file, { ...access, replace: false }).run(ignoreProgress);
      const lost = await withStore(url, change);
      // This process still holds locks on an SQLite file that it has used.
      const target = engine === "sqlite" ? join(folder, "target.db") : url;
      if (target !== url) copyFileSync(url, target);
      const restore = beginRestore(file, parseDatabase(target), {
        ...access,
        replace: async () => undefined,
      });
      await restore.run(ignoreProgress);
      await withStore(target, async (store) => {
        expect(await store.events.last()).toBe(backedUp);
        expect(await store.events.read({ after: lost, limit: 10 })).toBeUndefined();
        await change(store);
        expect(await store.events.read({ after: lost, limit: 10 })).toBeUndefined();
        const added = (await store.events.read({ after: backedUp, limit: 10 }))?.events ?? [];
        expect(added.map(({ type }) => type)).toEqual(["user.created", "user.updated"]);
        expect(added.every(({ position }) => position > lost)).toBe(true);
      });
      await drop();
    });

    test("tell that a restore has disabled the active webhooks, which a move keeps as they are", async () => {
      const { url, drop } = await databaseOn(engine);
      const file = join(folder, `${engine}-webhooks.db`);
      const draft = { url: "https://hooks.example.com/", types: ["*"], description: "", filter: null };
      const before = await withStore(url, async (store) => {
        await store.webhooks.create({ ...draft, active: true, secret: "whsec_1" }, anonymousOrigin);
        await store.webhooks.create({ ...draft, active: false, secret: "whsec_2" }, anonymousOrigin);
        const gone = await store.webhooks.create(
          { ...draft, active: true, secret: "whsec_3" },
          anonymousOrigin,
        );
        await store.webhooks.remove(gone.id, undefined, anonymousOrigin);
        return await store.webhooks.list(0, 10);
      });
      await beginBackup(parseDatabase(url), file, { ...access, replace: false }).run(ignoreProgress);
      const moved = await databaseOn(engine === "sqlite" ? "postgres" : "sqlite");
      await moveAll(url, moved.url);
      await withStore(moved.url, async (store) =>
        expect(await store.webhooks.list(0, 10)).toEqual([...before]),
      );
      const target = await databaseOn(engine);
      const options = { ...access, replace: async () => undefined };
      await beginRestore(file, parseDatabase(target.url), options).run(ignoreProgress);
      await withStore(target.url, async (store) => {
        const [active, inactive] = await store.webhooks.list(0, 10);
        const disabled = { active: false, disabledReason: "restored" as const, version: 2 };
        expect(active).toMatchObject({ ...before[0], ...disabled, updatedAt: expect.any(Number) });
        expect(inactive).toEqual(before[1]);
        const [last] = (await store.events.read({ limit: 1, descending: true }))?.events ?? [];
        expect(JSON.parse(last?.json ?? "")).toMatchObject({
          type: "webhook.disabled",
          subject: { id: before[0]?.id },
          actor: { type: "command" },
        });
        const next = await store.webhooks.create(
          { ...draft, active: true, secret: "whsec_4" },
          anonymousOrigin,
        );
        expect(next.id).toBe(4);
      });
      for (const database of [moved, target]) await database.drop();
      await drop();
    });

    test("keep ascending if the clock is set back", async () => {
      const { url, drop } = await databaseOn(engine);
      await withStore(url, async (store) => {
        const positions = [await change(store)];
        await setPositionsAhead(url, engine);
        positions.push(await change(store), await change(store));
        expect(positions).toEqual(positions.toSorted((a, b) => a - b));
        expect(positions[1]).toBeGreaterThan(2 ** 51);
      });
      await drop();
    });
  });
});

/** As if a wrong clock had appended the last event, in the year 2041. */
async function setPositionsAhead(url: string, engine: Engine): Promise<void> {
  if (engine === "sqlite") {
    using db = new Database(url);
    db.run(`UPDATE directory SET events_after = ${2 ** 51}`);
    return;
  }
  await using sql = new SQL(url, { max: 1 });
  await sql.unsafe(`SELECT setval('roster.event_positions', ${2 ** 51})`);
}
