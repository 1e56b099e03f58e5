import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { parseDatabase } from "../../src/config/database-url.ts";
import { compactDatabase } from "../../src/store/compact.ts";
import { readTables } from "../api/support/database-content.ts";
import { importBody, NDJSON, toNdjson } from "../support/bulk-requests.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import { pooler } from "../support/postgres/fresh-database.ts";
import { startServiceOn } from "../support/service.ts";

setDefaultTimeout(120_000);

/** So many that an SQLite file has split pages and merged search segments, where old bytes can stay. */
const USERS = { sqlite: 20_000, postgres: 5000 };
const traces = ["Quetzalcoatl", "quetzalcoatl", "xylophone", "zyzzyvas"];

onEachEngine((engine) => {
  test("nothing finds a purged user among thousands, and a compacted SQLite file has no byte of it", async () => {
    const database = await databaseOn(engine);
    const service = await startServiceOn(database.url, { logLevel: "debug" });
    const half = USERS[engine] / 2;
    const records = Array.from({ length: USERS[engine] }, (_, n) => ({
      name: `User ${n}`,
      email: `u${n}@purge.example`,
      n,
    }));
    await importBody(service, NDJSON, toNdjson(records.slice(0, half)));
    const person = { name: "Quetzalcoatl Smith", email: "quetzalcoatl@xylophone.example", pet: "Zyzzyvas" };
    const { id } = await service.roster.users.create(person);
    await importBody(service, NDJSON, toNdjson(records.slice(half)));
    await service.roster.users.update(id, { pet: "zyzzyvas", level: 3 });
    await service.roster.users.delete(id);
    await service.roster.deletedUsers.restore(id);
    await service.roster.users.delete(id, { purge: true });

    const { users, deletedUsers } = service.roster;
    for (const q of ["quetzalcoatl", "xylophone"]) {
      expect(await users.list({ q }).all()).toEqual([]);
      expect(await deletedUsers.list({ q }).all()).toEqual([]);
    }
    expect(await users.list({ filter: 'pet eq "zyzzyvas"' }).all()).toEqual([]);
    expect(await (await service.call("/api/fields/pet/values")).json()).toEqual([]);
    const texts = [
      JSON.stringify(await readTables(engine, database.url)),
      await (await service.call(`/api/users/${id}/events`)).text(),
      await (await service.call("/metrics")).text(),
      service.log.join(""),
    ];
    for (const trace of traces)
      expect(texts.map((text) => text.includes(trace))).toEqual(texts.map(() => false));

    await compactDatabase(parseDatabase(database.url), {
      waitMs: 60_000,
      dedicatedSessions: pooler === "none",
    });
    if (engine === "sqlite") {
      const files = [database.url, `${database.url}-wal`].filter((path) => existsSync(path));
      const bytes = files.map((path) => readFileSync(path));
      for (const trace of traces) expect(bytes.some((content) => content.includes(trace))).toBe(false);
    }
    expect(await service.roster.users.list({ q: `user ${USERS[engine] - 1}` }).all()).toHaveLength(1);
    await service.stop();
    await database.drop();
  });
});
