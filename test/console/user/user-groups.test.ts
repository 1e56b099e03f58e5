import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startService, type TestService } from "../../support/service.ts";
import { untilPasses } from "../../support/until.ts";
import type { DomLocator } from "../support/dom/locator.ts";
import { mountConsole } from "../support/dom/mount-console.ts";
import { openAs } from "../support/dom/open-as.ts";
import { deleteAllGroups, memberIds } from "../support/groups.ts";
import { startServiceWithKeys } from "../support/service-with-keys.ts";
import { openUser, pressUndo, toast } from "../support/undo.ts";
import { statusErrors, userDrawer } from "../support/user-form.ts";

let service: TestService;
let ada = 0;
let [sales, support] = [0, 0];
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());
beforeEach(async () => {
  const { users, groups } = service.roster;
  await deleteAllGroups(service);
  for (const { id } of await users.list().all()) await users.delete(id, { purge: true });
  ada = (await users.create({ name: "Ada" })).id;
  sales = (await groups.create({ name: "Sales" })).id;
  support = (await groups.create({ name: "Support" })).id;
  await groups.add(sales, [ada]);
});

const openAda = () => mountConsole({ service, path: `/users/${ada}` });
const section = (page: DomLocator) => page.locator(".user-groups");
const names = (page: DomLocator) => section(page).locator(".chip-label").allTextContents();
const untilNames = (page: DomLocator, expected: readonly string[]) =>
  untilPasses(async () => expect(await names(page)).toEqual([...expected]));
const membersOf = (group: number) => memberIds(service, group);
const button = (page: DomLocator, name: string) => page.getByRole("button", { name, exact: true });

async function choose(page: DomLocator, text: string, option: string): Promise<void> {
  await button(page, "Add to group").click();
  await page.getByRole("combobox", { name: "Find a group" }).fill(text);
  await page.getByRole("option", { name: option }).click();
}

describe("the groups on the page of a user", () => {
  test("link to their pages", async () => {
    await using opened = await openAda();
    const { page, errors } = opened;
    await untilNames(page, ["Sales"]);
    expect(await section(page).getByRole("link", { name: "Sales" }).getAttribute("href")).toBe(
      `/groups/${sales}`,
    );
    await page.getByRole("heading", { name: "Groups 1" }).waitFor();
    expect(errors).toEqual([]);
  });

  test("get another group, which is found by name, and Undo removes the user again", async () => {
    await using opened = await openAda();
    const { page, errors } = opened;
    await untilNames(page, ["Sales"]);
    await choose(page, "supp", "Support");
    await untilNames(page, ["Sales", "Support"]);
    await toast(opened, "Ada added to Support").waitFor();
    expect(await membersOf(support)).toEqual([ada]);
    await pressUndo(opened);
    await toast(opened, "Ada is not in Support any more").waitFor();
    await untilNames(page, ["Sales"]);
    expect(await membersOf(support)).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("get a group that is created with the typed name", async () => {
    await using opened = await openAda();
    const { page } = opened;
    await untilNames(page, ["Sales"]);
    await choose(page, "Marketing", "Create group “Marketing”");
    await untilNames(page, ["Marketing", "Sales"]);
  });

  test("say that someone else has just created a group with the typed name, and offer this group", async () => {
    await using opened = await openAda();
    const { page } = opened;
    await untilNames(page, ["Sales"]);
    await button(page, "Add to group").click();
    await page.getByRole("combobox", { name: "Find a group" }).fill("Marketing");
    const option = page.getByRole("option", { name: "Create group “Marketing”" });
    await option.waitFor();
    await service.roster.groups.create({ name: "Marketing" });
    await option.click();
    await page.getByText('Another group has the name "Marketing".').waitFor();
    await page.getByRole("option", { name: /^Marketing/ }).click();
    await untilNames(page, ["Marketing", "Sales"]);
  });

  test("lose a group, and Undo adds the user again", async () => {
    await using opened = await openAda();
    const { page, errors } = opened;
    await button(page, "Remove from Sales").click();
    await toast(opened, "Ada removed from Sales").waitFor();
    await page.getByText("Not a member of a group.").waitFor();
    expect(await membersOf(sales)).toEqual([]);
    await pressUndo(opened);
    await untilNames(page, ["Sales"]);
    expect(await membersOf(sales)).toEqual([ada]);
    expect(errors).toEqual([]);
  });

  test("stay as they are if someone else has removed the user before: there is nothing to undo", async () => {
    await using opened = await openAda();
    const { page } = opened;
    await untilNames(page, ["Sales"]);
    await service.roster.groups.remove(sales, [ada]);
    await button(page, "Remove from Sales").click();
    await toast(opened, "Ada is not a member of Sales any more").waitFor();
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
  });

  test("show a message if another person has deleted the group", async () => {
    await using opened = await openAda();
    const { page } = opened;
    await untilNames(page, ["Sales"]);
    await service.roster.groups.delete(sales);
    await button(page, "Remove from Sales").click();
    await page.getByText("Group not found").waitFor();
    await untilNames(page, []);
  });

  test("are the first 100 of many, and the others follow", async () => {
    const lines = Array.from({ length: 120 }, (_, index) => ({
      name: `Team ${String(index).padStart(3, "0")}`,
    }));
    await service.roster.groups.import(lines).summary();
    await service.roster.memberships.import(lines.map(({ name }) => ({ group: name, user: ada }))).summary();
    await using opened = await openAda();
    const { page } = opened;
    await untilPasses(async () => expect((await names(page)).length).toBe(100));
    await button(page, "Show more of the 121 groups").click();
    await untilPasses(async () => expect((await names(page)).length).toBe(121));
    expect(await button(page, "Show more of the 121 groups").count()).toBe(0);
  });

  test("are in the drawer over the list, too", async () => {
    await using opened = await mountConsole({ service, path: "/users" });
    await openUser(opened, "Ada");
    const { drawer } = userDrawer(opened.page);
    await untilPasses(async () =>
      expect(await drawer.locator(".user-groups .chip-label").allTextContents()).toEqual(["Sales"]),
    );
  });
});

describe("a key", () => {
  test("without groups:write shows the groups only, and without groups:read nothing of them", async () => {
    await using started = await startServiceWithKeys();
    const { id } = await started.roster.users.create({ name: "Ada" });
    const group = await started.roster.groups.create({ name: "Sales" });
    await started.roster.groups.add(group.id, [id]);
    {
      await using reader = await openAs(started, ["users:read", "groups:read"], `/users/${id}`);
      await untilNames(reader.page, ["Sales"]);
      expect(await button(reader.page, "Remove from Sales").count()).toBe(0);
      expect(await button(reader.page, "Add to group").count()).toBe(0);
    }
    await using other = await openAs(started, ["users:read", "groups:write"], `/users/${id}`);
    await other.page.getByRole("heading", { name: "Ada" }).waitFor();
    expect(await section(other.page).count()).toBe(0);
    expect(other.errors).toEqual(statusErrors(401));
  });
});
