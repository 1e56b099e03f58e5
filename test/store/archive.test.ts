import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import { renderGroup } from "../../src/domain/groups/group.ts";
import { groupListFields } from "../../src/domain/groups/group-list-fields.ts";
import { renderUser } from "../../src/domain/users/user.ts";
import { ListQueryParser } from "../../src/http/query/list-query.ts";
import { type ArchiveTarget, type Row, SourceChangedError, tables } from "../../src/store/archive/archive.ts";
import { move } from "../../src/store/archive/move.ts";
import { openSource, openTarget } from "../../src/store/archive/open-archive.ts";
import { findSqliteCorruption } from "../support/consistency/list-checks.ts";
import { findPostgresCorruption } from "../support/consistency/postgres-corruption.ts";
import { databaseOn, type Engine, onEachEngine } from "../support/engines.ts";
import { openTestStore } from "../support/open-test-store.ts";
import { pooler, startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { startServiceOn } from "../support/service.ts";
import { allGroups, rowsOf } from "./support/store-under-test.ts";

const options = { waitMs: 60_000, dedicatedSessions: pooler === "none" };
const [users, groups] = tables;
const outcomes = tables.find(({ name }) => name === "outcomes") ?? users;

const state = (step: number) => JSON.stringify({ shown: "elsewhere", step });

function user(id: number, email: string, userName?: string): Row {
  const [version, text, at] = [3, "2024-05-06T07:08:09.010Z", Date.parse("2024-05-06T07:08:09.010Z")];
  return [
    id,
    version,
    renderUser(id, { name: "Zoë", email, level: 7, ...(userName && { userName }) }, version, text, text).json,
    at,
    at + 1,
    id === 2 ? null : 7,
    userName ?? null,
  ];
}

function group(id: number, name: string): Row {
  const at = Date.parse("2024-05-06T07:08:09.010Z");
  const text = "2024-05-06T07:08:09.010Z";
  const times = { createdAt: text, updatedAt: text };
  return [id, 3, renderGroup(id, { name, owner: "Zoë" }, id % 5, 3, times).json, at, at + 1, null];
}

/** What a query returns. `roster.` stands for the schema on PostgreSQL. */
async function select(engine: Engine, url: string, text: string): Promise<unknown[]> {
  if (engine === "sqlite") {
    const db = new Database(url, { readonly: true });
    const rows = db.query(text.replaceAll("roster.", "")).values();
    db.close();
    return rows;
  }
  const sql = new SQL(url, { max: 1, prepare: pooler === "none" });
  const rows = await sql.unsafe(text).values();
  await sql.close();
  return [...rows];
}

const USER_NAMES = "SELECT name, CAST(user_id AS integer) FROM roster.user_names ORDER BY name";

/** Every row about memberships. */
const MEMBERSHIPS = [
  "SELECT CAST(group_id AS integer), CAST(user_id AS integer) FROM roster.memberships ORDER BY 1, 2",
  "SELECT CAST(id AS integer) FROM roster.removed_groups ORDER BY 1",
  "SELECT CAST(id AS integer), groups FROM roster.deleted_users ORDER BY 1",
] as const;

/** What is known about the source of a move, in which the last id of a user is this one. */
const lastIds = (value: number) => ({
  lastValues: new Map([
    ["user_ids" as const, value],
    ["event_positions" as const, 2 * value],
    ["webhook_ids" as const, 3 * value],
    ["group_ids" as const, 4 * value],
  ]),
  isSettled: true,
});

const outcome = (key: string): Row => ["caller", key, "print", '{"problem":{}}', 12_345, null];

/** Name and definition of every index. */
const indexes = (engine: Engine, url: string) =>
  select(
    engine,
    url,
    engine === "sqlite"
      ? "SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name"
      : "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'roster' ORDER BY indexname",
  );

startPostgresBeforeTests();

onEachEngine((engine) => {
  async function target() {
    const { url, drop } = await databaseOn(engine);
    const archive = await openTarget(parseDatabase(url), options);
    return {
      archive,
      url,
      async end() {
        await archive.close();
        await drop();
      },
    };
  }

  describe("an archive that is filled", () => {
    test("returns every written row unchanged, in the order of keys", async () => {
      const { archive, end } = await target();
      const rows = [1, 2, 10, 4_000_000_000].map((id) => user(id, `u${id}@example.com`));
      const stored = ["", "a", "aa", "b", "Z", "é", "𝔘", "\uffff"].map(outcome);
      await archive.begin(undefined, state(1));
      await archive.write(users, rows, state(1), state(2));
      await archive.write(outcomes, stored, state(2), state(3));
      const byBytes = [...stored].sort((a, b) =>
        Buffer.compare(Buffer.from(`${a[1]}`), Buffer.from(`${b[1]}`)),
      );
      expect(await archive.read(users, undefined, 10)).toEqual(rows);
      expect(await archive.read(users, [2], 1)).toEqual(rows.slice(2, 3));
      expect(await archive.read(outcomes, undefined, 10)).toEqual(byBytes);
      expect(await archive.read(outcomes, ["caller", "b"], 10)).toEqual(byBytes.slice(5));
      expect(await archive.stats()).toEqual({
        lastValues: new Map([
          ["user_ids", 0],
          ["group_ids", 0],
          ["event_positions", 0],
          ["webhook_ids", 0],
        ]),
        rows: new Map([
          ["users", 4],
          ["groups", 0],
          ["deleted_users", 0],
          ["memberships", 0],
          ["removed_groups", 0],
          ["schema_versions", 0],
          ["unique_values", 0],
          ["daily_users", 0],
          ["events", 0],
          ["keys", 0],
          ["key_usage", 0],
          ["daily_key_usage", 0],
          ["webhooks", 0],
          ["webhook_deliveries", 0],
          ["webhook_responses", 0],
          ["webhook_hours", 0],
          ["outcomes", 8],
        ]),
        isSettled: true,
      });
      await end();
    });

    test("changes only if the move state is the expected one, in one transaction", async () => {
      const { archive, end } = await target();
      await archive.begin(undefined, state(1));
      await archive.write(users, [user(1, "a@example.com")], state(1), state(2));
      const before = await archive.stats();
      const another = [user(2, "b@example.com")];
      for (const work of [
        () => archive.write(users, another, state(1), state(3)),
        () => archive.write(outcomes, [outcome("a")], state(1), state(3)),
        () => archive.updateMoveState(state(1), state(3)),
        () => archive.clear(state(1), state(3)),
        () => archive.begin(state(1), state(3)),
        () => archive.finish(state(1), lastIds(9)),
      ]) {
        await expect(work()).rejects.toThrow("has taken over");
        expect(await archive.moveState()).toBe(state(2));
        expect((await archive.stats()).rows).toEqual(before.rows);
      }
      const twice = [user(3, "c@example.com"), user(1, "d@example.com")];
      await expect(archive.write(users, twice, state(2), state(3))).rejects.toBeInstanceOf(
        SourceChangedError,
      );
      expect(await archive.moveState()).toBe(state(2));
      expect(await archive.stats()).toEqual(before);
      await end();
    });

    test("does not write a chunk after a chunk that failed", async () => {
      const { archive, end } = await target();
      await archive.begin(undefined, state(1));
      const writes = await Promise.allSettled([
        archive.write(users, [user(1, "a@example.com"), user(1, "b@example.com")], state(1), state(2)),
        archive.write(users, [user(2, "c@example.com")], state(2), state(3)),
      ]);
      expect(writes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      expect(await archive.moveState()).toBe(state(1));
      expect(await archive.read(users, undefined, 10)).toEqual([]);
      await end();
    });

    test("has the user name of each user: its userName, or else its email", async () => {
      const { url, drop } = await databaseOn(engine);
      const rows = [user(1, "a@example.com"), user(2, "b@example.com", "bob")];
      const names = [
        ["a@example.com", 1],
        ["bob", 2],
      ];
      const namesAfter = async (work: (archive: ArchiveTarget) => Promise<void>) => {
        const archive = await openTarget(parseDatabase(url), options);
        await work(archive);
        await archive.close();
        return await select(engine, url, USER_NAMES);
      };
      const filled = namesAfter(async (archive) => {
        await archive.begin(undefined, state(1));
        await archive.write(users, rows, state(1), state(2));
        const taken = [user(3, "c@example.com", "a@example.com")];
        const writing = archive.write(users, taken, state(2), state(3));
        await expect(writing).rejects.toBeInstanceOf(SourceChangedError);
      });
      expect(await filled).toEqual(names);
      expect(await namesAfter((archive) => archive.clear(state(2), state(3)))).toEqual([]);
      expect(await namesAfter((archive) => archive.write(users, rows, state(3), state(4)))).toEqual(names);
      await drop();
    });

    test("has the indexes and the number of groups, and their members as their JSON says", async () => {
      const { url, drop } = await databaseOn(engine);
      const archive = await openTarget(parseDatabase(url), options);
      const rows = [1, 2, 8, 4_000_000_000].map((id) => group(id, `Équipe ${id}`));
      await archive.begin(undefined, state(1));
      await archive.write(groups, rows, state(1), state(2));
      expect(await archive.read(groups, undefined, 10)).toEqual(rows);
      await archive.clear(state(2), state(3));
      expect((await archive.stats()).rows.get("groups")).toBe(0);
      await archive.write(groups, rows.slice(0, 3), state(3), state(4));
      const twice = archive.write(groups, [group(9, "Team"), group(8, "Team")], state(4), state(5));
      await expect(twice).rejects.toBeInstanceOf(SourceChangedError);
      await archive.createIndexes(() => undefined);
      await archive.finish(state(4), lastIds(7));
      await archive.close();
      const { groups: filled, close } = await openTestStore(url);
      const idsOf = async (query: string) => {
        const parser = new ListQueryParser(groupListFields);
        return rowsOf(await filled.list(parser.parse(query))).map(({ id }) => id);
      };
      expect(await idsOf("q=equipe&sort=memberCount")).toEqual([1, 2, 8]);
      expect(await idsOf("memberCount=3&owner=Zo%C3%AB")).toEqual([8]);
      expect((await filled.list({ ...allGroups, limit: 1, count: true })).total?.count).toBe(3);
      const { outcome } = await filled.create({ record: { name: "ÉQUIPE 9" } });
      expect(outcome).toMatchObject({ group: { id: 29 } });
      expect(await filled.create({ record: { name: "équipe 8" } })).toMatchObject({
        outcome: { problem: { type: "value-taken" } },
      });
      await close();
      await drop();
    });

    test("is settled if its source is", async () => {
      const table = engine === "sqlite" ? "directory" : "roster.about";
      for (const isSettled of [true, false]) {
        const { url, drop } = await databaseOn(engine);
        const archive = await openTarget(parseDatabase(url), options);
        await archive.begin(undefined, state(1));
        await archive.write(users, [user(1, "a@example.com")], state(1), state(2));
        await archive.createIndexes(() => undefined);
        await archive.finish(state(2), { ...lastIds(7), isSettled });
        expect((await archive.stats()).isSettled).toBe(isSettled);
        await archive.close();
        const settledTo = await select(engine, url, `SELECT CAST(settled_to AS integer) FROM ${table}`);
        expect(settledTo).toEqual([[isSettled ? null : 0]]);
        await drop();
      }
    });

    test("has all indexes in the end, including the unique one", async () => {
      const other = await target();
      await other.archive.close();
      const fresh = await indexes(engine, other.url);
      await other.end();
      const { archive, url, end } = await target();
      await archive.begin(undefined, state(1));
      await archive.write(
        users,
        [1, 2].map((id) => user(id, "same@example.com", `name${id}`)),
        state(1),
        state(2),
      );
      await expect(archive.createIndexes(() => undefined)).rejects.toBeInstanceOf(SourceChangedError);
      await archive.clear(state(2), state(3));
      await archive.write(
        users,
        [1, 2].map((id) => user(id, `${id}@example.com`)),
        state(3),
        state(4),
      );
      const steps: string[] = [];
      await archive.createIndexes((done, total) => steps.push(`${done}/${total}`));
      expect(steps.at(-1)).toBe(`${steps.length - 1}/${steps.length - 1}`);
      await archive.finish(state(4), lastIds(77));
      expect(await archive.moveState()).toBeUndefined();
      expect((await archive.stats()).lastValues).toEqual(lastIds(77).lastValues);
      await archive.close();
      expect(await indexes(engine, url)).toEqual(fresh);
      const source = await openSource(parseDatabase(url), options);
      expect((await source.read(users, undefined, 10)).length).toBe(2);
      await source.close();
      await end();
    });
  });

  test("a move to the other engine keeps user names, groups and memberships", async () => {
    const other = engine === "sqlite" ? "postgres" : "sqlite";
    const [from, to] = [await databaseOn(engine), await databaseOn(other)];
    const names = [
      { email: "a@example.com" },
      { email: "b@example.com", userName: "Bob" },
      { userName: "carol" },
    ];
    const service = await startServiceOn(from.url);
    for (const fields of names)
      await service.call("/api/users", { method: "POST", json: { name: "User", ...fields } });
    await service.stop();
    const store = await openTestStore(from.url);
    for (const name of ["Sales", "Lost", "Équipe", "Last"]) await store.groups.create({ record: { name } });
    for (const id of [1, 2, 3, 4]) await store.groups.patchMembers(id, { add: [1, 2, 3], remove: [] });
    for (const id of [2, 4]) await store.groups.remove(id);
    await store.groups.setMember(3, 2, false);
    await store.users.remove(1);
    await store.close();

    const source = await openSource(parseDatabase(from.url), options);
    const filled = await openTarget(parseDatabase(to.url), options);
    await move(source, filled, () => undefined);
    await source.close();
    await filled.close();
    expect(await select(other, to.url, USER_NAMES)).toEqual([
      ["bob", 2],
      ["carol", 3],
    ]);
    expect(
      other === "sqlite" ? findSqliteCorruption(to.url, 2) : await findPostgresCorruption(to.url, 2),
    ).toEqual([]);
    for (const query of MEMBERSHIPS) {
      const copied = await select(other, to.url, query);
      expect(copied).toEqual(await select(engine, from.url, query));
      expect(copied).not.toEqual([]);
    }
    const moved = await openTestStore(to.url);
    await moved.deletedUsers.restore(1);
    expect(rowsOf(await moved.groups.list(allGroups))).toMatchObject([
      { id: 1, name: "Sales", memberCount: 3 },
      { id: 3, name: "Équipe", memberCount: 2 },
    ]);
    while ((await moved.groups.removeLeftMemberships()) > 0);
    expect(await select(other, to.url, MEMBERSHIPS[0])).toHaveLength(5);
    expect((await moved.groups.create({ record: { name: "Next" } })).outcome).toMatchObject({
      group: { id: 5 },
    });
    await moved.close();
    await from.drop();
    await to.drop();
  });
});
