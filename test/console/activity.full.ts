import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { untilPasses } from "../support/until.ts";
import { openConsole, tabTo } from "./support/console.ts";
import { expectAccessible, openSharedPage, type SharedPage } from "./support/shared-page.ts";
import { openDrawer } from "./support/user-form.ts";

setDefaultTimeout(120_000);

let shared: SharedPage;
beforeAll(async () => {
  shared = await openSharedPage("/keys");
  const { users } = shared.roster;
  const ada = await users.create({ name: "Ada Lovelace", department: "engines" });
  await users.update(ada.id, { department: "research", level: 3 });
  const bob = await users.create({ name: "Bob" });
  await users.delete(bob.id);
}, 120_000);
afterAll(() => shared[Symbol.asyncDispose]());

const feed = () => shared.page.getByRole("region", { name: "Events" });
const sentences = () => feed().locator("p").allTextContents();

test("says who did what, newest first, with the values before and after", async () => {
  const { page, errors } = shared;
  await shared.open("/activity");
  await feed().getByText("deleted Bob").waitFor();
  await untilPasses(async () =>
    expect(await sentences()).toEqual([
      "first deleted Bob",
      "first created Bob",
      "first changed Ada Lovelace: department engines → research and level not set → 3",
      "first created Ada Lovelace",
      "Someone without a key created the key first",
    ]),
  );
  await page.getByRole("heading", { name: "Today" }).waitFor();
  const update = feed().getByRole("listitem").filter({ hasText: "department engines" });
  await update.getByRole("button", { name: "Show details" }).press("Enter");
  const values = (field: string) =>
    update.getByRole("row").filter({ hasText: field }).getByRole("cell").allTextContents();
  expect(await values("department")).toEqual(["engines → research"]);
  expect(await values("level")).toEqual(["Not set → 3"]);
  await expectAccessible(page);
  await update.getByRole("link", { name: "All events of this user" }).click();
  await page.getByRole("button", { name: "Remove filter Ada Lovelace" }).waitFor();
  await untilPasses(async () => expect(await sentences()).toHaveLength(2));
  expect(errors).toEqual([]);
});

test("filters by type, user, key and time, in an address that Back undoes", async () => {
  const { page } = shared;
  await shared.open("/activity");
  await page.getByLabel("Event", { exact: true }).selectOption("User changed");
  await page.waitForURL(/type=user\.updated/);
  await feed().getByText("deleted Bob").waitFor({ state: "detached" });
  await untilPasses(async () => expect(await sentences()).toHaveLength(1));
  await page.goBack();
  await feed().getByText("deleted Bob").waitFor();
  await page.getByLabel("User or group").fill("1");
  await page.keyboard.press("Enter");
  await page.waitForURL(/subject=user%3A1/);
  await page.getByLabel("Made by").selectOption("A command on the server");
  await page.waitForURL(/actor=command/);
  await page.getByText("No matching events").waitFor();
  await page.getByRole("main").getByRole("button", { name: "Clear filters" }).last().click();
  await page.getByLabel("Time").selectOption("Last hour");
  await page.waitForURL(/\?within=1h$/);
  await feed().getByText("deleted Bob").waitFor();
});

test("counts new events and shows them on request, while details stay open", async () => {
  const { page, roster } = shared;
  await shared.open("/activity");
  await page.getByRole("button", { name: "Show details" }).first().click();
  await roster.users.create({ name: "Carol" });
  await roster.users.create({ name: "Dave" });
  await page.getByRole("button", { name: "Show 2 new events" }).waitFor();
  expect(await feed().getByText("created Carol").count()).toBe(0);
  await page.getByRole("button", { name: "Show 2 new events" }).click();
  await feed().getByText("created Dave").waitFor();
  await untilPasses(async () => expect((await sentences())[0]).toBe("first created Dave"));
  await page.getByRole("button", { name: "Hide details" }).waitFor();
  await roster.users.update(1, { level: 4 });
  await page.getByRole("button", { name: "Show 1 new event" }).waitFor();
});

test("shows the history of a user in the user's form, with the keyboard", async () => {
  const { page } = shared;
  await shared.open("/users");
  await openDrawer(page);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "History" }).waitFor();
  await tabTo(page, ".history-toggle");
  await page.keyboard.press("Enter");
  await dialog.getByText("changed department engines → research and level not set → 3").waitFor();
  await dialog.getByText("created this user").waitFor();
});

test("names the missing scope, and is not in the navigation without it", async () => {
  const { browser, service, roster } = shared;
  const { key } = await roster.keys.create({ name: "reader", scopes: ["users:read"] });
  await using opened = await openConsole(browser, { service, path: "/activity", key });
  await opened.page.getByText("This needs a key with the scope events:read.").waitFor();
  expect(await opened.page.getByRole("navigation").getByRole("link", { name: "Activity" }).count()).toBe(0);
});
