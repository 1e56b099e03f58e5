import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { describeToolError } from "../../src/cli/mcp/describe-tool-error.ts";
import { OfferedTools } from "../../src/cli/mcp/offered-tools.ts";
import { createClient } from "../../src/client/index.ts";
import type { Scope } from "../../src/contract/keys/key.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let admin: string;
let sales: number;
const all: readonly Scope[] = ["users:read", "users:write", "groups:read", "groups:write", "events:read"];

beforeAll(async () => {
  service = await startService();
  ({ key: admin } = await service.roster.keys.create({ name: "admin", scopes: [...all, "keys:manage"] }));
  const { users, groups } = asAdmin();
  for (const name of ["Ada", "Ben", "Cleo"]) {
    await users.create({ name, email: `${name.toLowerCase()}@example.com`, team: "engines" });
  }
  ({ id: sales } = await groups.create({ name: "Sales", region: "north" }));
  await groups.create({ name: "Support", region: "south" });
});
afterAll(() => service.stop());

const asAdmin = () => createClient({ baseUrl: service.url, apiKey: admin });

/** Calls a tool with a key, as the server does. Notes follow the answer. */
async function callWith(key: string, scopes: readonly Scope[], name: string, args: Record<string, unknown>) {
  const tool = new OfferedTools([...scopes], false).find(name);
  if (typeof tool === "string") return { error: tool };
  const notes: string[] = [];
  const client = createClient({ baseUrl: service.url, apiKey: key, onError: () => undefined });
  try {
    return { answer: await tool.run(client, args, (note) => notes.push(note)), notes };
  } catch (error) {
    return { error: describeToolError(error, tool) };
  }
}

const call = (name: string, args: Record<string, unknown> = {}) => callWith(admin, all, name, args);

describe("an assistant", () => {
  test("finds groups, and reads one by its id or its name with its first members", async () => {
    await asAdmin().groups.add(sales, [1, 2]);
    expect(
      await call("list_groups", { filter: 'region eq "north"', fields: ["name", "memberCount"] }),
    ).toEqual({
      answer: { groups: [{ id: sales, name: "Sales", memberCount: 2, version: 2 }], next: undefined },
      notes: [],
    });
    const first = await call("list_groups", { sort: "-name", limit: 1, fields: ["name"] });
    expect(first).toMatchObject({ answer: { groups: [{ name: "Support" }], next: expect.any(String) } });
    for (const group of [sales, String(sales), "SALES"]) {
      expect(await call("get_group", { group })).toMatchObject({
        answer: {
          group: { name: "Sales", region: "north", memberCount: 2 },
          members: [
            { id: 1, name: "Ada", email: "ada@example.com" },
            { id: 2, name: "Ben" },
          ],
          hasMoreMembers: false,
        },
      });
    }
  });

  test("searches and counts the members of a group", async () => {
    await asAdmin().groups.add(sales, [1, 2]);
    await asAdmin().groups.remove(sales, [3]);
    const found = await call("search_users", { group: "sales", q: "ada", fields: ["name"] });
    expect(found).toMatchObject({ answer: { users: [{ id: 1, name: "Ada" }] } });
    expect(await call("count_users", { group: sales })).toMatchObject({ answer: { count: 2 } });
    expect(await call("count_users", { group: sales, by: "team" })).toMatchObject({
      answer: { users: 2, values: [{ value: "engines", users: 2 }] },
    });
    const filter = 'groups.name eq "Sales" and not (groups eq 2)';
    expect(await call("count_users", { filter })).toEqual({ answer: { count: 2 }, notes: [] });
  });

  test("adds and removes members, and reads when that was", async () => {
    await asAdmin().groups.remove(sales, [1, 2, 3]);
    const added = { group: sales, added: 2, unchanged: 0 };
    expect(await call("add_to_group", { group: "Sales", users: [1, "3", 3] })).toMatchObject({
      answer: added,
    });
    expect(await call("add_to_group", { group: "Sales", users: 3 })).toMatchObject({
      answer: { added: 0, unchanged: 1 },
    });
    expect(await call("remove_from_group", { group: sales, users: [3, 2] })).toMatchObject({
      answer: { group: sales, removed: 1, unchanged: 1 },
    });
    const changes = (id: number[], gone: number[]) => ({ members: { added: id, removed: gone } });
    const removal = { type: "group.members_changed", changes: changes([], [3]) };
    const history = await call("list_events", { user: 3, limit: 2 });
    expect(history).toMatchObject({ answer: { events: [removal, { changes: changes([1, 3], []) }] } });
    const ofGroup = await call("list_events", { group: "sales", type: "group.members_changed", limit: 1 });
    expect(ofGroup).toMatchObject({ answer: { events: [removal] } });
  });

  test.each([
    ["get_group", {}, "group is required: the id or the name of a group."],
    ["get_group", { group: 0 }, "group must be the id or the name of a group."],
    ["get_group", { group: ["Sales"] }, "group must be a string."],
    ["get_group", { group: 99_999 }, "There is no group 99999. Find groups with list_groups."],
    ["get_group", { group: "Nobody" }, 'No group has the name "Nobody".'],
    ["search_users", { group: "Nobody" }, 'No group has the name "Nobody".'],
    ["add_to_group", { group: "Nobody", users: [1] }, 'No group has the name "Nobody".'],
    ["add_to_group", { group: 1 }, "users must be a list of 1 to 1000 ids"],
    ["add_to_group", { group: 1, users: [] }, "users must be a list of 1 to 1000 ids"],
    ["add_to_group", { group: 1, users: [1, "x"] }, "which are positive integers."],
    ["add_to_group", { group: 1, users: Array(1001).fill(1) }, "users must be a list of 1 to 1000 ids"],
    ["add_to_group", { group: 1, users: [1, 99_999] }, "There is no user 99999."],
    ["list_events", { user: 1, group: 1 }, "Pass user or group, not both."],
  ])("gets an error from %s with %j", async (tool, args, text) => {
    const { error } = await call(tool, args);
    expect(error).toContain(text);
  });
});

test("the scopes of the key decide which tools for groups there are", async () => {
  const namesWith = (...scopes: Scope[]) =>
    new OfferedTools(scopes, false).tools.map(({ name }) => name).filter((name) => name.includes("group"));
  expect(namesWith("groups:read")).toEqual(["list_groups"]);
  expect(namesWith("groups:read", "users:read")).toEqual(["list_groups", "get_group"]);
  expect(namesWith("groups:write")).toEqual([]);
  expect(namesWith("groups:write", "users:read")).toEqual(["add_to_group", "remove_from_group"]);
  expect(new OfferedTools([...all], true).tools.map(({ name }) => name)).not.toContain("add_to_group");
  const denied = await callWith(admin, ["events:read"], "get_group", { group: 1 });
  expect(denied.error).toContain("get_group needs the scopes groups:read and users:read, which the key");
  const { key } = await asAdmin().keys.create({ name: "writer", scopes: ["groups:write", "users:read"] });
  const scopes = ["groups:write", "users:read"] as const;
  const byName = await callWith(key, scopes, "add_to_group", { group: "Sales", users: [1] });
  expect(byName.error).toMatch(/groups:read.* Or use the id of the group\.$/);
  const byId = await callWith(key, scopes, "add_to_group", { group: sales, users: [1] });
  expect(byId.answer).toMatchObject({ group: sales });
});

test("tools that remove are marked as destructive", () => {
  const tools = new OfferedTools([...all], false).tools.filter(({ name }) => name.includes("group"));
  const marked = tools.map(({ name, annotations }) => [
    name,
    annotations.readOnlyHint,
    annotations.destructiveHint,
  ]);
  expect(marked).toEqual([
    ["list_groups", true, false],
    ["get_group", true, false],
    ["add_to_group", false, false],
    ["remove_from_group", false, true],
  ]);
});
