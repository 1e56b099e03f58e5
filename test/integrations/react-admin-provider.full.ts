import { afterAll, beforeAll, expect, test } from "bun:test";
import type { DataProvider } from "react-admin";
import { createDataProvider } from "../../src/client/admin/react-admin.ts";
import { createClient } from "../../src/client/index.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";

let service: TestService;
/** react-admin's own type: a type error here means that react-admin would not accept the data provider. */
let provider: DataProvider;
const USERS = 10_060;

beforeAll(async () => {
  service = await startService({ rateLimit: 0 });
  const people = Array.from({ length: USERS }, (_, index) => ({
    name: `User ${String(index + 1).padStart(5, "0")}`,
    department: index < 3 ? "sales" : "engines",
    level: index + 1,
    ...(index === 1 && { address: { city: "Oslo" } }),
    ...(index === 2 && { tags: ["a", "b"] }),
    ...(index === 3 && { tags: ["c"] }),
  }));
  await service.roster.users.import(people).summary();
  provider = createDataProvider(service.roster);
}, 120_000);
afterAll(() => service.stop());

const list = (page: number, options: object = {}) =>
  provider.getList("users", {
    pagination: { page, perPage: 20 },
    sort: { field: "id", order: "ASC" },
    ...options,
  });
const ids = ({ data }: { data: { id: number }[] }) => data.map(({ id }) => id);

test("getList returns a page, and whether there are pages before and after it", async () => {
  const first = await list(1);
  expect(ids(first)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(first.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false });
  const last = await list(USERS / 20);
  expect(ids(last).at(-1)).toBe(USERS);
  expect(last.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true });
  expect((await list(USERS / 20 + 1)).data).toEqual([]);
});

test("getList gives the total where it is known, and never asks for an expensive count", async () => {
  const requested: URL[] = [];
  const client = createClient({
    baseUrl: service.url,
    fetch: (request) => {
      requested.push(new URL(request instanceof Request ? request.url : request));
      return fetch(request);
    },
  });
  const observed: DataProvider = createDataProvider(client);
  const totalOf = async (page: number, filter: object) => {
    const params = {
      pagination: { page, perPage: 20 },
      sort: { field: "id", order: "ASC" },
      filter,
    } as const;
    const { data, total } = await observed.getList("users", params);
    return [data.length, total];
  };
  const { total } = await service.roster.users.list().page({ count: true });
  expect(await totalOf(1, {})).toEqual([20, total?.count]);
  expect(await totalOf(2, {})).toEqual([20, total?.count]);
  expect(await totalOf(500, { q: "user 0001" })).toEqual([0, 12]);
  expect(await totalOf(1, { department: "sales" })).toEqual([3, 3]);
  expect(await totalOf(1, { department: "none" })).toEqual([0, 0]);
  expect(requested.filter(({ searchParams }) => searchParams.get("count") !== "true")).toEqual([]);
  // Far after the end.
  expect(await totalOf(1000, { q: "user 0001" })).toEqual([0, 12]);

  requested.length = 0;
  const filter = { level_lte: 45 };
  expect(await totalOf(1, filter)).toEqual([20, undefined]);
  expect(await totalOf(2, filter)).toEqual([20, undefined]);
  expect(await totalOf(3, filter)).toEqual([5, 45]);
  expect(await totalOf(4, filter)).toEqual([0, undefined]);
  expect(await totalOf(1, { level_lte: 0 })).toEqual([0, 0]);
  expect(requested.filter(({ searchParams }) => searchParams.has("count"))).toEqual([]);
});

test("the total of getList follows creations and deletions", async () => {
  const total = async () => (await list(1, { filter: { team: "short" } })).total;
  for (const name of ["a", "b", "c"]) {
    await provider.create("users", { data: { name, team: "short", department: "engines" } });
  }
  expect(await total()).toBe(3);
  const { data } = await list(1, { filter: { team: "short" } });
  await provider.delete("users", { id: data[0]?.id });
  expect(await total()).toBe(2);
  await provider.deleteMany("users", { ids: data.slice(1).map(({ id }) => id) });
  expect(await total()).toBe(0);
});

test("getList continues by cursor: a user deleted on an earlier page moves no user between pages", async () => {
  const { data } = await list(3);
  const { id } = await service.roster.users.create({ name: "Temporary" });
  const newestFirst = { sort: { field: "id", order: "DESC" } };
  await list(1, newestFirst);
  const expected = await list(2, newestFirst);
  await service.roster.users.delete(id);
  expect(ids(await list(2, newestFirst))).toEqual(ids(expected));
  expect((await list(3)).data).toEqual(data);
});

test("getList searches by q, and filters by all other fields", async () => {
  expect(ids(await list(1, { filter: { q: "user 00007" } }))).toEqual([7]);
  expect(ids(await list(1, { filter: { department: "sales" } }))).toEqual([1, 2, 3]);
  expect(ids(await list(1, { filter: { id: [5, 4] } }))).toEqual([4, 5]);
});

test.each<[object, number[]]>([
  [{ level_gte: 10_059 }, [10_059, 10_060]],
  [{ level_gt: 10_059 }, [10_060]],
  [{ level_lte: 2, level_gt: 1 }, [2]],
  [{ level_lt: 2 }, [1]],
  [{ level_neq: 1, department: "sales" }, [2, 3]],
  [{ department_eq: "SALES" }, [1, 2, 3]],
  [{ department_eq_any: ["sales", "none"] }, [1, 2, 3]],
  [{ department_neq_any: ["engines", "none"] }, [1, 2, 3]],
  [{ name_q: "R 00007" }, [7]],
  [{ address: { city: "oslo" } }, [2]],
  [{ address: { city_like: "SL" } }, [2]],
  [{ "address.city": "Oslo" }, [2]],
  [{ tags_inc: ["a", "b"] }, [3]],
  [{ tags_inc_any: ["a", "c"] }, [3, 4]],
  [{ tags_ninc_any: ["b"], level_lt: 5 }, [1, 2, 4]],
])("getList filters by operators: %j", async (filter, expected) => {
  expect(ids(await list(1, { filter }))).toEqual(expected);
});

test("getList sorts by custom fields, on all pages, also with a filter", async () => {
  const sorted = { sort: { field: "level", order: "DESC" } };
  expect(ids(await list(2, sorted))[0]).toBe(USERS - 20);
  for (const level of [1000, 2000]) {
    const filter = { level_lt: level };
    expect(ids(await list(1, { ...sorted, filter }))[0]).toBe(level - 1);
    expect(ids(await list(2, { ...sorted, filter }))[0]).toBe(level - 21);
  }
});

test("getList rejects a value that no field can have", async () => {
  expect(list(1, { filter: { level_gt: true } })).rejects.toThrow(
    "Filter by text, numbers, dates, true, false or null.",
  );
});

test("getManyReference lists the users that refer to a record", async () => {
  const params = { target: "department", id: "sales", filter: { q: "00002" } };
  const { data } = await provider.getManyReference("users", {
    ...params,
    pagination: { page: 1, perPage: 5 },
    sort: { field: "name", order: "DESC" },
  });
  expect(data.map(({ id }) => id)).toEqual([2]);
});

test("getOne and getMany read users by id, also from text, in the order of the ids", async () => {
  expect((await provider.getOne("users", { id: "2" })).data).toMatchObject({ id: 2, name: "User 00002" });
  const many = [...Array.from({ length: 150 }, (_, index) => index + 1).reverse(), 999_999];
  expect((await provider.getMany("users", { ids: many })).data.map(({ id }) => id)).toEqual(
    many.slice(0, 150),
  );
});

test("update sends only the changed fields, and only if nobody else has changed the user", async () => {
  const { data: user } = await provider.create("users", { data: { name: "Ada", level: 1, note: "x" } });
  await service.roster.users.update(user.id, { level: 2 });
  const stale = provider.update("users", { id: user.id, data: { ...user, name: "Eve" }, previousData: user });
  expect(await stale.catch((error) => error)).toMatchObject({ status: 412, body: { errors: {} } });
  const { data: current } = await provider.getOne("users", { id: user.id });
  const changed = { ...current, name: "Eve", note: null };
  const { data } = await provider.update("users", { id: user.id, data: changed, previousData: current });
  expect(data).toMatchObject({ name: "Eve", level: 2, version: 3 });
  expect(data).not.toHaveProperty("note");
});

test("errors have the status, and a message for each field of a form", async () => {
  const failed = provider.create("users", { data: { name: "", email: "no address" } });
  const error = await failed.catch((reason) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ status: 422, body: { errors: { name: "A name is required." } } });
  expect(Object.keys(error.body.errors)).toEqual(["name", "email"]);
});

test("delete removes a user, and returns it", async () => {
  const { data: user } = await provider.create("users", { data: { name: "Gone" } });
  expect(await provider.delete("users", { id: user.id, previousData: user })).toEqual({ data: user });
  expect(await provider.getOne("users", { id: user.id }).catch(({ status }) => status)).toBe(404);
});

test("updateMany and deleteMany change all users in one call, and say how many failed", async () => {
  const created = await Promise.all(
    ["a", "b"].map((name) => provider.create("users", { data: { name, email: `${name}@many.example` } })),
  );
  const many = created.map(({ data }) => data.id);
  expect(await provider.updateMany("users", { ids: many, data: { plan: "pro" } })).toEqual({ data: many });
  expect((await provider.getMany("users", { ids: many })).data).toMatchObject([
    { plan: "pro" },
    { plan: "pro" },
  ]);
  const failed = provider.updateMany("users", { ids: [...many, 999_999], data: { plan: "free" } });
  expect(await failed.catch((error) => error)).toMatchObject({
    status: 404,
    message: "1 of 3 users could not be changed. There is no user 999999.",
  });
  expect(await provider.deleteMany("users", { ids: many })).toEqual({ data: many });
  expect((await provider.getMany("users", { ids: many })).data).toEqual([]);
});

test("groups are a resource with lists, forms and changes of several at once", async () => {
  const { data: sales } = await provider.create("groups", { data: { name: "Sales", site: "Oslo" } });
  const { data: lab } = await provider.create("groups", { data: { name: "Lab", site: "Oslo" } });
  const groups = (filter: object, field = "name") =>
    provider.getList("groups", {
      pagination: { page: 1, perPage: 10 },
      sort: { field, order: "DESC" },
      filter,
    });
  expect(await groups({ site: "Oslo" })).toMatchObject({
    data: [{ name: "Sales" }, { name: "Lab" }],
    total: 2,
  });
  expect(ids(await groups({ q: "lab" }))).toEqual([lab.id]);
  await service.roster.groups.add(lab.id, [1, 2, 3]);
  expect(ids(await groups({ memberCount_gte: 0 }, "memberCount"))).toEqual([lab.id, sales.id]);
  const { data: current } = await provider.getOne("groups", { id: lab.id });
  const { data: renamed } = await provider.update("groups", {
    id: lab.id,
    data: { ...current, name: "Laboratory" },
    previousData: current,
  });
  expect(renamed).toMatchObject({ name: "Laboratory", memberCount: 3 });
  const taken = provider.update("groups", { id: lab.id, data: { name: "SALES" }, previousData: renamed });
  expect(await taken.catch(({ body, status }) => ({ body, status }))).toMatchObject({
    status: 409,
    body: { errors: { name: expect.any(String) } },
  });
  const many = [sales.id, lab.id];
  expect(await provider.updateMany("groups", { ids: many, data: { site: "Bergen" } })).toEqual({
    data: many,
  });
  expect((await provider.getMany("groups", { ids: many })).data).toMatchObject([
    { site: "Bergen" },
    { site: "Bergen" },
  ]);
  const failed = provider.deleteMany("groups", { ids: [sales.id, 999_999] });
  expect(await failed.catch((error) => error)).toMatchObject({
    status: 404,
    message: "1 of 2 groups could not be changed. There is no group 999999.",
  });
  await provider.delete("groups", { id: lab.id, previousData: renamed });
  expect((await groups({})).data).toEqual([]);
});

test("getManyReference lists the members of a group, and the groups of a user", async () => {
  const { data: group } = await provider.create("groups", { data: { name: "Committee" } });
  const { data: other } = await provider.create("groups", { data: { name: "Choir" } });
  await service.roster.groups.add(group.id, [5, 6, 7]);
  await service.roster.groups.add(other.id, [7]);
  const page = { pagination: { page: 1, perPage: 2 }, sort: { field: "id", order: "DESC" } } as const;
  const members = { ...page, target: "group", id: group.id, filter: {} };
  expect(await provider.getManyReference("users", members)).toMatchObject({
    data: [{ id: 7 }, { id: 6 }],
    total: 3,
  });
  const second = { ...members, pagination: { page: 2, perPage: 2 } };
  expect(ids(await provider.getManyReference("users", second))).toEqual([5]);
  const groups = { ...page, target: "user", id: 7, filter: {} };
  expect(ids(await provider.getManyReference("groups", groups))).toEqual([other.id, group.id]);
  const found = { ...groups, filter: { q: "choir" } };
  expect(ids(await provider.getManyReference("groups", found))).toEqual([other.id]);
  await provider.deleteMany("groups", { ids: [group.id, other.id] });
});

test("an unknown resource is rejected with a message that says what is possible", async () => {
  expect(provider.getOne("posts", { id: 1 })).rejects.toThrow(
    'The Roster data provider has the resources "users" and "groups", and not "posts".',
  );
});

test("subscribe calls back after changes of any user or of one, until unsubscribe", async () => {
  const { subscribe, unsubscribe } = createDataProvider(service.roster);
  type LiveEvent = Parameters<Parameters<typeof subscribe>[1]>[0];
  const received: Record<string, LiveEvent[]> = {
    "resource/users": [],
    "resource/users/7": [],
    "resource/groups": [],
    "lock/users/7": [],
  };
  const subscriptions = Object.entries(received).map(
    ([topic, events]) => [topic, (event: LiveEvent) => void events.push(event)] as const,
  );
  for (const [topic, callback] of subscriptions) await subscribe(topic, callback);
  // Until the provider follows, a change has no effect.
  await until(async () => {
    await service.roster.users.update(7, { mark: Math.random() });
    return received["resource/users/7"]?.length;
  });
  const { id } = await service.roster.users.create({ name: "Live" });
  await until(() => received["resource/users"]?.some(({ type }) => type === "created"));
  expect(received["resource/users"]).toContainEqual({ type: "created", payload: { ids: [id] } });
  expect(received["resource/users/7"]?.every(({ payload }) => payload.ids.join() === "7")).toBe(true);
  expect(received["lock/users/7"]).toEqual([]);
  expect(received["resource/groups"]).toEqual([]);
  const group = await service.roster.groups.create({ name: "Live" });
  await until(() => received["resource/groups"]?.some(({ type }) => type === "created"));
  // A list of members changes too.
  await service.roster.groups.add(group.id, [id, 7]);
  await until(() => received["resource/groups"]?.some(({ type }) => type === "updated"));
  expect(received["resource/users"]?.at(-1)).toEqual({ type: "updated", payload: { ids: [id, 7] } });
  await service.roster.groups.delete(group.id);
  await until(() => received["resource/groups"]?.some(({ type }) => type === "deleted"));
  expect(received["resource/groups"]?.every(({ payload }) => payload.ids.join() === `${group.id}`)).toBe(
    true,
  );
  for (const [topic, callback] of subscriptions) await unsubscribe(topic, callback);
});
