import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { importGroups } from "../../../src/cli/commands/groups/import.ts";
import { importUsers } from "../../../src/cli/commands/users/import.ts";
import { createClient } from "../../../src/client/index.ts";
import { type Scope, scopes } from "../../../src/contract/keys/key.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";
import { importFolder, runImport } from "./support/run-import.ts";

setDefaultTimeout(120_000);

const { path: folder, remove } = importFolder();
afterAll(remove);

const commands = { users: importUsers, groups: importGroups };
type Env = Record<string, string>;

/** Imports these resources. */
const importList = (
  service: Pick<TestService, "url">,
  kind: keyof typeof commands,
  Resources: readonly object[],
  args: readonly string[] = [],
  env: Env = {},
) =>
  runImport(commands[kind], {
    folder,
    url: service.url,
    from: "scim",
    text: JSON.stringify({ Resources }),
    args,
    env,
  });

const user = (id: string, userName: string, email: string | undefined, more: object = {}) => ({
  id,
  userName,
  ...(email !== undefined && { emails: [{ value: email, type: "work", primary: true }] }),
  meta: { resourceType: "User" },
  ...more,
});
const group = (id: string, displayName: string, ...members: (object | string)[]) => ({
  id,
  displayName,
  members,
  meta: { resourceType: "Group" },
});

async function storedUsers({ roster }: TestService) {
  const users = await Array.fromAsync(roster.users.export({ sort: "userName" }));
  return users.map(({ id, version, createdAt, updatedAt, scim, ...fields }) => fields);
}

async function memberships({ roster }: TestService): Promise<string[]> {
  const all = await Array.fromAsync(roster.memberships.export({ names: true }));
  return all.map(({ group: name, user: member }) => `${name}: ${member}`).sort();
}

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
  });
  afterAll(() => service.stop());

  const shared = { value: "desk@example.com", type: "work", primary: true };
  const users = [
    user("1", "ada", "desk@example.com"),
    user("2", "bob", "DESK@example.com"),
    user("3", "eve", "eve@example.com", { title: "Head" }),
  ];
  const expected = [
    { name: "ada", userName: "ada", email: "desk@example.com", scimId: "1" },
    {
      name: "bob",
      userName: "bob",
      emails: [{ ...shared, value: "DESK@example.com" }],
      scimId: "2",
    },
    { name: "eve", userName: "eve", email: "eve@example.com", title: "Head", scimId: "3" },
  ];

  test("users can share an email, also if the import is repeated, skips or updates", async () => {
    const dry = await importList(service, "users", users, ["--dry-run"]);
    expect(dry).toMatchObject({ code: 0, stderr: "" });
    expect(dry.stdout).toStartWith("Checked 3 lines: 3 created, 0 failed. Nothing was changed.");
    expect(await storedUsers(service)).toEqual([]);

    for (let time = 0; time < 2; time++) {
      const ran = await importList(service, "users", users, ["--idempotency-key", "scim-users"]);
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      expect(ran.stdout).toStartWith("Imported 3 users, 0 failed (");
      expect(await storedUsers(service)).toEqual(expected);
    }
    const skipped = await importList(service, "users", users, ["--on-conflict", "skip"]);
    expect(skipped.stdout).toStartWith("Imported 0 users, 3 skipped, 0 failed (");
    const failed = await importList(service, "users", users);
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.stdout).toStartWith("Imported 0 users, 3 failed (");
    const changed = users.map((each) => ({ ...each, title: "New" }));
    const updated = await importList(service, "users", changed, ["--on-conflict", "update"]);
    expect(updated.stdout).toStartWith("Imported 0 users, 3 updated, 0 failed (");
    expect(await storedUsers(service)).toEqual(expected.map((each) => ({ ...each, title: "New" })));
  });

  test("groups have the members that were imported before, once, however often they are imported", async () => {
    await importList(service, "users", users, ["--on-conflict", "skip"]);
    const groups = [
      group("10", "Staff", { value: "1", type: "User" }, { value: "2" }, { value: "11", type: "Group" }),
      group("11", "Parts", { value: "3", $ref: "https://scim.example/Users/3" }, "ghost"),
    ];
    const dry = await importList(service, "groups", groups, ["--dry-run"]);
    expect(dry).toMatchObject({ code: 0, stderr: "" });
    expect(dry.stdout).toStartWith("Checked 2 groups: 2 created, 0 failed. Nothing was changed.");
    expect(dry.stdout).toContain("Checked 3 memberships: 3 added, 0 failed. Nothing was changed.");
    expect(await memberships(service)).toEqual([]);

    const ran = await importList(service, "groups", groups, ["--idempotency-key", "scim-groups"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toStartWith("Imported 2 groups, 0 failed (");
    expect(ran.stdout).toContain("\nAdded 3 memberships, 0 failed (");
    expect(ran.stdout).toContain(
      "Not imported: 1 membership (no user has the id of the member in the field scimId).",
    );
    expect(ran.stdout).toContain("Groups in groups were not imported: 1 nested group with 1 membership.");
    const flat = ["Parts: eve", "Staff: ada", "Staff: bob"];
    expect(await memberships(service)).toEqual(flat);
    expect(await service.roster.groups.find({ name: "staff" })).toMatchObject({
      scimId: "10",
      memberCount: 2,
    });

    const again = await importList(service, "groups", groups, ["--idempotency-key", "scim-groups"]);
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(again.stdout).toContain("\nAdded 0 memberships, 3 unchanged, 0 failed (");
    const wider = await importList(service, "groups", groups, ["--on-conflict", "skip", "--flatten"]);
    expect(wider.stdout).toStartWith("Imported 0 groups, 2 skipped, 0 failed (");
    expect(wider.stdout).toContain("\nAdded 1 membership, 3 unchanged, 0 failed (");
    expect(await memberships(service)).toEqual([...flat, "Staff: eve"].sort());
  });
});

describe("an import from SCIM", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  test("treats the user who has an email as the same one with --match email", async () => {
    await service.roster.users.create({ name: "Info", email: "info@example.com", userName: "info" });
    const users = [user("m1", "matched", "INFO@example.com", { displayName: "Matched" })];
    const args = ["--match", "email"];
    const failed = await importList(service, "users", users, args);
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("INFO@example.com is already in use"),
    });
    const skipped = await importList(service, "users", users, [...args, "--on-conflict", "skip"]);
    expect(skipped.stdout).toStartWith("Imported 0 users, 1 skipped");
    await importList(service, "users", users, [...args, "--on-conflict", "update"]);
    expect(await service.roster.users.find({ email: "info@example.com" })).toMatchObject({
      name: "Matched",
      userName: "matched",
    });
  });

  test("removes the email of a user who gets the email of another one", async () => {
    await importList(service, "users", [
      user("u1", "una", "una@example.com"),
      user("u2", "ugo", "ugo@example.com"),
    ]);
    const home = { value: "ugo@home.example", type: "home" };
    const changed = { ...user("u2", "ugo", "una@example.com") };
    changed.emails?.push({ ...home, primary: false });
    const ran = await importList(service, "users", [changed], ["--on-conflict", "update"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const ugo = await service.roster.users.find({ userName: "ugo" });
    expect(ugo).not.toHaveProperty("email");
    expect(ugo).toMatchObject({ emails: changed.emails });
  });

  test("sends users with taken emails again in order, and repeats nothing after an interruption", async () => {
    await service.roster.users.create({ name: "Team", email: "team@example.com" });
    const users = Array.from({ length: 1300 }, (_, index) =>
      user(`t${index}`, `team${index}`, index % 3 === 1 ? "team@example.com" : undefined),
    );
    let imports = 0;
    const proxy = Bun.serve({
      port: 0,
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        // The second import of users without their emails.
        if (pathname === "/api/users/import" && ++imports === 3) {
          return new Response("broken", { status: 500 });
        }
        const body = request.method === "POST" ? await request.arrayBuffer() : undefined;
        const { method, headers } = request;
        return await fetch(service.url + pathname + search, { method, headers, ...(body && { body }) });
      },
    });
    try {
      const ended = await importList({ url: proxy.url.origin }, "users", users, [
        "--idempotency-key",
        "team",
      ]);
      expect(ended).toMatchObject({ code: 2 });
      expect(ended.stderr).toContain("To continue without importing a line twice, run the same command");
      const args = ["--idempotency-key", "team", "--output", "ndjson"];
      const ran = await importList({ url: proxy.url.origin }, "users", users, args);
      expect(ran.code).toBe(0);
      const results = ran.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(results.map(({ line, status, sourceId }) => [line, status, sourceId])).toEqual(
        users.map(({ id }, index) => [index + 1, 201, id]),
      );
      expect(new Set(results.map(({ id }) => id)).size).toBe(users.length);
      const { total } = await service.roster.users.list({ filter: 'scimId sw "t"' }).page({ count: true });
      expect(total).toEqual({ count: users.length, capped: false });
    } finally {
      await proxy.stop(true);
    }
  });

  test("fails lines that SCIM refuses with its reason, and the others are imported", async () => {
    const errors = join(folder, "failed.ndjson");
    const users = [user("f1", "fay", undefined, { title: 5 }), user("f2", "fox", undefined)];
    const ran = await importList(service, "users", users, ["--errors", errors, "--on-conflict", "update"]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toBe("user 1 (f1): title must be text.\n");
    expect(ran.stdout).toStartWith("Imported 1 user, 1 failed (");
    expect(await Bun.file(errors).json()).toMatchObject({
      line: 1,
      status: 422,
      sourceId: "f1",
      problem: { detail: "title must be text." },
    });
    const groups = [
      group("f3", "x".repeat(257), "f2"),
      { ...group("f4", "", "f2"), displayName: undefined },
      group("f5", "Foxes", "f2"),
      group("f6", "FOXES", "f2"),
    ];
    const second = await importList(service, "groups", groups, ["--errors", errors, "--output", "ndjson"]);
    expect(second.code).toBe(1);
    const results = second.stdout.trim().split("\n");
    expect(results.map((line) => JSON.parse(line).status)).toEqual([422, 422, 201]);
    expect(second.stderr).toContain("group f4: displayName is required.\n");
    expect(second.stderr).toContain("Imported 1 group, 2 failed (");
    expect(second.stderr).toContain(
      "Not imported: the group f6 has the name of an earlier group of the export.",
    );
    expect(second.stderr).toContain("Not imported: 3 memberships (the group was not imported).");
    expect(await memberships(service)).toContain("Foxes: fox");
  });

  test("of groups can be empty, follows --map and reports what it leaves out", async () => {
    const empty = await importList(service, "groups", []);
    expect(empty).toMatchObject({ code: 0, stderr: "" });
    expect(empty.stdout).toStartWith("Imported 0 groups, 0 failed (");
    const groups = [{ ...group("n1", "Named"), externalId: "x1", floor: 7 }, user("n2", "nan", undefined)];
    const args = ["--map", "externalId=code", "--map", "nothing=x", "--map", "floor="];
    const ran = await importList(service, "groups", groups, args);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/\nfloor +1 +You left it out with --map\.\n/);
    expect(ran.stdout).toContain("Not imported: 1 record (users: import them with roster users import).");
    expect(ran.stdout).toContain("No group has the field nothing of --map.");
    expect(await service.roster.groups.find({ name: "Named" })).toMatchObject({ code: "x1", scimId: "n1" });
  });

  test("shows the mapping of groups", async () => {
    const { stdout } = await importList(
      service,
      "groups",
      [],
      ["--show-mapping", "--map", "externalId=code"],
    );
    expect(stdout).toMatch(/^groups of SCIM +Roster +note\nexternalId +code\n/);
    expect(stdout).toMatch(/\ndisplayName +name\n/);
    expect(stdout).toMatch(/\nmembers +memberships\n/);
  });

  test.each([
    [["--match", "id"], "omit --format, --text, --match and --memberships"],
    [["--memberships"], "omit --format, --text, --match and --memberships"],
    [["--format", "csv"], "omit --format, --text, --match and --memberships"],
    [["--map", "displayName=id"], "a field name is a letter"],
    [["--map", "password=x"], "stores no passwords"],
  ])("of groups rejects %p", async (args, message) => {
    expect(await importList(service, "groups", [], args)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
  });

  test("of groups names a file that has none", async () => {
    const ran = await importList(service, "groups", [{ name: "x", lists: [] }]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(
      "Record 1 of the file is not a group of SCIM: it has no displayName. Check --from.",
    );
  });
});

test("an import of groups needs the scopes groups:write and users:read, and changes nothing without them", async () => {
  const service = await startService();
  try {
    await importList(service, "users", [user("s1", "sam", undefined)]);
    const admin = await service.roster.keys.create({ name: "admin", scopes: [...scopes] });
    const { keys, groups, memberships } = createClient({ baseUrl: service.url, apiKey: admin.key });
    const run = async (...granted: Scope[]) => {
      const { key } = await keys.create({ name: "groups", scopes: granted });
      return await importList(service, "groups", [group("s2", "Sailors", "s1")], [], { ROSTER_API_KEY: key });
    };
    const refused = (scope: string) => ({ code: 2, stdout: "", stderr: expect.stringContaining(scope) });
    expect(await run("groups:write")).toMatchObject(refused("users:read"));
    expect(await run("users:read")).toMatchObject(refused("groups:write"));
    expect(await groups.find({ name: "Sailors" })).toBeUndefined();
    expect(await run("groups:write", "users:read")).toMatchObject({ code: 0, stderr: "" });
    expect(await Array.fromAsync(memberships.export({ names: true }))).toEqual([
      { group: "Sailors", user: "sam" },
    ]);
  } finally {
    await service.stop();
  }
});
