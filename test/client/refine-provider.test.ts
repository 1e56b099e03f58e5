import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CrudFilter, DataProvider } from "@refinedev/core";
import { createDataProvider } from "../../src/client/admin/refine.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
/** refine's own type: a type error here means that refine would not accept the data provider. */
let provider: DataProvider;
const resource = "users";

beforeAll(async () => {
  service = await startService();
  const people = Array.from({ length: 45 }, (_, index) => ({
    name: `User ${String(index + 1).padStart(2, "0")}`,
    department: index < 3 ? "sales" : "engines",
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

test("getList searches by q, filters by eq and in, and names the operators that it lacks", async () => {
  expect(ids(await filtered({ field: "q", operator: "contains", value: "user 07" }))).toEqual([7]);
  expect(ids(await filtered({ field: "department", operator: "eq", value: "sales" }))).toEqual([1, 2, 3]);
  expect(ids(await filtered({ field: "id", operator: "in", value: [5, 4] }))).toEqual([4, 5]);
  expect(ids(await filtered({ field: "department", operator: "eq", value: "" }))).toHaveLength(10);
  expect(filtered({ field: "level", operator: "gt", value: 3 })).rejects.toThrow(
    "The filter operator gt is not supported. Use eq or in, or the field q to search.",
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
