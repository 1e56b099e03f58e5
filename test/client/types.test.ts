import { expect, test } from "bun:test";
import { and, field, fieldsOf, groups as groupsOf, not } from "../../src/client/filter.ts";
import {
  type Client,
  createClient,
  type Json,
  type ListOptions,
  type SortField,
  type User,
  type UserInput,
  type UserPatch,
} from "../../src/client/index.ts";
import type * as contractJson from "../../src/contract/json.ts";
import type { columnFields } from "../../src/contract/users/user-fields.ts";
import type { Same } from "./support/types.ts";

// The compiler checks this file. operations.test.ts compares the client's types with the contract.

type Custom = { department: string; level?: number };
const typedField = fieldsOf<Custom>();

type Sorted = SortField | `-${SortField}` | "userName" | "-userName";

const matches: {
  json: Same<Json, contractJson.Json>;
  sort: Same<SortField, (typeof columnFields)[number]>;
  order: Same<Extract<Sorted, NonNullable<ListOptions<unknown>["sort"]>>, Sorted>;
} = { json: true, sort: true, order: true };

const typed: {
  department: Same<User<Custom>["department"], string>;
  level: Same<User<Custom>["level"], number | undefined>;
  open: Same<User["anything"], Json | undefined>;
  created: Same<Awaited<ReturnType<Client<Custom>["users"]["create"]>>, User<Custom>>;
  found: Same<Awaited<ReturnType<Client<Custom>["users"]["find"]>>, User<Custom> | undefined>;
  patch: Same<UserPatch<Custom>["department"], string | null | undefined>;
} = { department: true, level: true, open: true, created: true, found: true, patch: true };

/** Not run: the compiler checks each line. */
async function written({ users }: Client<Custom>, open: Client): Promise<void> {
  await users.create({ name: "Ada", department: "engines" });
  await users.create({ name: "Ada", department: "engines", email: null, level: 1 });
  // @ts-expect-error department is missing
  await users.create({ name: "Ada" });
  // @ts-expect-error name is missing
  await users.create({ department: "engines" });
  // @ts-expect-error a department is a string
  await users.create({ name: "Ada", department: 7 });
  // @ts-expect-error unknown field
  await users.create({ name: "Ada", department: "engines", floor: 3 });
  await users.update(1, { level: null, email: null });
  // @ts-expect-error a name cannot be removed
  await users.update(1, { name: null });
  // @ts-expect-error a department is a string
  await users.update(1, { department: 7 });
  const user = await users.get(1);
  await users.replace(1, user);
  await users.replace(1, { ...user, department: "research" }, { ifUnchanged: user });
  // @ts-expect-error the id is read-only
  user.id = 2;
  user.name = "Ada King";
  // @ts-expect-error a version is a number
  await users.delete(1, { ifMatch: "7" });
  await users.delete(1, { ifMatch: "*" });
  await users.modify(1, (read) => ({ ...read, level: (read.level ?? 0) + 1 }));
  await users.modify(1, async () => undefined);
  users.list({ sort: "department" });
  users.list({
    sort: "-userName",
    filter: typedField("userName").sw("a"),
    fields: ["active", "scim.externalId"],
  });
  // @ts-expect-error a user name is a string
  users.list({ filter: typedField("userName").eq(7) });
  await users.find({ userName: "ada" });
  // @ts-expect-error users are found by email or userName
  await users.find({ department: "engines" });
  users.list({ sort: "-level", filter: 'level ge 3 and department co "x"' });
  // @ts-expect-error unknown sort field
  users.list({ sort: "floor" });
  users.list({ filter: and(typedField("level").ge(3), typedField("department").in(["a", "b"])) });
  // @ts-expect-error a filter is text or a condition
  users.list({ filter: { level: 3 } });
  for await (const part of users.list({ fields: ["name", "department"] })) {
    part.version.toFixed();
    part.department?.toUpperCase();
    // @ts-expect-error the email was not requested
    part.email.toUpperCase();
  }
  // @ts-expect-error unknown field
  users.list({ fields: ["floor"] });
  users.list({ sort: "-createdAt", where: { department: ["engines", "research"], level: 3, active: null } });
  // @ts-expect-error filters do not accept objects
  users.list({ where: { department: { is: "engines" } } });
  for await (const each of users.list()) each.department.toUpperCase();
  const page = await users.list().page({ count: true });
  page.users[0]?.department.toUpperCase();

  const anybody = await open.users.create({ name: "Ada", tags: ["x"], nested: { deep: [1, null] } });
  const tags: Json | undefined = anybody.tags;
  const input: UserInput = { ...anybody, tags: tags ?? null };
  await open.users.replace(anybody.id, input);
  // @ts-expect-error a function is not JSON
  await open.users.create({ name: "Ada", act: () => 1 });
}

/** Not run. */
async function manyWritten({ users }: Client<Custom>, open: Client): Promise<void> {
  for await (const user of users.export({ where: { department: "engines" }, sort: "-name" })) {
    user.department.toUpperCase();
  }
  for await (const { id, name } of users.export({ fields: ["name"], filter: "level pr" })) name?.at(id);
  // @ts-expect-error an export has no pages
  users.export({ limit: 10 });
  // @ts-expect-error unknown format
  await users.export().stream("xlsx");
  const table: ReadableStream<Uint8Array> = await users.export().stream("csv");
  users.import(table, { format: "csv" });
  users.import("name\nAda\n", { format: "csv", idempotencyKey: "x", timeout: 1000 });
  users.import(new Blob([]));
  users.import([{ name: "Ada", department: "engines" }]);
  // @ts-expect-error department is missing
  users.import([{ name: "Ada" }]);
  users.import(users.export());
  for await (const outcome of open.users.import([{ name: "Ada", tags: ["x"] }])) {
    if (outcome.problem) outcome.problem.detail.trim();
    else outcome.id?.toFixed();
    // @ts-expect-error a failed line has no id
    outcome.id.toFixed();
  }
  const { created, failures } = await open.users.import([]).summary({ max: 3 });
  failures[created]?.problem.errors?.length.toFixed();
}

interface Person {
  department: string;
  level?: number;
  plan: "free" | "pro";
  active: boolean;
  tags: string[];
  address?: { city: string; geo: { lat: number } };
  phones: { type: string; value: string }[];
  extra: Json;
}
const person = fieldsOf<Person>();

/** Not run. */
function filtersWritten(): void {
  person("level").ge(3);
  person("level").eq(null);
  person("plan").eq("pro");
  person("tags").eq("vip");
  person("address.geo.lat").lt(60);
  person("phones.value").sw("+47");
  person("extra.anything.at.all").eq(true);
  person(["extra", "a.b"]).eq(1);
  person("createdAt").ge(new Date());
  person("phones")
    .where((phone) => phone("type").eq("work"))
    .field("value")
    .sw("+47");
  field("any.thing").eq(1);
  // @ts-expect-error a level is a number
  person("level").eq("3");
  // @ts-expect-error there is no such plan
  person("plan").eq("gold");
  // @ts-expect-error a boolean has no order
  person("active").gt(true);
  // @ts-expect-error unknown field
  person("levels");
  // @ts-expect-error unknown member
  person("address.zip");
  // @ts-expect-error unknown member of an element
  person("phones").where((phone) => phone("kind").eq("work"));
  // @ts-expect-error at least one condition
  and();
}

/** Not run. */
async function groupsWritten({ groups, users, memberships, deletedUsers, events }: Client<Custom>) {
  const group = await groups.create({ name: "Sales", region: "north", tags: [1] });
  // @ts-expect-error name is missing
  await groups.create({ region: "north" });
  // @ts-expect-error a name cannot be removed
  await groups.update(1, { name: null });
  // @ts-expect-error the service counts the members
  group.memberCount = 2;
  await groups.replace(group.id, group, { ifUnchanged: group });
  await groups.find({ name: "Sales" });
  // @ts-expect-error groups have no email to be found by
  await groups.find({ email: "ada@example.com" });
  // @ts-expect-error a group cannot be purged
  await groups.delete(1, { purge: true });
  (await groups.list({ sort: "-memberCount" }).page()).groups[0]?.memberCount.toFixed();
  for await (const { id, memberCount } of groups.list({ fields: ["memberCount"] })) memberCount?.toFixed(id);
  // @ts-expect-error groups are not listed by group
  groups.list({ group: 7 });
  groups.import([{ name: "Sales" }], { match: "id" });
  // @ts-expect-error groups are found by name or id
  groups.import([{ name: "Sales" }], { match: "email" });
  const { added } = await groups.add(1, [1, "2"], { ifUnchanged: group });
  const { removed } = await groups.remove(1, [added]);
  for await (const member of groups.members(removed, { sort: "-level" })) member.department.toUpperCase();
  // @ts-expect-error unknown sort field
  groups.members(1, { sort: "floor" });
  (await groups.members(1).page({ count: true })).users[0]?.department.toUpperCase();
  for await (const { memberCount } of users.groups(1)) memberCount.toFixed();
  memberships.import([{ group: "Sales", user: 1 }], { remove: true });
  // @ts-expect-error a membership has a user
  memberships.import([{ group: "Sales" }]);
  // @ts-expect-error memberships are not updated
  memberships.import([], { onConflict: "update" });
  for await (const { user } of memberships.export({ group: [1, 2], names: true })) String(user);
  users.bulk({ filter: groupsOf.eq(1), addToGroup: 2 });
  // @ts-expect-error one change
  users.bulk({ ids: [1], addToGroup: 2, removeFromGroup: 3 });

  const filter = and(groupsOf.eq(7), not(groupsOf.name.eq("Sales")), typedField("level").ge(3));
  users.list({ filter, group: [1, "2"] });
  users.export({ filter, group: 1 });
  groups.members(1, { filter });
  groups.list({ filter: field("region").eq("north") });
  // @ts-expect-error only users are in groups
  groups.list({ filter });
  // @ts-expect-error deleted users are in no group
  deletedUsers.list({ filter });
  // @ts-expect-error an id is a number
  groupsOf.eq("7");
  // @ts-expect-error names have no order
  groupsOf.name.gt("A");

  for await (const event of events.list()) {
    if (event.type === "group.members_changed") event.changes.members.added[0]?.toFixed();
    else if (event.type === "group.updated") event.changes.region?.from;
    // @ts-expect-error only for changes of members
    if (event.type === "group.updated") event.changes.members.added.length;
  }
}

/** Not run. */
async function keysWritten({ keys }: Client): Promise<void> {
  const { id, key } = await keys.create({ name: "ci", scopes: ["users:read"] });
  await keys.create({ name: key, scopes: ["users:read", "keys:manage"], expiresAt: null, quota: 1000 });
  // @ts-expect-error scopes are missing
  await keys.create({ name: "ci" });
  // @ts-expect-error unknown scope
  await keys.create({ name: "ci", scopes: ["users:delete"] });
  // @ts-expect-error seconds are missing
  await keys.create({ name: "ci", scopes: ["users:read"], rateLimit: { requests: 10 } });
  // @ts-expect-error graceSeconds is only for replace
  await keys.create({ name: "ci", scopes: ["users:read"], replaces: 7 });
  await keys.replace(id, { graceSeconds: 3600, quota: null });
  // @ts-expect-error graceSeconds is required
  await keys.replace(id, { name: "ci" });
  const read = await keys.get(id);
  // @ts-expect-error only a new key has a secret
  read.key;
  // @ts-expect-error keys cannot be changed
  read.name = "cd";
  for await (const each of keys.list({ limit: 10 })) each.scopes.includes("users:read");
  (await keys.list().page()).keys[0]?.usage.requests.toFixed();
  // @ts-expect-error keys have no count
  await keys.list().page({ count: true });
  // @ts-expect-error keys have no sort option
  keys.list({ sort: "name" });
}

test("the client's types include custom fields", () => {
  expect(Object.values({ ...matches, ...typed })).not.toContain(false);
  expect([written, manyWritten, filtersWritten, groupsWritten, keysWritten]).toEqual(
    Array(5).fill(expect.any(Function)),
  );
  expect(createClient<Custom>()).toHaveProperty("users");
  expect(createClient<Custom>()).toHaveProperty("groups");
  expect(createClient<Custom>()).toHaveProperty("webhooks");
  expect(createClient<Custom>()).toHaveProperty("keys");
});
