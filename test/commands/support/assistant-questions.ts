import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createClient, type User } from "../../../src/client/index.ts";
import { SampleUsers } from "../../../src/sample-users/sample-users.ts";
import { startService, type TestService } from "../../support/service.ts";
import { callTool, closeAssistants, startAssistant } from "./assistant.ts";

const MAX_CALLS = 3;

type Call = (name: string, args?: Record<string, unknown>) => ReturnType<typeof callTool>;

interface Question {
  readonly question: string;
  /**
   * Calls tools with arguments that follow from the question, the date, the descriptions of the tools and earlier answers. The date
   * is that of the changes, so that the tests pass at midnight too.
   */
  answer(call: Call, today: string): Promise<unknown>;
  /** The answer by the known users. */
  expected(users: readonly User[], today: string): unknown;
}

/** What the tests know: every user, and the day on which they were created and changed. */
interface Directory {
  readonly users: readonly User[];
  readonly today: string;
}

const namesOf = (users: readonly { readonly name: string }[]) => users.map(({ name }) => name).sort();

/** The name of the field that a word of a question means, as an assistant finds it in the answer of list_fields. */
function findField({ fields }: { fields: { name: string }[] }, word: RegExp): string {
  const found = fields.filter(({ name }) => word.test(name)).map(({ name }) => name);
  expect(found).toHaveLength(1);
  return String(found[0]);
}

const questions: readonly Question[] = [
  {
    question: "How many people in sales joined this year?",
    async answer(call, today) {
      const known = await call("list_fields");
      const [department, joined] = [findField(known, /department/), findField(known, /joined/)];
      const year = today.slice(0, 4);
      return call("count_users", { filter: `${department} eq "sales" and ${joined} ge "${year}-01-01"` });
    },
    expected: (users, today) => ({
      count: users.filter(
        ({ department, joinedOn }) =>
          department === "Sales" && String(joinedOn ?? "") >= `${today.slice(0, 4)}-01-01`,
      ).length,
    }),
  },
  {
    question: "Who joined most recently?",
    async answer(call) {
      const joined = findField(await call("list_fields"), /joined/);
      const { users } = await call("search_users", { sort: `-${joined}`, limit: 1 });
      return users[0].name;
    },
    expected(users) {
      const dates = users.map(({ joinedOn }) => String(joinedOn ?? "")).sort();
      return users.findLast(({ joinedOn }) => joinedOn === dates.at(-1))?.name;
    },
  },
  {
    question: "Which departments are there, and how many people are in each?",
    async answer(call) {
      const by = findField(await call("list_fields"), /department/);
      const { values, withoutValue } = await call("count_users", { by });
      const counts = values.map(({ value, users }: { value: string; users: number }) => [value, users]);
      return { ...Object.fromEntries(counts), none: withoutValue };
    },
    expected(users) {
      const counts: Record<string, number> = {};
      for (const { department = "none" } of users)
        counts[String(department)] = (counts[String(department)] ?? 0) + 1;
      return counts;
    },
  },
  {
    question: "Who is the manager of Ada Lovelace?",
    async answer(call) {
      const { users } = await call("search_users", { q: "Ada Lovelace" });
      return (await call("get_user", { email: users[0].manager })).name;
    },
    expected: () => "Grace Hopper",
  },
  {
    question: "Who changed Ada Lovelace last, and what?",
    async answer(call) {
      const { users } = await call("search_users", { q: "Ada Lovelace", fields: ["name"] });
      const { events } = await call("list_events", { user: users[0].id, type: "user.updated", limit: 1 });
      return { actor: events[0].actor.name, changes: events[0].changes };
    },
    expected: () => ({ actor: "hr-sync", changes: { level: { from: 7, to: 8 } } }),
  },
  {
    question: "List the inactive users without an email.",
    async answer(call) {
      const args = { filter: "active eq false and not (email pr)", fields: ["name"], limit: 50 };
      const found: { name: string }[] = [];
      let page = await call("search_users", args);
      found.push(...page.users);
      while (page.next !== undefined) {
        page = await call("search_users", { ...args, after: page.next });
        found.push(...page.users);
      }
      return namesOf(found);
    },
    expected: (users) => namesOf(users.filter(({ active, email }) => active === false && !email)),
  },
  {
    question: "Does anyone have the email ADA@example.com, or nobody@example.com?",
    answer: async (call) => [
      (await call("get_user", { email: "ADA@example.com" })).name,
      await call("get_user", { email: "nobody@example.com" }),
    ],
    expected: () => ["Ada Lovelace", "No user has the email nobody@example.com."],
  },
  {
    question: "Which people called something like Smith are in London?",
    async answer(call) {
      const city = findField(await call("list_fields"), /city/);
      const { users, next } = await call("search_users", {
        q: "smith",
        filter: `${city} eq "london"`,
        limit: 50,
      });
      expect(next).toBeUndefined();
      return namesOf(users);
    },
    expected: (users) =>
      namesOf(
        users.filter(({ name, email, city }) => /smith/i.test(`${name} ${email}`) && city === "London"),
      ),
  },
  {
    question: "How many users are there, and how many of them are inactive?",
    answer: async (call) => [
      await call("count_users"),
      await call("count_users", { filter: "active eq false" }),
    ],
    expected: (users) => [
      { count: users.length },
      { count: users.filter(({ active }) => active === false).length },
    ],
  },
  {
    question: "Who are the inactive members of the group Board?",
    answer: async (call) =>
      namesOf((await call("search_users", { group: "board", filter: "active eq false" })).users),
    expected: () => ["Ann Smithson"],
  },
  {
    question: "How many members has each of the largest groups?",
    async answer(call) {
      const { groups } = await call("list_groups", { sort: "-memberCount", limit: 2 });
      return groups.map(({ name, memberCount }: { name: string; memberCount: number }) => [
        name,
        memberCount,
      ]);
    },
    expected: () => [
      ["Board", 3],
      ["Engines", 1],
    ],
  },
  {
    question: "What was changed and deleted today?",
    async answer(call, today) {
      const namesIn = async (type: string) => {
        const { events } = await call("list_events", { type, from: today, limit: 50 });
        return namesOf(events.map(({ record }: { record: { name: string } }) => record));
      };
      return { changed: await namesIn("user.updated"), deleted: await namesIn("user.deleted") };
    },
    // Ada was changed twice.
    expected: () => ({
      changed: ["Ada Lovelace", "Ada Lovelace", "Grace Hopper"],
      deleted: ["Deleted User"],
    }),
  },
];

/** Tests that an assistant can answer typical questions about a directory of this size with few calls. */
export function testQuestions(size: number): void {
  describe(`an assistant with ${size} users`, () => {
    let service: TestService;
    let directory: Directory;
    let call: Call;

    beforeAll(async () => {
      service = await startService();
      const { key } = await service.roster.keys.create({
        name: "setup",
        scopes: ["users:read", "users:write", "groups:read", "groups:write", "events:read", "keys:manage"],
      });
      directory = await fill(service.url, key, size);
      const assistant = await startAssistant(service.url, key, "--read-only");
      call = (name, args) => callTool(assistant, name, args);
    });
    afterAll(async () => {
      await closeAssistants();
      await service.stop();
    });

    test.each([...questions])("answers in three calls: $question", async ({ answer, expected }) => {
      let calls = 0;
      const counted: Call = async (name, args) => {
        calls += 1;
        const found = await call(name, args);
        expect(JSON.stringify(found).length).toBeLessThan(50_000);
        return found;
      };
      expect(await answer(counted, directory.today)).toEqual(expected(directory.users, directory.today));
      expect(calls).toBeLessThanOrEqual(MAX_CALLS);
    });
  });
}

/** Creates the users and changes some of them. */
async function fill(baseUrl: string, apiKey: string, size: number): Promise<Directory> {
  const { users, groups, stats, keys } = createClient({ baseUrl, apiKey });
  const today = String((await stats({ days: 1 })).days[0]?.date);
  const samples = new SampleUsers(1);
  const people = [
    {
      name: "Ada Lovelace",
      email: "ada@example.com",
      department: "Engineering",
      manager: "grace@example.com",
      level: 6,
    },
    { name: "Grace Hopper", email: "grace@example.com", department: "Engineering", level: 9 },
    { name: "John Smith", email: "john.smith@example.com", city: "London", department: "Sales" },
    { name: "Ann Smithson", city: "London", active: false },
    { name: "Smith Jones", email: "jones@example.com", city: "Leeds" },
    { name: "Deleted User", email: "deleted@example.com" },
  ];
  const sampled = Array.from({ length: size - people.length + 1 }, (_, index) => {
    const { joinedOn, ...user } = samples.create(index + 1);
    // The last year of the samples is this year.
    const joined = typeof joinedOn === "string" ? joinedOn.replace(/^2025/, today.slice(0, 4)) : undefined;
    return { ...user, ...(joined !== undefined && { joinedOn: joined }) };
  });
  await users.import([...people, ...sampled]).summary();
  const { key } = await keys.create({ name: "hr-sync", scopes: ["users:write"] });
  const hr = createClient({ baseUrl, apiKey: key });
  await users.update(2, { title: "Rear admiral" });
  await users.update(1, { level: 7 });
  await hr.users.update(1, { level: 8 });
  await hr.users.delete(6);
  for (const [name, members] of [
    ["Engines", [1]],
    ["Board", [1, 2, 4]],
    ["Empty", []],
  ] as const) {
    const { id } = await groups.create({ name });
    await groups.add(id, members);
  }
  return { users: await Array.fromAsync(users.export()), today };
}
