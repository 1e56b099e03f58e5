import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startService, type TestService } from "../../support/service.ts";
import { untilPasses } from "../../support/until.ts";
import type { DomLocator } from "../support/dom/locator.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";
import { openAs } from "../support/dom/open-as.ts";
import { pressKeys } from "../support/dom/press-key.ts";
import { startServiceWithKeys } from "../support/service-with-keys.ts";
import { isGone, isShown, toast } from "../support/undo.ts";
import { statusErrors } from "../support/user-form.ts";

const names = (page: DomLocator) => page.locator(".list-name").allTextContents();
const untilNames = (page: DomLocator, expected: readonly string[]) =>
  untilPasses(async () => expect(await names(page)).toEqual([...expected]));
const button = (page: DomLocator, name: string) => page.getByRole("button", { name, exact: true });
const nameField = (page: DomLocator) => page.getByRole("textbox", { name: "Name", exact: true });

test("an empty list says what groups are for, and creates the first one", async () => {
  await using opened = await mountConsole({ path: "/groups" });
  const { page, errors, window } = opened;
  await page.getByRole("heading", { name: "No groups yet" }).waitFor();
  await button(page, "New group").click();
  expect(window.document.title).toBe("New group · Roster");
  await nameField(page).fill("Sales");
  await button(page, "Create group").click();
  await page.getByRole("heading", { name: /^Sales/ }).waitFor();
  await toast(opened, "Sales created").waitFor();
  expect([window.location.pathname, window.document.title]).toEqual(["/groups/1", "Sales · Roster"]);
  await page.getByRole("heading", { name: "No members yet" }).waitFor();
  expect(errors).toEqual([]);
});

describe("the list of groups", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
    const { users, groups } = service.roster;
    await users.import(Array.from({ length: 12 }, (_, index) => ({ name: `User ${index + 1}` }))).summary();
    const sizes = { Sales: 2, "Sales north": 12, Support: 0, Ärzte: 1 };
    for (const [name, size] of Object.entries(sizes)) {
      const { id } = await groups.create({ name, region: "north" });
      if (size > 0)
        await groups.add(
          id,
          Array.from({ length: size }, (_, index) => index + 1),
        );
    }
  });
  afterAll(() => service?.stop());

  const openList = (path = "/groups") => mountConsole({ service, path });

  test("shows the number of members and the custom fields", async () => {
    await using opened = await openList();
    const { page } = opened;
    await untilNames(page, ["Ärzte", "Sales", "Sales north", "Support"]);
    expect(await page.getByRole("columnheader").allTextContents()).toEqual([
      "Name",
      "Members",
      "region",
      "Created",
    ]);
    expect(
      await page
        .getByRole("row", { name: /^Sales north/ })
        .locator("td")
        .allTextContents(),
    ).toEqual(expect.arrayContaining(["Sales north", "12", "north"]));
    await untilPasses(async () => expect(await page.locator(".view-title .count").textContent()).toBe("4"));
    expect(opened.errors).toEqual([]);
  });

  test("is searched and sorted, and its address has both", async () => {
    await using opened = await openList();
    const { page, window } = opened;
    await page.getByRole("searchbox", { name: "Search by name" }).fill("sales");
    await untilNames(page, ["Sales", "Sales north"]);
    await page.getByRole("combobox", { name: "Sort by" }).selectOption("Most members");
    await untilNames(page, ["Sales north", "Sales"]);
    expect(window.location.search).toBe("?q=sales&sort=-memberCount");
    await untilPasses(async () => expect(await page.locator(".view-title .count").textContent()).toBe("2"));
    await page.getByRole("searchbox", { name: "Search by name" }).fill("nothing");
    await page.getByRole("heading", { name: "No matching groups" }).waitFor();
    await button(page, "Clear search").last().click();
    await untilNames(page, ["Sales north", "Sales", "Ärzte", "Support"]);
    expect(opened.errors).toEqual([]);
  });

  test("opens with the address of a search, and with G G", async () => {
    await using opened = await openList("/groups?q=sales&sort=createdAt");
    await untilNames(opened.page, ["Sales", "Sales north"]);
    await using other = await openList("/keys");
    await other.page.getByRole("heading", { name: "Keys" }).waitFor();
    pressKeys(other.window, { key: "g" });
    pressKeys(other.window, { key: "g" });
    await untilPasses(async () => expect((await names(other.page)).length).toBe(4));
  });

  test("shows a name that another group has at the field", async () => {
    await using opened = await openList();
    const { page, errors } = opened;
    await untilNames(page, ["Ärzte", "Sales", "Sales north", "Support"]);
    pressKeys(opened.window, { key: "n" });
    await nameField(page).fill("SALES");
    await button(page, "Create group").click();
    await page.getByText('Another group has the name "SALES".').waitFor();
    expect(await nameField(page).isFocused()).toBe(true);
    await nameField(page).fill("Guests");
    await page.getByText('Another group has the name "SALES".').waitFor({ state: "detached" });
    await button(page, "Cancel").click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();
    await untilPasses(async () => expect(opened.window.location.pathname).toBe("/groups"));
    expect(errors).toEqual(statusErrors(409));
  });

  test("deletes a group after a question, which wants the name of a group with many members", async () => {
    await using opened = await openList();
    const { page } = opened;
    await untilNames(page, ["Ärzte", "Sales", "Sales north", "Support"]);
    const remove = async (name: string) => {
      await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
      await page.getByRole("menuitem", { name: "Delete group" }).click();
    };
    await remove("Support");
    await page.getByText("The group has no members. It can't be restored.").waitFor();
    await button(page, "Delete group").click();
    await untilNames(page, ["Ärzte", "Sales", "Sales north"]);
    await toast(opened, "Support deleted").waitFor();
    await remove("Sales north");
    await page.getByText(/^12 members lose the membership/).waitFor();
    await button(page, "Delete group").click();
    await page.getByText("This is not the name of the group.").waitFor();
    await page.getByLabel("Type Sales north to confirm").fill("Sales north");
    await button(page, "Delete group").click();
    await untilNames(page, ["Ärzte", "Sales"]);
    expect((await service.roster.groups.list().all()).map(({ name }) => name)).toEqual(["Sales", "Ärzte"]);
    expect(opened.errors).toEqual([]);
  });

  test("shows groups that others create and change", async () => {
    await using opened = await openList();
    const { page, errors } = opened;
    await untilNames(page, ["Ärzte", "Sales"]);
    await untilPasses(async () => {
      // Events are followed from the first one after the list.
      const { groups } = service.roster;
      const zeta = (await groups.find({ name: "Zeta" })) ?? (await groups.create({ name: "Zeta" }));
      await groups.update(zeta.id, { tries: zeta.version });
      expect(await names(page)).toEqual(["Ärzte", "Sales", "Zeta"]);
    });
    expect(errors).toEqual([]);
  });

  test("exports the groups that the search finds", async () => {
    await using opened = await openList("/groups?q=sales");
    const { page } = opened;
    await untilNames(page, ["Sales"]);
    await button(page, "Export").click();
    await page.getByRole("radio", { name: /NDJSON/ }).check();
    await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
    await page
      .locator(".toast")
      .getByText(/^groups-.*\.ndjson saved$/)
      .waitFor();
    expect(opened.errors).toEqual([]);
  });

  test.each(["/groups/999", "/groups/999/fields", "/groups/999/history"])(
    "the address %s of a group that does not exist says so",
    async (path) => {
      await using opened = await openList(path);
      await opened.page.getByRole("heading", { name: "Group not found" }).waitFor();
      await opened.page.getByRole("link", { name: "Back to groups" }).click();
      await untilPasses(async () => expect((await names(opened.page)).length).toBeGreaterThan(1));
    },
  );
});

describe("with a key", () => {
  const start = async () => {
    const secured = await startServiceWithKeys();
    const { users, groups } = secured.roster;
    await users.create({ name: "Ada" });
    await groups.create({ name: "Sales" });
    await groups.add(1, [1]);
    return secured;
  };
  const links = (opened: MountedConsole) =>
    opened.page.getByRole("navigation", { name: "Views" }).getByRole("link").allTextContents();

  test("that reads groups only, the list has no buttons that write, and members need another key", async () => {
    await using secured = await start();
    await using opened = await openAs(secured, ["groups:read"], "/groups");
    const { page } = opened;
    await untilNames(page, ["Sales"]);
    expect(await button(page, "New group").count()).toBe(0);
    await page.getByRole("button", { name: "Actions for Sales" }).click();
    expect(await page.getByRole("menuitem").allTextContents()).toEqual([
      "Open",
      "Open in new tab",
      "Copy ID",
    ]);
    opened.open("/groups/1");
    await page.getByRole("heading", { name: "Your key can't see members" }).waitFor();
    expect(await button(page, "Add members").count()).toBe(0);
    opened.open("/groups/1/fields");
    await page
      .getByText(/^Read-only\. To edit, sign in with a key that has the scope groups:write/)
      .waitFor();
    expect(await nameField(page).isEditable()).toBe(false);
    opened.open("/groups/1/history");
    await page.getByRole("heading", { name: "Your key can't see the history" }).waitFor();
  });

  test("that reads groups and users, members are shown and cannot be changed", async () => {
    await using secured = await start();
    await using opened = await openAs(secured, ["groups:read", "users:read"], "/groups/1");
    const { page } = opened;
    await isShown(opened, "Ada");
    expect(await button(page, "Add members").count()).toBe(0);
    await page.getByRole("checkbox", { name: "Select Ada" }).click();
    await page.getByText("1 selected").waitFor();
    expect(await page.getByRole("button", { name: /^Remove/ }).count()).toBe(0);
    await page.getByRole("button", { name: "Actions for Ada" }).click();
    await page.getByRole("menuitem", { name: "Copy ID" }).waitFor();
    expect(await page.getByRole("menuitem", { name: "Remove from group" }).count()).toBe(0);
  });

  test("that writes groups and reads users, members are removed without the scope users:write", async () => {
    await using secured = await start();
    await using opened = await openAs(secured, ["groups:read", "groups:write", "users:read"], "/groups/1");
    const { page } = opened;
    await isShown(opened, "Ada");
    await page.getByRole("checkbox", { name: "Select Ada" }).click();
    await page.getByRole("button", { name: "Remove from group" }).click();
    await isGone(opened, "Ada");
    expect((await secured.roster.groups.get(1)).memberCount).toBe(0);
  });

  test("without groups:read, the navigation has no groups, and their address names the scope", async () => {
    await using secured = await start();
    await using opened = await openAs(secured, ["users:read"], "/groups/1");
    await opened.page.getByText(/needs a key with the scope groups:read/).waitFor();
    expect(await links(opened)).not.toContain("Groups");
  });
});
