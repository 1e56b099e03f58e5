import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../../src/client/index.ts";
import type { Scope } from "../../src/contract/keys/key.ts";
import { stopAll, temporaryFolder } from "../support/process/roster.ts";
import { startService, type TestService } from "../support/service.ts";
import { commandRunner } from "./support/run-command.ts";

let service: TestService;
let admin: string;
let roster: ReturnType<typeof commandRunner>;
const folder = temporaryFolder();

beforeAll(async () => {
  service = await startService();
  const scopes: Scope[] = [
    "users:read",
    "users:write",
    "groups:read",
    "groups:write",
    "events:read",
    "keys:manage",
  ];
  ({ key: admin } = await service.roster.keys.create({ name: "admin", scopes }));
  roster = commandRunner(service.url, admin);
});
afterAll(async () => {
  await service.stop();
  await stopAll();
});

/** Runs commands with a key of these scopes. */
async function withScopes(...scopes: Scope[]) {
  const { keys } = createClient({ baseUrl: service.url, apiKey: admin });
  const { key } = await keys.create({ name: "limited", scopes });
  return commandRunner(service.url, key);
}

const file = (name: string, ...lines: string[]) => {
  const path = join(folder, name);
  if (lines.length > 0) writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
  return path;
};

const linesOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

async function create(kind: "users" | "groups", ...fields: string[]) {
  const { code, stdout, stderr } = await roster(kind, "create", ...fields);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** Creates users and returns their ids, as words. */
async function createUsers(...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    const { id } = await create("users", `name=${name}`, `email=${name.toLowerCase()}@example.com`);
    ids.push(String(id));
  }
  return ids;
}

async function membersOf(group: string): Promise<string[]> {
  const { stdout } = await roster("groups", "members", group, "--columns=id");
  return linesOf(stdout).map(({ id }) => String(id));
}

const failure = (code: number, message: string) => ({
  code,
  stdout: "",
  stderr: `roster: ${message}\n`,
});

test("a group is created, read, changed, replaced and deleted", async () => {
  const group = await create("groups", "name=Lifecycle", "region=north", "owners=[7]");
  expect(group).toMatchObject({
    name: "Lifecycle",
    region: "north",
    owners: [7],
    memberCount: 0,
    version: 1,
  });
  const id = String(group.id);
  for (const word of [id, "lifecycle"]) {
    expect(JSON.parse((await roster("groups", "get", word)).stdout)).toEqual(group);
  }
  const changed = await roster(
    "groups",
    "update",
    "Lifecycle",
    "region=null",
    "name=Second",
    "--if-version=1",
  );
  expect(JSON.parse(changed.stdout)).toMatchObject({ name: "Second", version: 2 });
  expect(changed.stdout).not.toContain("region");
  expect(await roster("groups", "update", id, "region=south", "--if-version=1")).toEqual(
    failure(4, `Group ${id} is at version 2 now. Nothing was changed.`),
  );
  const replaced = await roster("groups", "replace", "second", "name=Third");
  expect(JSON.parse(replaced.stdout)).not.toHaveProperty("owners");
  expect(await roster("groups", "delete", "third")).toEqual(
    failure(2, `Delete group ${id}, Third (0 members) for good? Not a terminal: add --yes to confirm.`),
  );
  expect(await roster("groups", "delete", "third", "--yes")).toEqual({
    ...{ code: 0, stdout: "" },
    stderr: `Deleted group ${id}.\n`,
  });
  expect(await roster("groups", "get", id)).toEqual(failure(3, `There is no group ${id}.`));
});

test("digits name a group by its id, and everything else by its name", async () => {
  const year = await create("groups", "name=2024");
  expect(year.id).not.toBe(2024);
  expect(await roster("groups", "get", "2024")).toEqual(failure(3, "There is no group 2024."));
  expect((await roster("groups", "get", String(year.id))).code).toBe(0);
  const unknown = failure(3, 'No group has the name "nobody".');
  const [user = ""] = await createUsers("Named");
  for (const words of [
    ["groups", "get", "nobody"],
    ["groups", "members", "nobody"],
    ["groups", "add", "nobody", user],
    ["groups", "export", "--memberships", "--group=nobody"],
    ["groups", "delete", "nobody", "--yes"],
    ["users", "list", "--group=nobody"],
    ["users", "count", "--group=nobody"],
    ["users", "export", "--group=nobody"],
    ["users", "update", user, "--add-to-group=nobody"],
  ]) {
    expect(await roster(...words)).toEqual(unknown);
  }
  for (const word of ["0", "007", " ", "99999999999999999999"]) {
    const ran = await roster("groups", "get", word);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toStartWith(
      `roster: GROUP=${word} is invalid. Use the id of a group, such as 7, or its name.`,
    );
  }
});

test("a name that another group has ends with code 4", async () => {
  await create("groups", "name=Taken");
  expect(await roster("groups", "create", "name=TAKEN")).toEqual(
    failure(4, 'name: Another group has the name "TAKEN".'),
  );
  expect(await roster("groups", "create", "region=north")).toEqual(
    failure(2, "Name is required: add name=Sales."),
  );
});

describe("a list of groups", () => {
  beforeAll(async () => {
    for (const [name, region] of [
      ["List one", "east"],
      ["List two", "west"],
      ["List three", "east"],
    ]) {
      await create("groups", `name=${name}`, `region=${region}`, "group=x");
    }
  });

  test("has the search, the filters, the order and the fields of lists of users", async () => {
    const names = async (...words: string[]) => {
      const ran = await roster("groups", "list", "--q=list", "--columns=name", ...words);
      expect(ran.code).toBe(0);
      return linesOf(ran.stdout).map(({ name }) => name);
    };
    expect(await names()).toEqual(["List one", "List two", "List three"]);
    expect(await names("--where=region=east", "--sort=-name")).toEqual(["List three", "List one"]);
    expect(await names('--filter=memberCount eq 0 and region eq "WEST"')).toEqual(["List two"]);
    // Of users, --group selects members. A group can have a custom field of this name.
    expect(await names("--where=group=x", "--where=region=west")).toEqual(["List two"]);
    const fields = await roster("groups", "list", "--q=list", "--fields=region", "--limit=1");
    expect(Object.keys(linesOf(fields.stdout)[0])).toEqual(["id", "region", "version"]);
  });

  test("says how to continue, and how it is found", async () => {
    const first = await roster("groups", "list", "--q", "list", "--limit", "2", "--columns=id");
    expect(linesOf(first.stdout)).toHaveLength(2);
    expect(first.stderr).toStartWith("Showing 2 of 3 groups. To list all of them, add --all. To continue:\n");
    const [, command = ""] = /\n {2}roster (groups list .*)\n/.exec(first.stderr) ?? [];
    const next = await roster(...command.split(" "));
    expect(linesOf(next.stdout)).toHaveLength(1);
    const explained = await roster("groups", "list", "--q=list", "--explain");
    expect(JSON.parse(explained.stdout)).toMatchObject({ order: "id", found: 3 });
    expect((await roster("groups", "list", "--q=nowhere")).stderr).toBe("No groups found.\n");
  });

  test("is CSV with every field, and goes to a file that an import reads", async () => {
    const listed = await roster("groups", "list", "--q=list", "--all", "--output=csv");
    expect(listed.stdout).toStartWith("id,name,region,group,memberCount,version,createdAt,updatedAt\r\n");
    const path = file("groups.csv");
    const exported = await roster("groups", "export", path, "--q=list");
    expect(exported.stdout).toStartWith(`Wrote ${path} (`);
    expect(readFileSync(path, "utf8")).toBe(listed.stdout);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const skipped = await roster("groups", "import", path, "--on-conflict=skip", "--match=id");
    expect(skipped.stdout).toStartWith("Imported 0 groups, 3 skipped, 0 failed (");
  });
});

describe("an import of groups", () => {
  test("creates, checks and updates groups, and reports the lines that fail", async () => {
    const path = file("import.csv", "title,region", "Import one,1", "import ONE,2", ",3");
    const renamed = ["groups", "import", path, "--map=title=name", "--text=region"];
    const checked = await roster(...renamed, "--dry-run");
    expect(checked).toEqual({
      code: 1,
      stdout: "Checked 3 lines: 1 created, 2 failed. Nothing was changed.\n",
      stderr: 'line 3: name: Another group has the name "import ONE".\nline 4: name: A name is required.\n',
    });
    const errors = file("failed.ndjson");
    const imported = await roster(...renamed, "--errors", errors);
    expect(imported.stdout).toStartWith("Imported 1 group, 2 failed (");
    expect(linesOf(readFileSync(errors, "utf8")).map(({ line, status }) => [line, status])).toEqual([
      [3, 409],
      [4, 422],
    ]);
    const updated = await roster(...renamed, "--on-conflict=update", "--output=ndjson");
    expect(linesOf(updated.stdout).map(({ status }) => status)).toEqual([200, 200, 422]);
    const group = JSON.parse((await roster("groups", "get", "Import one")).stdout);
    expect(group).toMatchObject({ name: "import ONE", region: "2" });
  });

  test("refuses options that do not fit together", async () => {
    const path = file("refused.csv", "name", "Refused");
    for (const [words, says] of [
      [["import", path, "--remove"], "--remove needs --memberships."],
      [
        ["import", path, "--memberships", "--match=id"],
        "With --memberships, omit --on-conflict and --match.",
      ],
      [["import", path, "--match=email"], "--match=email is invalid. Use name or id."],
      [["import"], "FILE is required. Use the path of a file, or -."],
      [["export", "--names"], "--group and --names need --memberships."],
      [
        ["export", "--memberships", "--q=a"],
        "With --memberships, omit --q, --where, --filter, --sort and --fields. Use --group.",
      ],
    ] as const) {
      expect(await roster("groups", ...words)).toEqual(failure(2, says));
    }
  });
});

describe("members of groups", () => {
  test("are added and removed, which can be repeated", async () => {
    await create("groups", "name=Members");
    const ids = await createUsers("Ann", "Ben", "Cleo");
    const [ann = "", ben = "", cleo = ""] = ids;
    const stderr = async (...words: string[]) => {
      const ran = await roster("groups", ...words);
      expect(ran).toMatchObject({ code: 0, stdout: "" });
      return ran.stderr;
    };
    expect(await stderr("add", "members", ann, ben)).toBe("Added 2 members to group members.\n");
    expect(await stderr("add", "members", ben, cleo, cleo)).toBe(
      "Added 1 member to group members. 1 unchanged.\n",
    );
    expect(await membersOf("members")).toEqual(ids);
    expect(await stderr("remove", "members", ann, "999999")).toBe(
      "Removed 1 member from group members. 1 unchanged.\n",
    );
    expect(await roster("groups", "add", "members", ann, "--if-version=1")).toMatchObject({ code: 4 });
    expect(await roster("groups", "add", "members", ann, "999999", "888888")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no user 999999. There is no user 888888."),
    });
    expect(await membersOf("members")).toEqual([ben, cleo]);
    expect(await roster("groups", "add", "members")).toMatchObject({ code: 2 });
    expect(await roster("groups", "add", "members", "x")).toMatchObject({ code: 2 });
    const sorted = await roster(
      "groups",
      "members",
      "members",
      "--sort=-name",
      "--limit=1",
      "--columns=name",
    );
    expect(sorted.stdout).toBe('{"name":"Cleo"}\n');
    expect(sorted.stderr).toContain("\n  roster groups members members --sort=-name --limit=1 ");
    const found = await roster("groups", "members", "members", "--all", "--where=name=Ben", "--output=csv");
    expect(found.stdout.split("\n")).toHaveLength(3);
    const explained = await roster("groups", "members", "members", "--explain");
    expect(JSON.parse(explained.stdout)).toMatchObject({ found: 2 });
    for (const words of [[], ["--explain"], ["--all", "--output=csv"]]) {
      expect(await roster("groups", "members", "99999", ...words)).toEqual(
        failure(3, "There is no group 99999."),
      );
    }
    const ofBen = await roster("users", "groups", ben, "--columns=name,memberCount");
    expect(ofBen.stdout).toBe('{"name":"Members","memberCount":2}\n');
    expect((await roster("users", "groups", ann)).stderr).toBe("The user is not a member of any group.\n");
    expect(await roster("users", "groups", "999999")).toEqual(failure(3, "There is no user 999999."));
  });

  test("select users in lists, counts and exports", async () => {
    const [dora = "", emil = "", finn = ""] = await createUsers("Dora", "Emil", "Finn");
    for (const [name, ...ids] of [
      ["Select one", dora, emil],
      ["Select two", emil, finn],
    ] as const) {
      await create("groups", `name=${name}`);
      await roster("groups", "add", name, ...ids);
    }
    const selected = ["--group=select one", "--group=SELECT TWO"];
    expect((await roster("users", "count", ...selected)).stdout).toBe("3\n");
    expect((await roster("users", "count", "--group=select one", "--where=name=Finn")).stdout).toBe("0\n");
    const listed = await roster("users", "list", ...selected, "--columns=id");
    expect(linesOf(listed.stdout).map(({ id }) => String(id))).toEqual([dora, emil, finn]);
    expect((await roster("users", "list", "--group=select one", "--q=finn")).stderr).toBe(
      "No users found.\n",
    );
    const exported = await roster("users", "export", "--group=select two", "--fields=name");
    expect(linesOf(exported.stdout).map(({ name }) => name)).toEqual(["Emil", "Finn"]);
    const columns = await roster("users", "list", ...selected, "--all", "--output=csv");
    expect(columns.stdout.split("\n")).toHaveLength(5);
  });

  test("are in the history of the group, by its id or its name", async () => {
    const { id } = await create("groups", "name=History");
    const [mia = ""] = await createUsers("Mia");
    await roster("groups", "add", "history", mia);
    for (const group of [String(id), "HISTORY"]) {
      const { stdout } = await roster("events", "list", "--group", group);
      expect(linesOf(stdout).map(({ type }) => type)).toEqual(["group.members_changed", "group.created"]);
    }
    expect(await roster("events", "list", "--group=history", `--user=${mia}`)).toEqual(
      failure(2, "Choose --user or --group, not both."),
    );
  });

  test("change by users update, for ids, --where and --filter", async () => {
    const [gail = "", hugo = ""] = await createUsers("Gail", "Hugo");
    await roster("users", "update", gail, hugo, "team=update");
    await create("groups", "name=Update");
    const stderr = async (...words: string[]) => (await roster("users", "update", ...words)).stderr;
    expect(await stderr(gail, "--add-to-group=update")).toBe("Added 1 user to group update.\n");
    expect(await stderr("--where=team=update", "--add-to-group=update")).toBe(
      'roster: Add 2 users where team eq "update" to group update? Not a terminal: add --yes to confirm.\n',
    );
    expect(await stderr("--where=team=update", "--add-to-group=update", "--yes")).toBe(
      "Added 2 users to group update.\n",
    );
    expect(await membersOf("update")).toEqual([gail, hugo]);
    const member = 'groups.name eq "Update" and name eq "Hugo"';
    expect(await stderr("--filter", member, "--remove-from-group=update", "--yes")).toBe(
      "Removed 1 user from group update.\n",
    );
    expect(await membersOf("update")).toEqual([gail]);
    for (const words of [
      [gail, "--add-to-group=update", "level=3"],
      [gail, "--add-to-group=update", "--remove-from-group=update"],
    ]) {
      expect(await stderr(...words)).toBe(
        "roster: Use fields, --add-to-group or --remove-from-group: one of them.\n",
      );
    }
    expect(await roster("users", "update", gail, "--add-to-group=99999")).toEqual(
      failure(3, "There is no group 99999."),
    );
  });
});

describe("an import of memberships", () => {
  test("adds and removes members by ids and names, and reports the lines that fail", async () => {
    const [iris = "", jack = ""] = await createUsers("Iris", "Jack");
    const { id } = await create("groups", "name=Imported");
    const path = file(
      "memberships.ndjson",
      ...[
        { group: "imported", user: "IRIS@example.com" },
        { group: id, user: Number(jack) },
        { group: "nowhere", user: 1 },
        { group: id, user: "nobody@example.com" },
        { group: id },
      ].map((line) => JSON.stringify(line)),
    );
    const run = ["groups", "import", path, "--memberships"];
    const failed = [
      'line 3: No group has the name "nowhere".',
      'line 4: No user has the user name or the email "nobody@example.com".',
    ];
    const checked = await roster(...run, "--dry-run");
    expect(checked.stdout).toBe("Checked 5 lines: 2 added, 3 failed. Nothing was changed.\n");
    expect(await membersOf("imported")).toEqual([]);
    const added = await roster(...run);
    expect(added.code).toBe(1);
    expect(added.stdout).toStartWith("Added 2 memberships, 3 failed (");
    expect(added.stderr).toStartWith(failed.map((line) => `${line}\n`).join(""));
    expect(await membersOf("imported")).toEqual([iris, jack]);
    expect((await roster(...run)).stdout).toStartWith("Added 0 memberships, 2 unchanged, 3 failed (");
    const removing = [...run, "--remove"];
    expect((await roster(...removing, "--dry-run")).stdout).toBe(
      "Checked 5 lines: 2 valid, 3 failed. Nothing was changed.\n",
    );
    expect((await roster(...removing)).stdout).toStartWith("Removed the memberships of 2 lines, 3 failed (");
    expect(await membersOf("imported")).toEqual([]);
  });

  test("reads what an export wrote, with ids and with names", async () => {
    const [kim = "", lou = ""] = await createUsers("Kim", "Lou");
    const { id } = await create("groups", "name=1999");
    const group = String(id);
    await roster("groups", "add", group, kim, lou);
    for (const names of [[], ["--names"]]) {
      const path = file(`memberships${names.length}.csv`);
      const exported = await roster("groups", "export", path, "--memberships", "--group", group, ...names);
      expect(exported).toMatchObject({ code: 0, stderr: "" });
      await roster("groups", "remove", group, kim, lou);
      const imported = await roster("groups", "import", path, "--memberships");
      expect(imported.stdout).toStartWith("Added 2 memberships, 0 failed (");
      expect(await membersOf(group)).toEqual([kim, lou]);
    }
    expect(readFileSync(file("memberships1.csv"), "utf8")).toBe(
      "group,user\r\n'1999,kim@example.com\r\n'1999,lou@example.com\r\n",
    );
    const one = await roster("groups", "export", "--memberships", "--group", group);
    expect(linesOf(one.stdout)).toEqual([kim, lou].map((user) => ({ group: id, user: Number(user) })));
  });
});

describe("a key that lacks a scope", () => {
  test("changes members by the id of the group, and an error about a name says so", async () => {
    const { id } = await create("groups", "name=Scoped");
    const [user = ""] = await createUsers("Scoped");
    const writer = await withScopes("groups:write", "users:read");
    const named = await writer("groups", "add", "scoped", user);
    expect(named).toMatchObject({ code: 5, stdout: "" });
    expect(named.stderr).toMatch(/groups:read.* Or use the id of the group\.\n$/);
    expect((await writer("groups", "add", String(id), user)).stderr).toBe(`Added 1 member to group ${id}.\n`);
    const changed = await writer("groups", "update", String(id), "region=north");
    expect(changed).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test.each([
    [["groups", "list"], "groups:read"],
    [["groups", "create", "name=Denied"], "groups:write"],
    [["users", "list", "--group=1"], "groups:read"],
    [["users", "groups", "1"], "groups:read"],
    [["groups", "members", "1"], "groups:read"],
    [["groups", "export", "--memberships"], "groups:read"],
    [["users", "update", "1", "--add-to-group=1"], "groups:write"],
  ] as const)("%j names the scope %s", async (words, scope) => {
    const reader = await withScopes("users:read", "users:write");
    const ran = await reader(...words);
    expect(ran).toMatchObject({ code: 5, stdout: "" });
    expect(ran.stderr).toContain(scope);
  });
});
