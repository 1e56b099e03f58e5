import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import Value from "typebox/value";
import { BulkResult } from "../../../src/contract/bulk/bulk-schemas.ts";
import type { Json } from "../../../src/contract/json.ts";
import type { Scope } from "../../../src/contract/keys/key.ts";
import { exportUsers, importBody, NDJSON, toNdjson } from "../../support/bulk-requests.ts";
import { bearer } from "../../support/credentials.ts";
import { onEachEngine } from "../../support/engines.ts";
import { describeProblem, readResponse } from "../../support/responses.ts";
import { startService, type TestService } from "../../support/service.ts";

setDefaultTimeout(120_000);

/** Creates users with a cohort of their own. `match` is the start of an expression that finds only them. */
async function createUsers(service: TestService, cohort: string, count: number, note = "", headers = {}) {
  const records = Array.from({ length: count }, (_, n) => ({ name: `User ${n}`, cohort, n, note }));
  const { lines } = await importBody(service, NDJSON, toNdjson(records), headers);
  return { match: `cohort eq "${cohort}"`, ids: lines.map(({ id }) => id ?? 0) };
}

onEachEngine((engine) => {
  let service: TestService;
  let created = 0;
  beforeAll(async () => {
    service = await startService({}, engine);
  }, 120_000);
  afterAll(() => service.stop());

  const createCohort = (count: number) => createUsers(service, `g${++created}`, count);
  const createGroup = async (add: readonly number[] = []) => {
    const name = `Group ${++created}`;
    const response = await service.call("/api/groups", { method: "POST", json: { name } });
    const { id }: { id: number } = await response.json();
    if (add.length > 0) {
      await service.call(`/api/groups/${id}/members`, { method: "PATCH", json: { add: add.slice(0, 1000) } });
    }
    return { id, name };
  };
  const send = (body: Json, query = "") =>
    service.call(`/api/users/bulk${query}`, { method: "POST", json: body });
  const change = async (body: Json): Promise<BulkResult[]> => {
    const response = await send(body);
    expect(response.status).toBe(200);
    const lines = (await response.text()).split("\n").slice(0, -1);
    return lines.map((line) => Value.Parse(BulkResult, JSON.parse(line)));
  };
  const count = async (body: Json) => (await send(body, "?dryRun=true")).json();
  const readGroup = async (id: number) => {
    const { version, memberCount } = await (await service.call(`/api/groups/${id}`)).json();
    return { version, memberCount };
  };
  const membersOf = async (id: number) => (await exportUsers(service, `?group=${id}`)).map((user) => user.id);
  const changesOf = async (id: number): Promise<{ added: number[]; removed: number[] }[]> => {
    const page = await service.call(`/api/events?subject=group:${id}&type=group.members_changed&limit=100`);
    const events: { changes: { members: { added: number[]; removed: number[] } } }[] = await page.json();
    return events.map(({ changes }) => changes.members);
  };
  const done = (ids: readonly number[]) => ids.map((id) => ({ id, status: 200 }));

  describe("a bulk change of a group", () => {
    test("adds and removes users, with one version and one event for each 500", async () => {
      const { ids } = await createCohort(1203);
      const { id } = await createGroup();
      const backwards = ids.toReversed();
      expect(await count({ ids: [...ids, ids[0] ?? 0, 1e12], addToGroup: id })).toEqual({ count: 1203 });
      expect(await change({ ids: backwards, addToGroup: id })).toEqual(done(backwards));
      expect(await readGroup(id)).toEqual({ version: 4, memberCount: 1203 });
      expect(await membersOf(id)).toEqual(ids);
      expect(await changesOf(id)).toEqual([
        { added: backwards.slice(0, 500), removed: [] },
        { added: backwards.slice(500, 1000), removed: [] },
        { added: backwards.slice(1000), removed: [] },
      ]);
      // What is true already is no change, and no error.
      expect(await change({ ids, addToGroup: id })).toEqual(done(ids));
      const some = ids.slice(0, 3);
      expect(await change({ ids: [...some, ...some], removeFromGroup: id })).toEqual(
        done([...some, ...some]),
      );
      expect(await readGroup(id)).toEqual({ version: 5, memberCount: 1200 });
      expect((await changesOf(id)).slice(3)).toEqual([{ added: [], removed: some }]);
      expect((await service.roster.users.get(some[0] ?? 0)).version).toBe(1);
    });

    test("has a problem for each user that does not exist, and changes the others", async () => {
      const { ids } = await createCohort(3);
      const [a = 0, b = 0, deleted = 0] = ids;
      const { id } = await createGroup([a, deleted]);
      await service.roster.users.delete(deleted);
      for (const member of ["addToGroup", "removeFromGroup"]) {
        const results = await change({ ids: [1e12, a, deleted, b], [member]: id });
        expect(results.map(({ status, problem }) => [status, problem?.type])).toEqual([
          [404, "/problems/user-not-found"],
          [200, undefined],
          [404, "/problems/user-not-found"],
          [200, undefined],
        ]);
        expect(await membersOf(id)).toEqual(member === "addToGroup" ? [a, b] : []);
      }
    });

    test.each(["addToGroup", "removeFromGroup"])(
      "is refused if the group does not exist: %s",
      async (member) => {
        const { ids, match } = await createCohort(2);
        const { id } = await createGroup();
        await service.call(`/api/groups/${id}`, { method: "DELETE" });
        for (const groupId of [id, 2 ** 53 - 1])
          for (const target of [{ ids }, { filter: match }, { filter: 'cohort eq "nobody"' }])
            for (const query of ["", "?dryRun=true"])
              for (const headers of [{}, { "idempotency-key": `missing ${++created}` }]) {
                const json = { ...target, [member]: groupId };
                const response = service.call(`/api/users/bulk${query}`, { method: "POST", json, headers });
                expect(describeProblem(await readResponse(response))).toEqual([404, "group-not-found"]);
              }
      },
    );

    test("runs once with an Idempotency-Key, whatever changes later", async () => {
      const { ids, match } = await createCohort(700);
      const { id } = await createGroup();
      const key = { "idempotency-key": `group ${engine}` };
      const body = { filter: `${match} and not (groups pr)`, addToGroup: id };
      const run = async (json: Json) =>
        (await service.call("/api/users/bulk", { method: "POST", json, headers: key })).text();
      const first = await run(body);
      expect(first.split("\n")).toHaveLength(701);
      await change({ ids: ids.slice(0, 10), removeFromGroup: id });
      expect(await run(body)).toBe(first);
      expect(await readGroup(id)).toEqual({ version: 4, memberCount: 690 });
      const { addToGroup, ...target } = body;
      for (const other of [
        { ...target, removeFromGroup: id },
        { ...target, addToGroup: (await createGroup()).id },
      ]) {
        expect(await run(other)).toContain("idempotency-mismatch");
      }
    });

    test.each([
      [{ ids: [1], addToGroup: "7" }, "/addToGroup"],
      [{ ids: [1], removeFromGroup: 0 }, "/removeFromGroup"],
      [{ ids: [1], addToGroup: 1, removeFromGroup: 1 }, ""],
      [{ filter: "groups eq 7 or n eq 1", addToGroup: 1 }, "/filter"],
      [{ filter: "groups eq 7", restore: true }, "/filter"],
    ])("%# with an invalid body is 422, with a pointer", async (body, pointer) => {
      for (const query of ["", "?dryRun=true"]) {
        const { status, problem } = await readResponse(send(body, query));
        expect([status, problem?.type]).toEqual([422, "/problems/invalid-bulk"]);
        expect(problem?.errors?.map((error) => error.pointer)).toEqual([pointer]);
      }
    });
  });

  describe("a bulk change by a filter that compares groups", () => {
    test("changes each user once, also if it moves the users into or out of the filter", async () => {
      const { ids, match } = await createCohort(1203);
      const { id, name } = await createGroup(ids.slice(0, 100));
      const rest = ids.slice(100);
      const add = { filter: `${match} and not (groups eq ${id})`, addToGroup: id };
      expect(await count(add)).toEqual({ count: 1103 });
      expect(await change(add)).toEqual(done(rest));
      expect(await change(add)).toEqual([]);
      expect(await readGroup(id)).toEqual({ version: 5, memberCount: 1203 });
      const remove = { filter: `groups eq ${id}`, removeFromGroup: id };
      expect(await count(remove)).toEqual({ count: 1203 });
      expect(await change(remove)).toEqual(done(ids));
      expect(await readGroup(id)).toEqual({ version: 8, memberCount: 0 });
      expect((await changesOf(id)).flatMap(({ removed }) => removed)).toEqual(ids);
      expect(await change({ filter: `${match} and not (groups pr)`, addToGroup: id })).toEqual(done(ids));
      const byName = { filter: `groups.name eq "${name.toUpperCase()}" and n ge 600`, removeFromGroup: id };
      expect(await change(byName)).toEqual(done(ids.slice(600)));
      expect(await membersOf(id)).toEqual(ids.slice(0, 600));
    });

    test("takes as many comparisons as a filter can have", async () => {
      const { ids, match } = await createCohort(300);
      const { id } = await createGroup(ids.slice(0, 250));
      const others = Array.from({ length: 48 }, (_, n) => `not (groups eq ${1e12 + n})`).join(" and ");
      const filter = `${match} and groups eq ${id} and ${others}`;
      expect(await change({ filter, removeFromGroup: id })).toEqual(done(ids.slice(0, 250)));
      // Each chunk has 100 users.
      expect(await readGroup(id)).toEqual({ version: 5, memberCount: 0 });
      const one = await send({ filter: `${filter} and groups pr`, removeFromGroup: id });
      expect(describeProblem(await readResponse(Promise.resolve(one)))).toEqual([
        422,
        "invalid-bulk",
        ["/filter"],
      ]);
    });

    test("patches and deletes the members of a group", async () => {
      const { ids, match } = await createCohort(1203);
      const [sales, guests] = [await createGroup(ids.slice(0, 900)), await createGroup(ids.slice(0, 10))];
      const filter = `groups eq ${sales.id} and not (groups.name eq "${guests.name}")`;
      expect(await change({ filter, patch: { seen: true } })).toEqual(done(ids.slice(10, 900)));
      expect(await change({ filter: `${match} and groups ne ${sales.id}`, patch: { seen: false } })).toEqual(
        done(ids.slice(900)),
      );
      expect(await count({ filter: "groups eq 999999", delete: true })).toEqual({ count: 0 });
      expect(await change({ filter: 'groups.name eq "Nobody"', delete: true })).toEqual([]);
      expect(await change({ filter: `${filter} and n lt 700`, delete: true })).toEqual(
        ids.slice(10, 700).map((id) => ({ id, status: 204 })),
      );
      expect(await membersOf(sales.id)).toEqual([...ids.slice(0, 10), ...ids.slice(700, 900)]);
    });
  });
});

describe("with a key, a bulk change of a group", () => {
  let service: TestService;
  let manager: string;
  let group: number;
  const all: readonly Scope[] = ["users:read", "users:write", "groups:read", "groups:write"];
  beforeAll(async () => {
    service = await startService();
    const json = { name: "manager", scopes: [...all, "keys:manage"] };
    manager = (await (await service.call("/api/keys", { method: "POST", json })).json()).key;
    await createUsers(service, "limited", 1100, "x".repeat(4000), bearer(manager));
    const request = { method: "POST", json: { name: "Sales" }, headers: bearer(manager) };
    group = (await (await service.call("/api/groups", request)).json()).id;
  });
  afterAll(() => service.stop());

  const createKey = async (scopes: readonly Scope[], limits: object = {}): Promise<string> => {
    const json = { name: "k", scopes, ...limits };
    return (
      await (await service.call("/api/keys", { method: "POST", json, headers: bearer(manager) })).json()
    ).key;
  };
  const send = (json: Json, key: string, query = "") =>
    readResponse(service.call(`/api/users/bulk${query}`, { method: "POST", json, headers: bearer(key) }));

  test.each<[body: object, missing: Scope]>([
    [{ ids: [1], addToGroup: 1 }, "groups:write"],
    [{ ids: [1], addToGroup: 1 }, "users:read"],
    [{ ids: [1], removeFromGroup: 1 }, "groups:write"],
    [{ ids: [1], removeFromGroup: 1 }, "users:read"],
    // Whether there is such a group is not told either.
    [{ ids: [1], addToGroup: 999 }, "groups:write"],
    [{ filter: "groups eq 1", delete: true }, "groups:read"],
    [{ filter: 'not (groups.name eq "Nobody")', patch: {} }, "groups:read"],
    [{ filter: "groups pr", addToGroup: 1 }, "groups:read"],
    [{ filter: "n eq 1", addToGroup: 1 }, "groups:write"],
  ])("%j needs the scope %s too", async (body, missing) => {
    const key = await createKey(all.filter((scope) => scope !== missing));
    for (const query of ["", "?dryRun=true"]) {
      const { status, problem } = await send({ ...body }, key, query);
      expect([status, problem?.type]).toEqual([403, "/problems/insufficient-scope"]);
      expect(problem?.detail).toBe(`A key with the scope ${missing} is required.`);
    }
  });

  test("needs no groups:read if its filter does not compare groups", async () => {
    const key = await createKey(["users:read", "users:write", "groups:write"]);
    expect((await send({ filter: "n eq 1", addToGroup: group }, key)).status).toBe(200);
  });

  test("counts as one request for each 500 users, whatever their size", async () => {
    for (const target of [
      { filter: "n ge 0" },
      { filter: "not (groups eq 999)" },
      { ids: [...Array(1100).keys()].map((n) => n + 1) },
    ]) {
      const key = await createKey(all, { quota: 3 });
      const { text } = await send({ ...target, addToGroup: group }, key);
      expect(text.split("\n")).toHaveLength(1101);
      expect(text).not.toContain("quota-exceeded");
      expect((await send({ ...target, addToGroup: group }, key)).status).toBe(429);
    }
  });
});
