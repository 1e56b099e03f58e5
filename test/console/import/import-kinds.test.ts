import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { checkTargets, guessTargets, type Target } from "../../../src/console/import/mapping.ts";
import { startService, type TestService } from "../../support/service.ts";
import { untilPasses } from "../../support/until.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";
import { openAs } from "../support/dom/open-as.ts";
import { deleteAllGroups } from "../support/groups.ts";
import { checkRows, chooseFile, errorKinds, importResult, startImport } from "../support/import.ts";
import { startServiceWithKeys } from "../support/service-with-keys.ts";

setDefaultTimeout(30_000);

const shown = (targets: readonly Target[]) =>
  targets.map((each) => (each.to === "custom" ? `=${each.field}` : each.to));

describe("the columns of a file", () => {
  test("of groups become the name and custom fields, without those that the service sets", () => {
    const headers = ["id", "Name", "Cost center", "email", "memberCount", "version", "members", "groups"];
    expect(shown(guessTargets(headers, [], [], "groups"))).toEqual([
      "skip",
      "name",
      "=cost_center",
      "=email",
      "skip",
      "skip",
      "skip",
      "=groupNames",
    ]);
    expect(shown(guessTargets(["Team", "region"], [], [], "groups"))).toEqual(["name", "=region"]);
  });

  test("of groups need a name", () => {
    const targets: Target[] = [{ to: "custom", field: "region" }];
    expect(checkTargets(targets, "name", "groups").general).toBe(
      "Choose the column that has the name. Every group needs one.",
    );
    const managed: Target[] = [{ to: "name" }, { to: "custom", field: "memberCount" }];
    expect(checkTargets(managed, undefined, "groups").columns).toEqual([
      undefined,
      "Roster sets this field.",
    ]);
  });

  test.each([
    [
      ["group", "user"],
      ["group", "user"],
    ],
    [
      ["E-Mail", "Team", "joined"],
      ["user", "group", "skip"],
    ],
    [
      ["user_id", "Group ID"],
      ["user", "group"],
    ],
    [
      ["a", "b"],
      ["skip", "skip"],
    ],
  ])("of memberships become the group and the user: %p", (headers, expected) => {
    expect(shown(guessTargets(headers, [], [], "memberships"))).toEqual(expected);
  });

  test("of memberships need both", () => {
    expect(checkTargets([{ to: "group" }, { to: "skip" }], undefined, "memberships").general).toContain(
      "Choose the columns that have the group and the user.",
    );
    expect(checkTargets([{ to: "group" }, { to: "user" }], undefined, "memberships").general).toBeUndefined();
  });
});

let service: TestService;
beforeAll(async () => {
  service = await startService();
  for (const name of ["ada", "bob", "cem"]) await service.roster.users.create({ name, userName: name });
});
afterAll(() => service?.stop());
beforeEach(() => deleteAllGroups(service));

const mount = () => mountConsole({ path: "/import", service });
const chooseKind = ({ page }: MountedConsole, name: string) =>
  page.getByRole("radio", { name, exact: true }).click();
const figures = async ({ page }: MountedConsole) =>
  (await page.locator(".import-figures > div").allTextContents()).map((text) => text.trim());
const groupsNow = async () =>
  (await service.roster.groups.list({ sort: "name" }).all()).map(({ name, region, memberCount }) => ({
    name,
    region,
    memberCount,
  }));
const membersOf = async (name: string) => {
  const group = await service.roster.groups.find({ name });
  return (await service.roster.groups.members(group?.id ?? 0).all()).map((user) => user.name);
};

describe("an import of groups", () => {
  test("creates groups from a CSV file, and leads to them", async () => {
    await using mounted = await mount();
    const { page, window, errors } = mounted;
    await chooseKind(mounted, "Groups");
    await chooseFile(page, "groups.csv", "Name,region\nSales,north\nSupport,south\n");
    await page.getByRole("columnheader", { name: "region" }).waitFor();
    await startImport(page);
    expect(await importResult(page)).toBe("2 groups created.");
    expect(await groupsNow()).toEqual([
      { name: "Sales", region: "north", memberCount: 0 },
      { name: "Support", region: "south", memberCount: 0 },
    ]);
    await page.getByRole("button", { name: "View groups" }).click();
    await untilPasses(async () => expect(window.location.pathname).toBe("/groups"));
    expect(errors).toEqual([]);
  });

  test("rejects names that groups have, or updates these groups", async () => {
    await service.roster.groups.create({ name: "Sales", region: "north" });
    await using mounted = await mount();
    const { page } = mounted;
    await chooseKind(mounted, "Groups");
    await chooseFile(page, "groups.ndjson", '{"name":"SALES","region":"west"}\n{"name":"Guests"}\n');
    expect(await checkRows(page)).toBe("1 of 2 rows can be imported");
    expect(await figures(mounted)).toEqual(["To create1", "Rejected1"]);
    expect(await errorKinds(page)).toEqual(["Name The value is already in use.1 line"]);
    await page.getByRole("button", { name: "Change columns" }).click();
    await page.getByLabel("If a group exists").selectOption("Update the group");
    expect(await checkRows(page)).toBe("All 2 rows can be imported");
    expect(await figures(mounted)).toEqual(["To create1", "To update1", "Rejected0"]);
    await page.getByRole("button", { name: "Import 2 rows" }).click();
    expect(await importResult(page)).toBe("1 group created, 1 updated.");
    expect(await groupsNow()).toEqual([
      { name: "Guests", region: undefined, memberCount: 0 },
      { name: "SALES", region: "west", memberCount: 0 },
    ]);
  });
});

describe("an import of memberships", () => {
  beforeEach(async () => {
    const { groups } = service.roster;
    const sales = await groups.create({ name: "Sales" });
    await groups.add(sales.id, [1]);
  });

  test("adds users to groups by their names, and names the groups and users that do not exist", async () => {
    await using mounted = await mount();
    const { page, errors } = mounted;
    await chooseKind(mounted, "Memberships");
    const rows = ["Sales,ada", "Sales,bob", "sales,3", "Nowhere,bob", "Sales,eve"];
    await chooseFile(page, "members.csv", `group,user,since\n${rows.join("\n")}\n`);
    expect(await checkRows(page)).toBe("3 of 5 rows can be imported");
    expect(await figures(mounted)).toEqual(["To add2", "Members already1", "Rejected2"]);
    expect((await errorKinds(page)).toSorted()).toEqual([
      "Group Group not found.1 row",
      "User User not found.1 row",
    ]);
    expect((await page.locator(".import-kind tbody tr").allTextContents()).toSorted()).toEqual([
      "Nowhere51",
      "eve61",
    ]);
    expect(await membersOf("Sales")).toEqual(["ada"]);
    await page.getByRole("button", { name: "Import 3 of 5" }).click();
    expect(await importResult(page)).toBe("2 users added, 1 was a member before, 2 rows failed.");
    expect(await membersOf("Sales")).toEqual(["ada", "bob", "cem"]);
    expect(errors).toEqual([]);
  });

  test("removes users from groups", async () => {
    await using mounted = await mount();
    const { page } = mounted;
    await chooseKind(mounted, "Memberships");
    await chooseFile(page, "members.json", JSON.stringify([{ group: "Sales", user: "ada" }]));
    await page.getByLabel("With each row").selectOption("Remove the user from the group");
    expect(await checkRows(page)).toBe("All 1 row can be imported");
    expect(await figures(mounted)).toEqual(["To remove1", "Rejected0"]);
    await page.getByRole("button", { name: "Import 1 row" }).click();
    expect(await importResult(page)).toBe("1 user removed.");
    expect(await membersOf("Sales")).toEqual([]);
  });

  test("of a page that was closed is continued as the same kind", async () => {
    const content = "group,user\nSales,bob\n";
    const record = {
      id: "1-2-3-5",
      startedAt: Date.now(),
      rows: 0,
      kind: "memberships",
      targets: [{ to: "group" }, { to: "user" }],
      action: "add",
      match: "name",
      file: { name: "members.csv", size: content.length, rowCount: 1 },
      key: null,
    };
    await using mounted = await mountConsole({ service, path: "/connect" });
    const { page, window } = mounted;
    window.localStorage.setItem("roster.unfinished-import", JSON.stringify(record));
    mounted.open("/import");
    await page.getByText("was not finished").waitFor();
    await page.locator("input[type=file]").setInputFiles({
      name: "members.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(content),
    });
    expect(await importResult(page)).toBe("1 user added, 0 were members before.");
    expect(await membersOf("Sales")).toEqual(["ada", "bob"]);
  });
});

test("a key is offered only what it can import", async () => {
  await using started = await startServiceWithKeys();
  const kindsOf = async (...scopes: Parameters<typeof openAs>[1]) => {
    await using opened = await openAs(started, scopes, "/import");
    await opened.page.getByText("Drop a file here").waitFor();
    return (await opened.page.locator(".import-kinds-choice label").allTextContents()).join();
  };
  expect(await kindsOf("users:write")).toBe("");
  expect(await kindsOf("users:write", "groups:write")).toBe("Users,Groups");
  expect(await kindsOf("users:read", "groups:read", "groups:write")).toBe("Groups,Memberships");
});
