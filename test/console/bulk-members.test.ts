import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startService, type TestService } from "../support/service.ts";
import { type MountedConsole, mountConsole } from "./support/dom/mount-console.ts";
import { openAs } from "./support/dom/open-as.ts";
import { deleteAllGroups, memberIds } from "./support/groups.ts";
import { startServiceWithKeys } from "./support/service-with-keys.ts";
import { isShown, pressUndo, toast } from "./support/undo.ts";

let service: TestService;
let sales = 0;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());
beforeEach(async () => {
  const { users, groups } = service.roster;
  await deleteAllGroups(service);
  await users.bulk({ filter: "id ge 1", delete: true }).summary();
  sales = (await groups.create({ name: "Sales" })).id;
});

/** Creates users, and returns their ids. */
async function createUsers(count: number): Promise<number[]> {
  const lines = Array.from({ length: count }, (_, index) => ({ name: `User ${index + 1}` }));
  await service.roster.users.import(lines).summary();
  return (await service.roster.users.list().all()).map(({ id }) => id);
}

const membersOf = (group: number) => memberIds(service, group);
const button = ({ page }: MountedConsole, name: string) => page.getByRole("button", { name, exact: true });
const selectAll = ({ page }: MountedConsole) =>
  page.getByRole("checkbox", { name: "Select all loaded users" }).check();

/** Opens the dialog for the selected users, and chooses a group. */
async function chooseGroup(opened: MountedConsole, action: string, name: string, option = name) {
  const { page } = opened;
  await button(opened, "Groups").click();
  await page.getByRole("menuitem", { name: action }).click();
  await page.getByRole("combobox", { name: "Find a group" }).fill(name);
  await page.getByRole("option", { name: option }).click();
}

describe("the selected users", () => {
  test("are added to a group, and Undo removes only those that were not members before", async () => {
    const [first = 0, ...others] = await createUsers(3);
    await service.roster.groups.add(sales, [first]);
    await using opened = await mountConsole({ service });
    await isShown(opened, "User 3");
    await selectAll(opened);
    await chooseGroup(opened, "Add to group", "sal", "Sales");
    await opened.page.getByRole("heading", { name: "Add 3 users to Sales?" }).waitFor();
    await button(opened, "Add 3 users").click();
    await toast(opened, "2 users added to Sales").waitFor();
    await toast(opened, "1 user was a member before.").waitFor();
    expect(await membersOf(sales)).toEqual([first, ...others]);
    expect(await opened.page.locator(".selection-bar").count()).toBe(0);
    pressUndo(opened);
    await toast(opened, "2 users as before").waitFor();
    expect(await membersOf(sales)).toEqual([first]);
    expect(opened.errors).toEqual([]);
  });

  test("are added to a group that is created with the typed name", async () => {
    const ids = await createUsers(2);
    await using opened = await mountConsole({ service });
    await isShown(opened, "User 2");
    await selectAll(opened);
    await chooseGroup(opened, "Add to group", "Marketing", "Create group “Marketing”");
    await button(opened, "Add 2 users").click();
    await toast(opened, "2 users added to Marketing").waitFor();
    const created = await service.roster.groups.find({ name: "Marketing" });
    expect(await membersOf(created?.id ?? 0)).toEqual(ids);
  });

  test("are removed from a group, and Undo adds them again", async () => {
    const ids = await createUsers(2);
    await service.roster.groups.add(sales, ids);
    await using opened = await mountConsole({ service });
    await isShown(opened, "User 2");
    await selectAll(opened);
    await chooseGroup(opened, "Remove from group", "Sales");
    await button(opened, "Remove 2 users").click();
    await toast(opened, "2 users removed from Sales").waitFor();
    expect(await membersOf(sales)).toEqual([]);
    pressUndo(opened);
    await toast(opened, "2 users as before").waitFor();
    expect(await membersOf(sales)).toEqual(ids);
    // All of them are members now.
    await selectAll(opened);
    await chooseGroup(opened, "Add to group", "Sales");
    await button(opened, "Add 2 users").click();
    await toast(opened, "These users are already members of Sales").waitFor();
    expect(opened.errors).toEqual([]);
  });

  test("do not change if another person has deleted the group, and the dialog shows the error", async () => {
    await createUsers(2);
    await using opened = await mountConsole({ service });
    await isShown(opened, "User 2");
    await selectAll(opened);
    await chooseGroup(opened, "Add to group", "Sales");
    await service.roster.groups.delete(sales);
    await button(opened, "Add 2 users").click();
    await opened.page.getByRole("heading", { name: "0 of 2 users added" }).waitFor();
    await opened.page.getByText("Group not found").waitFor();
    await button(opened, "Close").last().click();
    await opened.page.getByText("2 selected").waitFor();
  });

  test("that someone else has deleted are left out", async () => {
    const [first = 0, second = 0] = await createUsers(2);
    await using opened = await mountConsole({ service });
    await isShown(opened, "User 2");
    await selectAll(opened);
    await service.roster.users.delete(first);
    await chooseGroup(opened, "Add to group", "Sales");
    await button(opened, "Add 2 users").click();
    await toast(opened, "1 user added to Sales").waitFor();
    expect(await membersOf(sales)).toEqual([second]);
  });
});

describe("all users that match", () => {
  test("are removed from the group that the list is filtered by, and Undo shows them again", async () => {
    const ids = await createUsers(150);
    await service.roster.groups.add(sales, ids.slice(0, 120));
    await using opened = await mountConsole({ service, path: `/users?group=${sales}` });
    await isShown(opened, "User 120");
    await opened.page.getByRole("heading", { name: /Users ?120/ }).waitFor();
    await selectAll(opened);
    await button(opened, "Select all 120 matching").click();
    await chooseGroup(opened, "Remove from group", "Sales");
    await button(opened, "Remove 120 users").click();
    await toast(opened, "120 users removed from Sales").waitFor();
    await opened.page.getByText("No matching users").waitFor();
    pressUndo(opened);
    await toast(opened, "120 users as before").waitFor();
    await isShown(opened, "User 120");
    expect((await membersOf(sales)).length).toBe(120);
    expect(opened.errors).toEqual([]);
  });

  test("are added to a group with an expression of any form", async () => {
    const ids = await createUsers(130);
    await service.roster.groups.add(sales, ids.slice(0, 10));
    const filter = `id le ${ids[19]} or id ge ${ids[20]}`;
    await using opened = await mountConsole({ service, path: `/users?${new URLSearchParams({ filter })}` });
    await isShown(opened, "User 130");
    await opened.page.getByRole("heading", { name: /Users ?130/ }).waitFor();
    await selectAll(opened);
    await button(opened, "Select all 130 matching").click();
    await chooseGroup(opened, "Add to group", "Sales");
    await button(opened, "Add 130 users").click();
    await toast(opened, "120 users added to Sales").waitFor();
    await toast(opened, "10 users were members before.").waitFor();
    expect(await membersOf(sales)).toEqual(ids);
  });
});

test("a key without groups:write or groups:read cannot change the groups of selected users", async () => {
  await using started = await startServiceWithKeys();
  await started.roster.users.create({ name: "Ada" });
  for (const scope of ["groups:read", "groups:write"] as const) {
    await using opened = await openAs(started, ["users:read", "users:write", scope], "/users");
    await selectAll(opened);
    await opened.page.getByRole("region", { name: "Selected users" }).waitFor();
    await button(opened, "Edit").waitFor();
    expect(await button(opened, "Groups").count()).toBe(0);
  }
});
