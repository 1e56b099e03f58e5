import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { parseEntries } from "../../../src/console/groups/user-entries.ts";
import { startService, type TestService } from "../../support/service.ts";
import { untilPasses } from "../../support/until.ts";
import type { DomLocator } from "../support/dom/locator.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";
import { isGone, isShown, pressDelete, pressUndo, toast, undoButton } from "../support/undo.ts";
import { statusErrors } from "../support/user-form.ts";

let service: TestService;
let id = 0;
const people = ["Ada", "Bob", "Cem", "Dora", "Eve"];
beforeAll(async () => {
  service = await startService();
  const { users } = service.roster;
  for (const name of people) {
    const lower = name.toLowerCase();
    await users.create({ name, email: `${lower}@example.com`, userName: `${lower}1`, level: name.length });
  }
});
afterAll(() => service?.stop());
beforeEach(async () => {
  const { groups } = service.roster;
  for (const group of await groups.list().all()) await groups.delete(group.id);
  ({ id } = await groups.create({ name: "Sales" }));
  await groups.add(id, [1, 2, 3]);
});

const openGroup = (search = "") => mountConsole({ service, path: `/groups/${id}${search}` });
const button = (page: DomLocator, name: string) => page.getByRole("button", { name, exact: true });
const rows = (page: DomLocator) => page.locator(".grid .user-name").allTextContents();
const untilRows = (page: DomLocator, expected: readonly string[]) =>
  untilPasses(async () => expect(await rows(page)).toEqual([...expected]));
const memberIds = async () => (await service.roster.groups.members(id).all()).map((user) => user.id);
const untilCount = ({ page }: MountedConsole, count: string) =>
  untilPasses(async () => expect(await page.locator(".view-title .count").textContent()).toBe(count));

describe("the members of a group", () => {
  test("are in the table of users, with its search, filters, order and export", async () => {
    await using opened = await openGroup();
    const { page, window, errors } = opened;
    await untilRows(page, ["Cem", "Bob", "Ada"]);
    await untilCount(opened, "3 members");
    await page.getByText("1–3 of 3").waitFor();
    await page.getByRole("searchbox", { name: "Search by name or email" }).fill("b");
    await untilRows(page, ["Bob"]);
    opened.open(`/groups/${id}?sort=name&filter=${encodeURIComponent("level eq 3 or name eq 'x'")}`);
    await page.getByText("Clear search and filters").waitFor();
    opened.open(`/groups/${id}?sort=name&filter=${encodeURIComponent('level eq 3 or name eq "Dora"')}`);
    await untilRows(page, ["Ada", "Bob", "Cem"]);
    expect(window.location.pathname).toBe(`/groups/${id}`);
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("radio", { name: /NDJSON/ }).check();
    await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
    await page
      .locator(".toast")
      .getByText(/ndjson saved$/)
      .waitFor();
    expect(errors).toEqual(statusErrors(400, 400));
  });

  test("are removed when they are selected, and Undo adds them again", async () => {
    await using opened = await openGroup();
    const { page, errors } = opened;
    await untilRows(page, ["Cem", "Bob", "Ada"]);
    await page.getByRole("checkbox", { name: "Select Ada" }).click();
    await page.getByRole("checkbox", { name: "Select Cem" }).click();
    await page.getByRole("button", { name: "Remove from group" }).click();
    await untilRows(page, ["Bob"]);
    await untilCount(opened, "1 member");
    await toast(opened, "2 users removed from Sales").waitFor();
    expect(await memberIds()).toEqual([2]);
    await undoButton(opened).click();
    await untilRows(page, ["Cem", "Bob", "Ada"]);
    await toast(opened, "2 users added to Sales again").waitFor();
    expect(await memberIds()).toEqual([1, 2, 3]);
    expect(errors).toEqual([]);
  });

  test("are removed from the group, and not deleted, with Delete and in the menu of a row", async () => {
    await using opened = await openGroup();
    const { page } = opened;
    await pressDelete(opened, "Ada");
    await isGone(opened, "Ada");
    await toast(opened, "Ada removed from Sales").waitFor();
    await button(page, "Actions for Bob").click();
    await page.getByRole("menuitem", { name: "Remove from group" }).click();
    await isGone(opened, "Bob");
    expect((await service.roster.users.list().all()).length).toBe(people.length);
    pressUndo(opened);
    await isShown(opened, "Bob");
    pressUndo(opened);
    await isShown(opened, "Ada");
  });

  test("stay removed after an undo if another person has deleted these users", async () => {
    const zoe = await service.roster.users.create({ name: "Zoe" });
    await service.roster.groups.add(id, [zoe.id]);
    await using opened = await openGroup();
    await isShown(opened, "Zoe");
    await opened.page.getByRole("checkbox", { name: "Select Zoe" }).click();
    await opened.page.getByRole("checkbox", { name: "Select Ada" }).click();
    await opened.page.getByRole("button", { name: "Remove from group" }).click();
    await isGone(opened, "Zoe");
    await service.roster.users.delete(zoe.id, { purge: true });
    await undoButton(opened).click();
    await toast(opened, "1 user added to Sales again").waitFor();
    await toast(opened, "1 user not added again").waitFor();
    expect(await memberIds()).toEqual([1, 2, 3]);
  });

  test("change as others change them, when the person wants to see it", async () => {
    await using opened = await openGroup();
    const { page, errors } = opened;
    await untilRows(page, ["Cem", "Bob", "Ada"]);
    const notice = page.locator(".live-notice");
    await untilPasses(async () => {
      // Events are followed from the first one after the list.
      await service.roster.groups.remove(id, [4]);
      await service.roster.groups.add(id, [4]);
      expect(await notice.textContent()).toBe("1 new member");
    });
    await service.roster.groups.remove(id, [1]);
    await untilPasses(async () => expect(await notice.textContent()).toBe("1 new member, 1 removed"));
    await notice.getByRole("button").click();
    await untilRows(page, ["Dora", "Cem", "Bob"]);
    await untilCount(opened, "3 members");
    expect(errors).toEqual([]);
  });

  test("open on their own page", async () => {
    await using opened = await openGroup("?sort=name");
    await opened.page.getByRole("row", { name: /^Ada/ }).click();
    await untilPasses(async () => expect(opened.window.location.pathname).toBe("/users/1"));
    await opened.page.getByRole("heading", { name: "Ada", level: 1 }).waitFor();
  });

  test("are gone with a group that someone else deletes, and the page says so", async () => {
    await using opened = await openGroup();
    const { page } = opened;
    await untilRows(page, ["Cem", "Bob", "Ada"]);
    await service.roster.groups.delete(id);
    await page.getByRole("heading", { name: "Group not found" }).waitFor();
  });
});

test("all members that match are removed from the group, also those that are not loaded", async () => {
  const many = Array.from({ length: 150 }, (_, index) => ({ name: `Guest ${index}`, level: 9 }));
  await service.roster.users.import(many).summary();
  const guests = await service.roster.users.list({ where: { level: 9 } }).all();
  await service.roster.groups.add(
    id,
    guests.map((user) => user.id),
  );
  await using opened = await openGroup("?level=9");
  const { page, errors } = opened;
  await page.getByText(/of 150$/).waitFor();
  await page.getByRole("checkbox", { name: "Select all loaded users" }).click();
  await button(page, "Select all 150 matching").click();
  await page.getByRole("button", { name: "Remove from group" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Remove 150/ })
    .click();
  await page.getByRole("heading", { name: "No matching users" }).waitFor();
  expect(await memberIds()).toEqual([1, 2, 3]);
  await undoButton(opened).click();
  await page.getByText(/of 150$/).waitFor();
  expect((await service.roster.groups.get(id)).memberCount).toBe(153);
  for (const user of guests) await service.roster.users.delete(user.id, { purge: true });
  expect(errors).toEqual([]);
});

describe("new members", () => {
  const openDialog = async (opened: MountedConsole) => {
    await button(opened.page, "Add members").first().click();
    await opened.page.getByRole("heading", { name: "Add members to Sales" }).waitFor();
  };
  const paste = (page: DomLocator, text: string) => page.getByLabel("IDs, emails or user names").fill(text);

  test("are found by name or user name, and added; Undo removes them", async () => {
    await using opened = await openGroup();
    const { page, errors } = opened;
    await untilRows(page, ["Cem", "Bob", "Ada"]);
    await openDialog(opened);
    const field = page.getByRole("combobox", { name: "Find a user by name, email or user name" });
    await field.fill("dor");
    await page.getByRole("option", { name: /Dora/ }).click();
    await field.fill("eve1");
    await page.getByRole("option", { name: /Eve/ }).click();
    expect(
      await page.getByRole("list", { name: "Users to add" }).getByRole("listitem").allTextContents(),
    ).toEqual(["Dora", "Eve"]);
    await button(page, "Don't add Eve").click();
    await button(page, "Check").click();
    await page.getByRole("heading", { name: "1 user found" }).waitFor();
    await button(page, "Add 1 user").click();
    await untilRows(page, ["Dora", "Cem", "Bob", "Ada"]);
    await untilCount(opened, "4 members");
    await toast(opened, "1 user added to Sales").waitFor();
    await undoButton(opened).click();
    await untilRows(page, ["Cem", "Bob", "Ada"]);
    expect(errors).toEqual([]);
  });

  test("are pasted as ids, emails and user names, and checked before", async () => {
    await using opened = await openGroup();
    const { page, errors } = opened;
    await untilRows(page, ["Cem", "Bob", "Ada"]);
    await openDialog(opened);
    await paste(page, "1\nDORA@example.com, eve1;nobody@example.com\n999");
    await button(page, "Check").click();
    const results = page.locator(".member-results");
    await results.waitFor();
    expect(await results.locator("h3").allTextContents()).toEqual([
      "2 users found",
      "1 is a member already",
      "2 were not found, and are left out",
    ]);
    await untilPasses(async () =>
      expect(await results.getByRole("listitem").allTextContents()).toEqual([
        "DORA@example.com",
        "eve1",
        "Ada (1)",
        "nobody@example.com",
        "999",
      ]),
    );
    expect(await memberIds()).toEqual([1, 2, 3]);
    await button(page, "Back").click();
    await button(page, "Check").click();
    await button(page, "Add 2 users").click();
    await untilRows(page, ["Eve", "Dora", "Cem", "Bob", "Ada"]);
    expect(errors).toEqual([]);
  });

  test("are not checked without an entry, or with too many", async () => {
    await using opened = await openGroup();
    const { page } = opened;
    await openDialog(opened);
    await button(page, "Check").click();
    await page.getByText("Find a user, or paste at least one ID, email or user name.").waitFor();
    await paste(page, Array.from({ length: 5001 }, (_, index) => index + 1).join("\n"));
    await button(page, "Check").click();
    await page.getByText("These are 5,001. Add at most 5,000 at once.").waitFor();
    await paste(page, "nobody@example.com");
    await button(page, "Check").click();
    await page.getByText("None of these users can be added. Go back to change the list.").waitFor();
    await button(page, "Add 0 users").and(page.locator(":disabled")).waitFor();
  });

  test("cannot be added if another person has deleted the group", async () => {
    await using opened = await openGroup();
    const { page } = opened;
    await untilRows(page, ["Cem", "Bob", "Ada"]);
    await openDialog(opened);
    await paste(page, "4");
    await button(page, "Check").click();
    await page.getByRole("heading", { name: "1 user found" }).waitFor();
    await service.roster.groups.delete(id);
    await button(page, "Add 1 user").click();
    await page.getByRole("heading", { name: "Group not found" }).waitFor();
  });

  test("have a first action in an empty group", async () => {
    await service.roster.groups.remove(id, [1, 2, 3]);
    await using opened = await openGroup();
    await opened.page.getByRole("heading", { name: "No members yet" }).waitFor();
    await openDialog(opened);
    expect(opened.errors).toEqual([]);
  });
});

test.each([
  ["", []],
  ["  \n , ;\t", []],
  ["1, 2\n2", [1, 2]],
  ["ada@example.com\r\nAda King", ["ada@example.com", "Ada King"]],
  // An id that a number would round is a text.
  ["007,1234567890123456789", ["007", "1234567890123456789"]],
])("the list %j has these ids and names", (text, entries) => {
  expect(parseEntries(text)).toEqual(entries);
});
