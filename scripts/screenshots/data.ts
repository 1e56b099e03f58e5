import { Database } from "bun:sqlite";
import { type Client, createClient } from "../../src/client/index.ts";
import { scopeGroups, scopes } from "../../src/contract/keys/key.ts";
import { SampleUsers } from "../../src/sample-users/sample-users.ts";
import type { TestService } from "../../test/support/service.ts";

const USERS = 5000;
const CREATED_TODAY = 52;
const HISTORY_DAYS = 45;
const DAY_MS = 86_400_000;

/**
 * Creates users and keys of several kinds, and a month of statistics in the SQLite file. Webhooks send to `receiver`. Returns a key
 * with all scopes, and one that reads users.
 */
export async function createData(
  { roster, url }: Pick<TestService, "roster" | "url">,
  file: string,
  receiver: string,
): Promise<{ readonly administrator: string; readonly reader: string }> {
  await roster.users.import(latinUsers()).summary();
  const { key } = await roster.keys.create({ name: "Console", scopes: [...scopes] });
  const { keys } = createClient({ baseUrl: url, apiKey: key });
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString();
  const billing = await keys.create({ name: "Billing", scopes: ["users:read"], quota: 400 });
  await keys.create({ name: "Nightly sync", scopes: ["users:read", "users:write"], expiresAt: soon });
  await keys.create({ name: "Intranet", scopes: ["users:read"], rateLimit: { requests: 50, seconds: 1 } });
  const entra = await keys.create({ name: "Entra ID", scopes: [...scopeGroups.scim] });
  const caller = createClient({ baseUrl: url, apiKey: billing.key });
  for (let id = 1; id <= 290; id++) await caller.users.get(id);
  await createClient({ baseUrl: url, apiKey: entra.key }).users.get(1);
  await createChanges(createClient({ baseUrl: url, apiKey: key }), receiver);
  await createGroups(createClient({ baseUrl: url, apiKey: key }));
  createHistory(file, [billing.id, entra.id]);
  const reader = await keys.create({ name: "Support desk", scopes: ["users:read"] });
  return { administrator: key, reader: reader.key };
}

/** The fonts of the browser that takes the pictures lack other scripts. */
function latinUsers() {
  const sampleUsers = new SampleUsers(1);
  const users = [];
  for (let number = 1; users.length < USERS; number++) {
    const user = sampleUsers.create(number);
    if (/^[\p{Script=Latin}\p{P}\s]+$/u.test(user.name)) users.push(user);
  }
  return users;
}

/** Moves most of the users that were created today to the days before, and adds requests to these days. */
function createHistory(file: string, keyIds: readonly number[]): void {
  using database = new Database(file);
  const dayOf = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
  const add = database.query(
    "INSERT INTO daily_users (day, part, created, deleted, restored) VALUES (?, 0, ?, ?, 0)",
  );
  const use = database.query("INSERT INTO daily_key_usage (key_id, day, requests) VALUES (?, ?, ?)");
  const days = Array.from({ length: HISTORY_DAYS }, (_, index) => ({
    ago: index + 1,
    created: Math.round(40 + 25 * Math.sin(index / 2) + (index % 7) * 4),
    deleted: Math.round(4 + 3 * Math.cos(index)),
    requests: Math.round(180 + 90 * Math.sin(index / 3) - (index % 7 > 4 ? 120 : 0)),
  }));
  for (const { ago, created, deleted, requests } of days) {
    add.run(dayOf(ago), created, deleted);
    for (const id of keyIds) use.run(id, dayOf(ago), requests);
  }
  const moved = days.reduce((sum, { created, deleted }) => sum + created - deleted, 0);
  const before = USERS - moved - CREATED_TODAY;
  add.run(dayOf(HISTORY_DAYS + 1), before, 0);
  database.run("UPDATE daily_users SET created = created - ? WHERE day = ?", [moved + before, dayOf(0)]);
}

/** Creates groups of several sizes. */
async function createGroups({ groups }: Client): Promise<void> {
  const range = (length: number, first = 1) => Array.from({ length }, (_, index) => first + index);
  const sizes: readonly (readonly [name: string, members: readonly number[], owner: string])[] = [
    ["Sales", range(1200, 200).filter((id) => id !== 1234), "ada@example.com"],
    ["Support", range(86, 20).filter((id) => id !== 48 && id !== 77), "grace@example.com"],
    ["Engineering", range(430, 2000), "alan@example.com"],
    ["Guests of the summer party", [], "ada@example.com"],
    ["Finance", range(12, 3000), "grace@example.com"],
  ];
  for (const [name, members, owner] of sizes) {
    const { id } = await groups.create({ name, owner, costCenter: name.length * 100 });
    await groups.add(id, members);
    if (members.length > 0) await groups.add(id, [4993, 4994]);
  }
  await groups.remove(1, [200, 201]);
  await groups.update(1, { region: "north" });
}

/** Creates webhooks, events, deleted users and a schema. */
async function createChanges({ users, webhooks, schema }: Client, receiver: string): Promise<void> {
  await webhooks.create({
    url: `${receiver}/crm`,
    types: ["user.*"],
    description: "Keeps the CRM up to date",
  });
  await webhooks.create({ url: `${receiver}/failing`, types: ["user.created", "user.deleted"] });
  const off = await webhooks.create({
    url: `${receiver}/old`,
    types: ["*"],
    description: "Old intranet",
  });
  await webhooks.update(off.id, { active: false });
  for (const id of [12, 48, 77]) await users.delete(id);
  await users.create({ name: "Grace Hopper", email: "grace@example.com", department: "compilers" });
  const alan = { name: "Alan Turing", email: "alan@example.com", userName: "aturing" };
  await users.delete((await users.create(alan)).id);
  await users.create({ ...alan, name: "Alan M. Turing" });
  await schema.set({
    properties: {
      department: { type: "string", description: "Where the person works" },
      plan: {
        type: "string",
        enum: ["free", "team", "enterprise"],
        description: "What the customer pays for",
      },
      seats: { type: "integer", minimum: 1, maximum: 500 },
    },
    required: ["department"],
  });
  await users.update(4993, { plan: "team" });
  await users.update(4993, { plan: "enterprise", department: "research", seats: 12 });
  await users.delete(1234);
}
