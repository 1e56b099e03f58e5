import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CrudFilter, CrudOperators, DataProvider, LiveEvent, LiveProvider } from "@refinedev/core";
import { createDataProvider, createLiveProvider } from "../../src/client/admin/refine.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";

let service: TestService;
/** refine's own type: a type error here means that refine would not accept the data provider. */
let provider: DataProvider;
const resource = "users";

beforeAll(async () => {
  service = await startService();
  const people = Array.from({ length: 45 }, (_, index) => ({
    name: `User ${String(index + 1).padStart(2, "0")}`,
    department: index < 3 ? "sales" : "engines",
    level: index + 1,
    tags: [...(index % 2 === 1 ? ["even"] : []), ...(index % 3 === 2 ? ["three"] : [])],
    ...(index === 1 && { manager: { name: "Ada" } }),
  }));
  await service.roster.users.import(people).summary();
  provider = createDataProvider(service.roster);
});
afterAll(() => service.stop());

const ids = ({ data }: { data: { id?: unknown }[] }) => data.map(({ id }) => id);
const filtered = (...filters: CrudFilter[]) => provider.getList({ resource, filters });

test("getList returns a page and the total number of users", async () => {
  const page = await provider.getList({ resource, pagination: { currentPage: 2, pageSize: 20 } });
  expect(ids(page)).toEqual(Array.from({ length: 20 }, (_, index) => index + 21));
  expect(page.total).toBe(45);
  const sorters = [{ field: "name", order: "desc" as const }];
  expect(ids(await provider.getList({ resource, sorters, pagination: { pageSize: 2 } }))).toEqual([45, 44]);
});

test("getList gives the total after the last page, and far after it", async () => {
  for (const currentPage of [4, 1000]) {
    const page = await provider.getList({ resource, pagination: { currentPage, pageSize: 20 } });
    expect(page).toMatchObject({ data: [], total: 45 });
  }
});

test("getList gives infinite lists a cursor, and reads the page after a cursor", async () => {
  const first = await provider.getList({ resource, pagination: { pageSize: 40 } });
  // Infinite lists pass the cursor as the page.
  const pagination = { currentPage: first.cursor.next, pageSize: 40 };
  const second = await provider.getList({ resource, pagination });
  expect(ids(second)).toEqual([41, 42, 43, 44, 45]);
  expect(second).not.toHaveProperty("cursor");
});

test("getList without pages returns all users", async () => {
  expect((await provider.getList({ resource, pagination: { mode: "off" } })).data).toHaveLength(45);
});

test("getList searches by q and filters by eq and in", async () => {
  expect(ids(await filtered({ field: "q", operator: "contains", value: "user 07" }))).toEqual([7]);
  expect(ids(await filtered({ field: "department", operator: "eq", value: "sales" }))).toEqual([1, 2, 3]);
  expect(ids(await filtered({ field: "id", operator: "in", value: [5, 4] }))).toEqual([4, 5]);
  expect(ids(await filtered({ field: "department", operator: "eq", value: "" }))).toHaveLength(10);
});

test.each<[CrudOperators, string, unknown, number[]]>([
  ["ne", "department", "engines", [1, 2, 3]],
  ["lt", "level", 3, [1, 2]],
  ["lte", "level", 2, [1, 2]],
  ["gt", "level", 43, [44, 45]],
  ["gte", "level", 44, [44, 45]],
  ["between", "level", [4, 5], [4, 5]],
  ["between", "level", [44, ""], [44, 45]],
  ["nbetween", "level", [2, 44], [1, 45]],
  ["nin", "department", ["engines", "none"], [1, 2, 3]],
  ["ina", "tags", ["even", "three"], [6, 12, 18, 24, 30, 36, 42]],
  ["contains", "name", "R 07", [7]],
  ["ncontains", "department", "gin", [1, 2, 3]],
  ["startswith", "name", "user 4", [40, 41, 42, 43, 44, 45]],
  ["endswith", "name", " 10", [10]],
  ["nnull", "manager", true, [2]],
  ["eq", "manager.name", "ada", [2]],
])("getList filters by %s", async (operator, field, value, expected) => {
  if (operator === "or" || operator === "and") throw new Error("This operator has no field.");
  const pagination = { pageSize: 50 };
  const page = await provider.getList({ resource, filters: [{ field, operator, value }], pagination });
  expect(ids(page)).toEqual(expected);
  expect(page.total).toBe(expected.length);
});

test("getList combines filters by and, or and several filters of one field", async () => {
  const or: CrudFilter = {
    operator: "or",
    value: [
      { field: "level", operator: "lt", value: 2 },
      {
        operator: "and",
        value: [
          { field: "level", operator: "gte", value: 44 },
          { field: "name", operator: "endswith", value: "5" },
        ],
      },
    ],
  };
  expect(ids(await filtered(or))).toEqual([1, 45]);
  expect(ids(await filtered(or, { field: "department", operator: "eq", value: "sales" }))).toEqual([1]);
  const tag = (value: string): CrudFilter => ({ field: "tags", operator: "eq", value });
  expect(ids(await filtered(tag("even"), tag("three"))).slice(0, 2)).toEqual([6, 12]);
  expect(
    await provider.getList({ resource, filters: [{ field: "manager", operator: "null", value: true }] }),
  ).toMatchObject({
    total: 44,
  });
});

test("getList sorts by custom fields", async () => {
  const sorters = [{ field: "level", order: "desc" as const }];
  expect(ids(await provider.getList({ resource, sorters, pagination: { pageSize: 2 } }))).toEqual([45, 44]);
});

test("getList names the operators that it lacks", async () => {
  expect(filtered({ field: "name", operator: "containss", value: "A" })).rejects.toThrow(
    "The filter operator containss is not supported. Use eq, in, ina, ",
  );
});

test("update fails if another caller has changed the user since it was read", async () => {
  const { data: user } = await provider.create({ resource, variables: { name: "Ada", level: 1 } });
  await provider.getOne({ resource, id: user.id ?? 0 });
  await service.roster.users.update(Number(user.id), { level: 2 });
  const update = () => provider.update({ resource, id: user.id ?? 0, variables: { name: "Eve" } });
  expect(await update().catch((error) => error)).toMatchObject({ statusCode: 412, errors: {} });
  await provider.getOne({ resource, id: user.id ?? 0 });
  expect((await update()).data).toMatchObject({ name: "Eve", level: 2, version: 3 });
  // A form can name the version itself.
  const stale = provider.update({
    resource,
    id: user.id ?? 0,
    variables: { name: "Ida" },
    meta: { version: 2 },
  });
  expect(await stale.catch(({ statusCode }) => statusCode)).toBe(412);
});

test("two updates by the same page succeed one after the other", async () => {
  const { data: user } = await provider.create({ resource, variables: { name: "Ada" } });
  for (const name of ["Bea", "Cleo"]) {
    expect((await provider.update({ resource, id: user.id ?? 0, variables: { name } })).data).toMatchObject({
      name,
    });
  }
});

test("errors have the status, and a message for each field by its name in the form", async () => {
  const error = await provider.create({ resource, variables: { email: "x" } }).catch((reason) => reason);
  expect(error).toMatchObject({
    statusCode: 422,
    errors: { name: "A name is required.", email: expect.any(String) },
  });
});

test("updateMany and deleteMany change several users", async () => {
  const created = await Promise.all(
    ["a", "b"].map((name) => provider.create({ resource, variables: { name } })),
  );
  const many = created.map(({ data }) => data.id ?? 0);
  const params = { resource, ids: many };
  const { data } = (await provider.updateMany?.({ ...params, variables: { plan: "pro" } })) ?? { data: [] };
  expect(data).toMatchObject([{ plan: "pro" }, { plan: "pro" }]);
  expect(ids((await provider.deleteMany?.(params)) ?? { data: [] })).toEqual(many);
  expect((await provider.getMany?.(params))?.data).toEqual([]);
  await provider.deleteOne({ resource, id: 45 });
  expect((await provider.getMany?.({ resource, ids: [44, 45] }))?.data).toMatchObject([{ id: 44 }]);
});

test("groups are a resource, with their members and the groups of a user", async () => {
  const groups = { resource: "groups" };
  const { data: sales } = await provider.create({ ...groups, variables: { name: "Sales" } });
  const { data: choir } = await provider.create({ ...groups, variables: { name: "Choir" } });
  const [salesId, choirId] = [Number(sales.id), Number(choir.id)];
  await service.roster.groups.add(salesId, [1, 2]);
  await service.roster.groups.add(choirId, [2]);
  const sorters = [{ field: "memberCount", order: "desc" } as const];
  expect(ids(await provider.getList({ ...groups, sorters }))).toEqual([salesId, choirId]);
  const filters = [{ field: "group", operator: "eq", value: salesId } as const];
  expect(await provider.getList({ resource, filters })).toMatchObject({
    data: [{ id: 1 }, { id: 2 }],
    total: 2,
  });
  expect(ids(await provider.getList({ ...groups, meta: { user: 1 } }))).toEqual([salesId]);
  const all = { mode: "off" } as const;
  expect(ids(await provider.getList({ ...groups, meta: { user: 2 }, pagination: all }))).toEqual([
    salesId,
    choirId,
  ]);
  // A version of user 1 says nothing about group 1.
  await provider.getOne({ resource, id: salesId });
  await provider.getOne({ ...groups, id: salesId });
  await service.roster.groups.update(salesId, { site: "Oslo" });
  const renamed = provider.update({ ...groups, id: salesId, variables: { name: "Trade" } });
  expect(await renamed.catch(({ statusCode }) => statusCode)).toBe(412);
  await provider.getOne({ ...groups, id: salesId });
  expect(await provider.update({ ...groups, id: salesId, variables: { name: "Trade" } })).toMatchObject({
    data: { name: "Trade", site: "Oslo" },
  });
  await provider.deleteOne({ ...groups, id: salesId });
  await provider.deleteMany?.({ ...groups, ids: [choirId] });
  expect((await provider.getList(groups)).data).toEqual([]);
});

test("the live provider tells subscribers about changes, by type and id, until they unsubscribe", async () => {
  // refine's own type, as above.
  const live: LiveProvider = createLiveProvider(service.roster);
  const received: Record<string, LiveEvent[]> = { all: [], created: [], one: [], other: [] };
  const subscribe = (name: string, types: string[], params = {}, channel = "resources/users") =>
    live.subscribe({ channel, types, params, callback: (event) => received[name]?.push(event) });
  const subscriptions = [
    subscribe("all", ["*"]),
    subscribe("created", ["created"]),
    subscribe("one", ["*"], { ids: ["7"] }),
    subscribe("other", ["*"], {}, "resources/groups"),
  ];
  // Until the provider follows, a change has no effect.
  await until(async () => {
    await service.roster.users.update(7, { mark: Math.random() });
    return (received.all?.length ?? 0) > 0;
  });
  const { id } = await service.roster.users.create({ name: "Live" });
  await service.roster.users.delete(id);
  await until(() => received.all?.some(({ type }) => type === "deleted"));
  expect(received.all?.at(-1)).toEqual({
    channel: "resources/users",
    type: "deleted",
    payload: { ids: [id] },
    date: expect.any(Date),
  });
  expect(received.created?.map(({ payload }) => payload.ids)).toEqual([[id]]);
  expect(new Set(received.one?.flatMap(({ payload }) => payload.ids))).toEqual(new Set([7]));
  expect(received.other).toEqual([]);
  const [all, ...others] = subscriptions;
  live.unsubscribe(all);
  const [count, known = 0] = [received.all?.length, received.one?.length];
  await service.roster.users.update(7, { mark: "last" });
  await until(() => (received.one?.length ?? 0) > known);
  expect(received.all).toHaveLength(count ?? 0);
  for (const subscription of others) live.unsubscribe(subscription);
});
