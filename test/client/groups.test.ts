import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { groups as groupsOf, not } from "../../src/client/filter.ts";
import { ApiError, type Client, createClient, type Group } from "../../src/client/index.ts";
import { startService, type TestService } from "../support/service.ts";
import { restoreClock, skipDelays } from "./support/clock.ts";
import {
  failure,
  failureOf,
  json,
  problem,
  quietClient,
  startServer,
  stopServers,
} from "./support/servers.ts";

const MANY = 2500;

let service: TestService;
let roster: Client<{ level: number }>;
/** The ids of 2,500 users. */
let userIds: number[];
/** A new name for each test. */
let name: string;

beforeAll(async () => {
  service = await startService();
  roster = createClient<{ level: number }>({ baseUrl: service.url });
  const people = Array.from({ length: MANY }, (_, level) => ({ name: `User ${level}`, level }));
  userIds = [];
  for await (const { id } of roster.users.import(people)) userIds.push(id ?? 0);
});
beforeEach(() => {
  name = `Group ${crypto.randomUUID()}`;
});
afterEach(() => {
  restoreClock();
  stopServers();
});
afterAll(() => service.stop());

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const idsOf = (items: readonly { readonly id: number }[]) => items.map(({ id }) => id);

/** A new group with the first users as members. */
async function createTeam(members = 3, input: object = {}): Promise<Group> {
  const { id } = await roster.groups.create({ ...input, name });
  await roster.groups.add(id, userIds.slice(0, members));
  return roster.groups.get(id);
}

describe("groups", () => {
  test("can be created, read, found by name, replaced, updated, modified and deleted", async () => {
    const created = await roster.groups.create({ name, region: "north" });
    expect(created).toMatchObject({ name, region: "north", memberCount: 0, version: 1 });
    expect(await roster.groups.get(String(created.id))).toEqual(created);
    expect(await roster.groups.find({ name: name.toUpperCase() })).toEqual(created);
    expect(await roster.groups.find({ name: `${name} x` })).toBeUndefined();
    const updated = await roster.groups.update(created.id, { region: null }, { ifUnchanged: created });
    expect(updated).not.toHaveProperty("region");
    expect(await roster.groups.replace(created.id, created)).toMatchObject({ region: "north", version: 3 });
    const modified = await roster.groups.modify(created.id, (group) => ({ ...group, owner: 7 }));
    expect(modified).toMatchObject({ region: "north", owner: 7, version: 4 });
    const late = roster.groups.delete(created.id, { ifUnchanged: created });
    expect((await failureOf(ApiError, late)).type).toBe("version-mismatch");
    await roster.groups.delete(created.id);
    expect((await failureOf(ApiError, roster.groups.get(created.id))).type).toBe("group-not-found");
  });

  test("are created once per Idempotency-Key, and never with the name of another group", async () => {
    const idempotencyKey = crypto.randomUUID();
    const created = await roster.groups.create({ name }, { idempotencyKey });
    expect(await roster.groups.create({ name }, { idempotencyKey })).toEqual(created);
    expect((await failureOf(ApiError, roster.groups.create({ name }))).type).toBe("value-taken");
  });

  test("have lists with pages, counts, filters, fields and explanations", async () => {
    const region = crypto.randomUUID();
    for (const size of [1, 2, 3]) await roster.groups.create({ name: `${name} ${size}`, region, size });
    const list = roster.groups.list({ where: { region }, sort: "-size", limit: 2, fields: ["size"] });
    expect((await collect(list)).map(({ size }) => size)).toEqual([3, 2, 1]);
    const { groups, next, total } = await list.page({ count: true });
    expect([groups.length, typeof next, total]).toEqual([2, "string", { count: 3, capped: false }]);
    const rest = await roster.groups.list({ where: { region }, sort: "-size", limit: 2, after: next }).page();
    expect(rest.groups).toEqual([expect.objectContaining({ size: 1, memberCount: 0 })]);
    expect((await list.explain()).found).toBe(2);
    expect(await failure(list.all({ max: 2 }))).toMatchObject({
      message: expect.stringContaining("2 groups"),
    });
    // A group can have a field of this name: only users are listed by group.
    await roster.groups.create({ name, group: region });
    expect(await roster.groups.list({ where: { group: region } }).all()).toHaveLength(1);
  });

  test("are imported and exported", async () => {
    const region = crypto.randomUUID();
    const source = [{ name, region }, { name: "" }, { name: name.toUpperCase() }];
    const { created, existing, failures } = await roster.groups.import(source).summary();
    expect([created, existing, failures.map(({ line, status }) => [line, status])]).toEqual([
      1,
      0,
      [
        [2, 422],
        [3, 409],
      ],
    ]);
    const update = roster.groups.import([{ name, size: 3 }], { onConflict: "update", dryRun: true });
    expect(await update.summary()).toMatchObject({ created: 0, existing: 1, failed: 0 });
    const [exported] = await collect(roster.groups.export({ where: { region } }));
    expect(exported).toEqual(await roster.groups.find({ name }));
    const table = roster.groups.export({ where: { region }, fields: ["name", "region"] });
    expect(await new Response(await table.stream("csv")).text()).toBe(
      `id,name,region,version\r\n${exported?.id},${name},${region},1\r\n`,
    );
  });
});

describe("members", () => {
  test("are added and removed, and counted only if they change", async () => {
    const { id } = await roster.groups.create({ name });
    const [first = 0, second = 0, third = 0] = userIds;
    expect(await roster.groups.add(id, [first, String(second)])).toEqual({ added: 2 });
    expect(await roster.groups.add(id, [second, third])).toEqual({ added: 1 });
    expect(await roster.groups.remove(id, [first, 999_999])).toEqual({ removed: 1 });
    expect(await roster.groups.add(id, [])).toEqual({ added: 0 });
    expect(await roster.groups.get(id)).toMatchObject({ memberCount: 2, version: 4 });
    expect(await roster.groups.member(id, second)).toEqual(await roster.users.get(second));
    expect(await roster.groups.member(id, first)).toBeUndefined();
    const unknown = await failureOf(ApiError, roster.groups.add(id, [first, 999_999]));
    expect([unknown.type, unknown.problem?.errors?.[0]?.pointer]).toEqual(["invalid-group", "/add/1"]);
    const missing = () => [roster.groups.add(999_999, []), roster.groups.member(999_999, second)];
    for (const error of await Promise.all(missing().map((call) => failureOf(ApiError, call)))) {
      expect(error.type).toBe("group-not-found");
    }
  });

  test("are added and removed in one request for each 1,000 ids", async () => {
    const { id } = await roster.groups.create({ name });
    const bodies: string[] = [];
    const observed = createClient({
      baseUrl: service.url,
      async fetch(request) {
        bodies.push(await request.clone().text());
        return fetch(request);
      },
    });
    expect(await observed.groups.add(id, userIds)).toEqual({ added: MANY });
    expect(bodies.map((body) => JSON.parse(body).add.length)).toEqual([1000, 1000, 500]);
    expect(await roster.groups.get(id)).toMatchObject({ memberCount: MANY, version: 4 });
    expect(idsOf(await roster.groups.members(id, { limit: 1000 }).all())).toEqual(userIds);
    expect(idsOf(await collect(roster.users.export({ group: id })))).toEqual(userIds);
    expect(await observed.groups.remove(id, userIds)).toEqual({ removed: MANY });
  }, 120_000);

  test("with a precondition change only if the group has this version, and in one request", async () => {
    const group = await createTeam(1);
    const ids = userIds.slice(0, 3);
    expect(await roster.groups.add(group.id, ids, { ifUnchanged: group })).toEqual({ added: 2 });
    for (const options of [{ ifUnchanged: group }, { ifMatch: group.version }]) {
      const late = roster.groups.remove(group.id, ids, options);
      expect((await failureOf(ApiError, late)).type).toBe("version-mismatch");
    }
    const tooMany = roster.groups.add(group.id, userIds, { ifMatch: group.version + 1 });
    expect(await failure(tooMany)).toBeInstanceOf(RangeError);
    expect(await roster.groups.get(group.id)).toMatchObject({ memberCount: 3 });
  });

  test("have lists with the options of lists of users, and users have lists of their groups", async () => {
    const { id } = await createTeam(5, { region: "north" });
    const list = roster.groups.members(id, { sort: "-level", filter: "level ge 1", limit: 3 });
    const { users, total } = await list.page({ count: true });
    expect([users.map(({ level }) => level), total]).toEqual([[4, 3, 2], { count: 4, capped: false }]);
    expect((await list.all()).map(({ level }) => level)).toEqual([4, 3, 2, 1]);
    const [first = 0] = userIds;
    const groups = roster.users.groups(first, { where: { region: "north" }, limit: 1 });
    expect(idsOf(await groups.all())).toContain(id);
    expect((await groups.page({ count: true })).groups).toHaveLength(1);
    expect((await failureOf(ApiError, roster.groups.members(999_999).all())).type).toBe("group-not-found");
    expect((await failureOf(ApiError, roster.users.groups(999_999).all())).type).toBe("user-not-found");
  });

  test("are found in lists of users by the id of the group, and by filters", async () => {
    const { id } = await createTeam(3);
    const other = await roster.groups.create({ name: `${name} 2` });
    await roster.groups.add(other.id, userIds.slice(2, 4));
    expect(idsOf(await roster.users.list({ group: id }).all())).toEqual(userIds.slice(0, 3));
    expect(idsOf(await roster.users.list({ group: [id, other.id] }).all())).toEqual(userIds.slice(0, 4));
    expect(await roster.users.list({ group: [] }).all()).toEqual([]);
    expect((await roster.users.list({ group: id, where: { level: 1 } }).explain()).found).toBe(1);
    const filter = not(groupsOf.name.eq(name));
    expect(idsOf(await roster.users.list({ group: other.id, filter }).all())).toEqual(userIds.slice(3, 4));
    const twice = roster.users.list({ group: id, where: { group: other.id } }).all();
    expect(await failure(twice)).toBeInstanceOf(RangeError);
  });

  test("are added and removed by a bulk change of users", async () => {
    const { id } = await createTeam(1);
    const ids = userIds.slice(0, 3);
    expect(await roster.users.bulk({ ids, addToGroup: id }).summary()).toMatchObject({ changed: 3 });
    const change = roster.users.bulk({ filter: groupsOf.eq(id), removeFromGroup: id });
    expect(await change.count()).toBe(3);
    expect(await change.summary()).toEqual({ changed: 3, failed: 0, failures: [] });
    expect(await roster.groups.get(id)).toMatchObject({ memberCount: 0 });
  });

  test("that change are an event with the ids", async () => {
    const { id } = await createTeam(2);
    const [first = 0, second = 0] = userIds;
    await roster.groups.remove(id, [first]);
    const changes = await collect(
      roster.events.list({ subject: `group:${id}`, type: "group.members_changed" }),
    );
    const members = changes.map((event) => event.type === "group.members_changed" && event.changes.members);
    expect(members).toEqual([
      { added: [first, second], removed: [] },
      { added: [], removed: [first] },
    ]);
  });
});

describe("memberships", () => {
  test("are imported by id and by name, with a result for each line", async () => {
    const { id } = await createTeam(1);
    const [first = 0, second = 0] = userIds;
    const lines = [
      { group: name, user: second },
      { group: id, user: first },
      { group: id, user: "nobody@example.com" },
      { group: `${name} x`, user: first },
    ];
    const results = await collect(roster.memberships.import(lines));
    expect(results.map(({ line, status, problem }) => [line, status, problem?.type])).toEqual([
      [1, 201, undefined],
      [2, 200, undefined],
      [3, 404, "/problems/user-not-found"],
      [4, 404, "/problems/group-not-found"],
    ]);
    expect(await roster.memberships.import(lines, { remove: true, dryRun: true }).summary()).toMatchObject({
      added: 0,
      others: 2,
      failed: 2,
    });
    const table = `group,user\r\n${name},${first}\r\n${name},${userIds[5]}\r\n`;
    const removal = roster.memberships.import(table, { format: "csv", remove: true });
    expect(await removal.summary()).toEqual({ added: 0, others: 2, failed: 0, failures: [] });
    expect(idsOf(await roster.groups.members(id).all())).toEqual([second]);
  });

  test("are imported once per idempotency key", async () => {
    const { id } = await createTeam(0);
    const [user = 0] = userIds;
    const first = roster.memberships.import([{ group: id, user }]);
    expect(await first.summary()).toMatchObject({ added: 1 });
    await roster.groups.remove(id, [user]);
    const again = roster.memberships.import([{ group: id, user }], { idempotencyKey: first.idempotencyKey });
    expect(await again.summary()).toMatchObject({ added: 1 });
    expect(await roster.groups.get(id)).toMatchObject({ memberCount: 0 });
  });

  test("are exported as ids or names, as objects or as CSV, and imported again", async () => {
    const { id } = await createTeam(2);
    const [first = 0, second = 0] = userIds;
    const exported = roster.memberships.export({ group: id });
    expect(await collect(exported)).toEqual([
      { group: id, user: first },
      { group: id, user: second },
    ]);
    expect(await new Response(await exported.stream("csv")).text()).toBe(
      `group,user\r\n${id},${first}\r\n${id},${second}\r\n`,
    );
    await roster.users.update(first, { userName: `user-${name}` });
    const named = roster.memberships.export({ group: [id], names: true });
    expect(await collect(named)).toEqual([
      { group: name, user: `user-${name}` },
      { group: name, user: second },
    ]);
    expect(await roster.memberships.import(named).summary()).toMatchObject({ others: 2, failed: 0 });
    expect(await collect(roster.memberships.export({ group: [] }))).toEqual([]);
  });

  test("that are imported from an endless source stop with the signal", async () => {
    const controller = new AbortController();
    const { id } = await createTeam(0);
    let closed = false;
    async function* endless() {
      try {
        for (;;) for (const user of userIds) yield { group: id, user };
      } finally {
        closed = true;
      }
    }
    const error = await failure(
      (async () => {
        for await (const _ of roster.memberships.import(endless(), { signal: controller.signal })) {
          controller.abort("enough");
        }
      })(),
    );
    expect([error, closed]).toEqual(["enough", true]);
  });
});

describe("a key without groups:read", () => {
  test("changes groups and members, but gets no group", async () => {
    const isolated = await startService();
    try {
      // Without keys, every caller on this machine can create one.
      const { key } = await isolated.roster.keys.create({
        name: "admin",
        scopes: ["users:write", "keys:manage", "groups:write", "users:read"],
      });
      const writer = quietClient(isolated.url, { apiKey: key });
      const created = await writer.groups.create({ name });
      expect(await writer.groups.update(created.id, { region: "north" })).toBeUndefined();
      expect(await writer.groups.replace(created.id, { name: `${name} 2` })).toBeUndefined();
      const { id } = await writer.users.create({ name: "Ada" });
      expect(await writer.groups.add(created.id, [id])).toEqual({ added: 1 });
      const refused = writer.groups.members(created.id).all();
      expect((await failureOf(ApiError, refused)).type).toBe("insufficient-scope");
    } finally {
      await isolated.stop();
    }
  });
});

describe("a call that fails for a moment", () => {
  test("is sent again: a change of members without a precondition, and a deletion", async () => {
    skipDelays();
    const changing = await startServer(problem("unavailable"), json({ added: 1, removed: 0 }));
    expect(await quietClient(changing.url).groups.add(7, [1])).toEqual({ added: 1 });
    expect(changing.seen.map(({ method, target }) => `${method} ${target}`)).toEqual(
      Array(2).fill("PATCH /api/groups/7/members"),
    );
    const deleting = await startServer("drop", problem("group-not-found"));
    expect(await quietClient(deleting.url).groups.delete(7)).toBeUndefined();
    const conditional = await startServer("drop", json({ added: 1, removed: 0 }));
    await failure(quietClient(conditional.url).groups.add(7, [1], { ifMatch: 2 }));
    expect(conditional.seen).toHaveLength(1);
  });

  test("throws if the response is not that of a Roster service", async () => {
    const { url } = await startServer(json({ ok: true }));
    const error = await failureOf(ApiError, quietClient(url).groups.add(7, [1]));
    expect(error.message).toContain("the response is not a change of members");
    const exporting = await startServer({
      headers: { "content-type": "application/x-ndjson" },
      body: '{"group":1}\n',
    });
    const lines = collect(quietClient(exporting.url).memberships.export());
    expect((await failureOf(ApiError, lines)).message).toContain("a list of memberships");
  });
});
