import { expect, test } from "bun:test";
import { and, field, fieldsOf } from "../../src/client/filter.ts";
import {
  type Client,
  type CreatedKey,
  type CreatedLine,
  createClient,
  type FailedLine,
  type ImportedLine,
  type Key,
  type KeyInput,
  type KeyReplacement,
  type ListOptions,
  type Problem,
  type RateLimit,
  type Scope,
  type SortField,
  type User,
  type UserInput,
  type UserPatch,
  type Webhook,
  type WebhookInput,
  type WebhookWithSecret,
} from "../../src/client/index.ts";
import type { Json } from "../../src/client/types.ts";
import type * as bulk from "../../src/contract/bulk/bulk-schemas.ts";
import type * as contractJson from "../../src/contract/json.ts";
import type { Scope as ContractScope } from "../../src/contract/keys/key.ts";
import type * as keys from "../../src/contract/keys/key-schemas.ts";
import type { ProblemDocument } from "../../src/contract/problems.ts";
import type { columnFields } from "../../src/contract/users/user-fields.ts";
import type { User as ContractUser } from "../../src/contract/users/user-schemas.ts";
import type * as hooks from "../../src/contract/webhooks/webhook-schemas.ts";

// The compiler checks this file: the client declares its own types, which must match the contract.

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Ignores readonly, which the contract does not have. */
type Writable<T> = T extends string | number | boolean | null | undefined
  ? T
  : { -readonly [Key in keyof T]: Writable<T[Key]> };
type Plain<T> = { [Key in keyof T]: T[Key] };

type Custom = { department: string; level?: number };
const typedField = fieldsOf<Custom>();

const matches: {
  user: Same<Plain<Writable<User<unknown>>>, Plain<ContractUser>>;
  json: Same<Json, contractJson.Json>;
  problem: Same<Writable<Problem>, ProblemDocument>;
  sort: Same<SortField, (typeof columnFields)[number]>;
  order: Same<NonNullable<ListOptions<unknown>["sort"]>, SortField | `-${SortField}`>;
  key: Same<Plain<Writable<Key>>, keys.Key>;
  newKey: Same<Plain<Writable<CreatedKey>>, keys.CreatedKey>;
  /** The contract has one body for new and replaced keys; the client has two types. */
  keyInput: Same<Partial<Writable<KeyInput>>, Omit<keys.KeyInput, "replaces" | "graceSeconds">>;
  replacement: Same<Plain<Partial<Writable<KeyReplacement>> & { replaces?: number }>, Plain<keys.KeyInput>>;
  webhook: Same<Plain<Writable<Webhook>>, hooks.Webhook>;
  webhookWithSecret: Same<Plain<Writable<WebhookWithSecret>>, hooks.WebhookWithSecret>;
  /** The client knows the patterns of types. */
  webhookInput: Writable<WebhookInput> extends hooks.WebhookInput ? true : false;
  webhookPatch: Partial<Writable<WebhookInput>> extends hooks.WebhookPatch ? true : false;
  scope: Same<Scope, ContractScope>;
  rate: Same<Writable<RateLimit>, keys.RateLimit>;
  /** The contract has one type for all results of lines; the client has two types. */
  outcome: Same<
    Plain<
      Writable<
        Pick<CreatedLine, "line" | "status"> & Partial<Pick<CreatedLine, "id"> & Pick<FailedLine, "problem">>
      >
    >,
    bulk.ImportLineResult
  >;
  eitherOutcome: Writable<ImportedLine> extends bulk.ImportLineResult ? true : false;
} = {
  user: true,
  json: true,
  problem: true,
  sort: true,
  order: true,
  key: true,
  newKey: true,
  keyInput: true,
  replacement: true,
  webhook: true,
  webhookWithSecret: true,
  webhookInput: true,
  webhookPatch: true,
  scope: true,
  rate: true,
  outcome: true,
  eitherOutcome: true,
};

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

test("the client's types match the contract, and include custom fields", () => {
  expect(Object.values({ ...matches, ...typed })).not.toContain(false);
  expect([written, manyWritten, filtersWritten, keysWritten]).toEqual(Array(4).fill(expect.any(Function)));
  expect(createClient<Custom>()).toHaveProperty("users");
  expect(createClient<Custom>()).toHaveProperty("webhooks");
  expect(createClient<Custom>()).toHaveProperty("keys");
});
