/** Checks views, menus and dialogs with axe while they are open, each once in either theme. Other tests check states that need more. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { overflowWidth } from "../support/browser-page.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { accessibilityErrorsInBothThemes, type Console, openConsole, press } from "./support/console.ts";
import { userPage } from "./support/user-form.ts";

setDefaultTimeout(120_000);

interface State {
  readonly path?: string;
  readonly isPhone?: boolean;
  /** Opens the state in the view. */
  readonly open: (page: Page, service: TestService) => Promise<unknown>;
}

const row = (page: Page, name = "Ada Lovelace") => page.getByRole("row", { name: new RegExp(name) });
const heading = (name: string) => (page: Page) => page.getByRole("heading", { name }).waitFor();

const openPalette = async (page: Page, text: string) => {
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByRole("combobox", { name: "Find a user, a group, a view or an action" }).fill(text);
};

const openFilter = async (page: Page, field: string) => {
  await press(page, "Filter");
  await page.getByRole("combobox", { name: "Find a field" }).fill(field);
  await page.getByRole("option", { name: field, exact: true }).click();
};

const withUsers: Record<string, State> = {
  "the table": { open: (page) => row(page).waitFor() },
  "the table on a phone": { isPhone: true, open: (page) => row(page).waitFor() },
  "filters of the table": { path: "/users?plan=pro&level=3", open: (page) => row(page).waitFor() },
  "the fields to filter by": {
    open: async (page) => {
      await press(page, "Filter");
      await page.getByRole("option", { name: "plan" }).waitFor();
    },
  },
  "the values of a filter": {
    open: async (page) => {
      await openFilter(page, "plan");
      await page.getByRole("checkbox", { name: "pro" }).check();
    },
  },
  "the values of a filter on a phone": {
    isPhone: true,
    open: async (page) => {
      await openFilter(page, "plan");
      await page.getByRole("checkbox", { name: "pro" }).check();
    },
  },
  "the groups to filter by": {
    open: async (page, { roster }) => {
      await roster.groups.create({ name: "Sales" });
      await press(page, "Filter");
      await page.getByRole("option", { name: "Group" }).click();
      await page.getByRole("checkbox", { name: "Sales" }).check();
    },
  },
  "the groups of a user": {
    path: "/users/1",
    open: async (page, { roster }) => {
      const { id } = await roster.groups.create({ name: "Support" });
      await roster.groups.add(id, [1]);
      await page.reload();
      await page.getByRole("link", { name: "Support", exact: true }).waitFor();
      await press(page, "Add to group");
      await page.getByRole("option").first().waitFor();
    },
  },
  "the group of selected users": {
    open: async (page, { roster }) => {
      await roster.groups.create({ name: "Guests" });
      await row(page).getByRole("checkbox").check();
      await press(page, "Groups");
      await page.getByRole("menuitem", { name: "Add to group" }).click();
      await page.getByRole("option", { name: "Guests" }).waitFor();
    },
  },
  "the list of groups": { path: "/groups", open: (page) => row(page, "Accounts").waitFor() },
  "the list of groups on a phone": {
    path: "/groups",
    isPhone: true,
    open: (page) => row(page, "Accounts").waitFor(),
  },
  "a name that another group has": {
    path: "/groups/new",
    open: async (page) => {
      await page.getByLabel("Name", { exact: true }).fill("Accounts");
      await press(page, "Create group");
      await page.getByText("Another group has the name").waitFor();
    },
  },
  "the members of a group": {
    path: "/groups?q=accounts",
    open: async (page) => {
      await page.getByRole("link", { name: "Accounts" }).click();
      await row(page).getByRole("checkbox").check();
      await page.getByRole("button", { name: "Remove from group" }).waitFor();
    },
  },
  "the members of a group on a phone": {
    path: "/groups/1",
    isPhone: true,
    open: async (page) => {
      await row(page).getByRole("checkbox").check();
      await page.getByRole("button", { name: "Remove" }).waitFor();
    },
  },
  "the fields of a group": {
    path: "/groups/1/fields",
    open: async (page) => {
      await press(page, "Add field");
      await page.getByLabel("Field name").fill("owner");
      await page.getByRole("button", { name: "Save" }).waitFor();
    },
  },
  "the history of a group": {
    path: "/groups/1/history",
    open: (page) => page.getByText("created the group").waitFor(),
  },
  "users to add to a group": {
    path: "/groups/1",
    open: async (page) => {
      await press(page, "Add members");
      await page.getByRole("combobox", { name: "Find a user" }).fill("ada");
      await page.getByRole("option").first().click();
      await page.getByRole("list", { name: "Users to add" }).waitFor();
    },
  },
  "what was found of the users to add to a group": {
    path: "/groups/1",
    isPhone: true,
    open: async (page) => {
      await press(page, "Add members");
      await page.getByLabel("IDs, emails or user names").fill("1, 2, nobody@example.com");
      await press(page, "Check");
      await page.getByRole("heading", { name: "1 is a member already" }).waitFor();
    },
  },
  "the question before a group is deleted": {
    path: "/groups/1",
    open: async (page) => {
      await press(page, "Actions for Accounts");
      await page.getByRole("menuitem", { name: "Delete group" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "a range that is not valid in a filter": {
    open: async (page) => {
      await openFilter(page, "level");
      await page.getByLabel("From").fill("many");
      await press(page, "Apply");
      await page.getByText("Enter a number").waitFor();
    },
  },
  "an invalid filter expression": {
    open: async (page) => {
      await press(page, "Filter");
      await press(page, "Filter expression");
      await page.getByRole("textbox", { name: "Filter expression" }).fill("plan is 3");
      await press(page, "Apply expression");
      await page.getByText("The invalid part is marked").waitFor();
    },
  },
  "the choice of columns": {
    open: async (page) => {
      await press(page, "Columns");
      await page.getByRole("checkbox", { name: "ID", exact: true }).check();
    },
  },
  "the menu of a row": {
    open: async (page) => {
      await press(page, "Actions for Ada Lovelace");
      await page.getByRole("menuitem", { name: "Open in new tab" }).waitFor();
    },
  },
  "the menu of the account": {
    open: async (page) => {
      await page.getByRole("button", { name: /^Account: / }).click();
      await page.getByRole("menu").waitFor();
    },
  },
  "the navigation on a phone": {
    isPhone: true,
    open: async (page) => {
      await press(page, "Open the navigation");
      await page.getByRole("dialog").waitFor();
    },
  },
  "the palette with results": {
    open: async (page) => {
      await openPalette(page, "ada");
      await page.getByRole("option", { name: /Ada Lovelace/ }).waitFor();
    },
  },
  "the palette without results": {
    open: async (page) => {
      await openPalette(page, "no such thing");
      await page.getByText("Nothing found").waitFor();
    },
  },
  "a deleted user that can be restored": {
    open: async (page) => {
      await row(page, "Émile Zola").focus();
      await page.keyboard.press("Delete");
      await page.getByRole("button", { name: "Undo" }).waitFor();
    },
  },
  "a search without results": { path: "/users?q=nobody", open: heading("No matching users") },
  "a service that does not respond": {
    open: async (page) => {
      await row(page).waitFor();
      // Any response would make the console try again.
      await page.route("**/api/**", (route) => route.abort());
      await page.getByRole("searchbox").fill("ada");
      await heading("Can't reach the service")(page);
    },
  },
  "a user with a user name that another one has, and data of SCIM": {
    path: "/users/1",
    open: async (page, { roster }) => {
      await roster.users.update(1, { scim: { externalId: "a-1" } });
      await roster.users.update(3, { userName: "boris" });
      await page.reload();
      const { main, userName, button } = userPage(page);
      await main.getByText("Data of SCIM clients").click();
      await userName.fill("Boris");
      await button("Save").click();
      await main.getByRole("link", { name: "Open Борис Ельцин" }).waitFor();
    },
  },
  "a user whom someone else deleted": {
    path: "/users/3",
    open: async (page, { roster }) => {
      const { main, name, button } = userPage(page);
      await name.fill("Boris");
      await roster.users.delete(3);
      await button("Save").click();
      await main.getByText(/^Someone deleted/).waitFor();
    },
  },
  "a user whom someone else changed while a person edits it": {
    path: "/users/1",
    open: async (page, { roster }) => {
      const { main, name } = userPage(page);
      await name.fill("Ada King");
      // Events are followed from a moment after the user is loaded.
      await until(async () => {
        await roster.users.update(1, { level: (await roster.users.get(1)).version + 10 });
        return main.getByText("Your changes are in other fields.").isVisible();
      });
    },
  },
  "a burst of events": {
    path: "/activity",
    open: async (page, { roster }) => {
      for (const level of [1, 2, 3, 4]) await roster.users.update(1, { level });
      await page.reload();
      await page
        .getByRole("button", { name: /^Show \d+ events$/ })
        .first()
        .click();
      await page.getByRole("button", { name: "Hide events" }).waitFor();
    },
  },
  "the list of shortcuts on a phone": {
    isPhone: true,
    open: async (page) => {
      await row(page).waitFor();
      await page.keyboard.press("?");
      await page.getByText("G U").waitFor();
    },
  },
  "a user whose address another user has as email": {
    path: "/users",
    open: async (page, { roster, url }) => {
      await roster.users.create({ name: "Info desk", email: "info@example.com" });
      const emails = [
        { value: "info@example.com", type: "work", primary: true },
        { value: "grace@example.com", type: "home" },
      ];
      const { id } = await roster.users.create({ name: "Grace", userName: "grace", emails });
      await page.goto(`${url}/users/${id}`);
      await page.getByRole("link", { name: "Open Info desk" }).waitFor();
    },
  },
  "what to enter at providers on a phone": {
    path: "/provisioning",
    isPhone: true,
    open: async (page) => {
      await page.getByRole("tab", { name: "Okta" }).click();
      await page.getByText("SCIM connector base URL").waitFor();
    },
  },
  "an unknown address": { path: "/users/nobody", open: heading("Page not found") },
  "the overview, with a chart as a table": {
    path: "/",
    open: (page) => page.getByText("Show as table").last().click(),
  },
};

const withoutUsers: Record<string, State> = {
  "the overview": {
    path: "/",
    open: (page) => page.getByRole("button", { name: "Load sample users" }).waitFor(),
  },
  "the table": { open: heading("No users yet") },
  "the keys": {
    path: "/keys",
    open: (page) => page.getByText(/After that, every request needs a key/).waitFor(),
  },
};

const people = [
  { name: "Ada Lovelace", email: "ada@example.com", plan: "pro", level: 3 },
  { name: "Émile Zola", email: "emile@example.com", plan: "free" },
  { name: "Борис Ельцин", plan: "pro", tags: ["a", "b"] },
];

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

function checkStates(states: Record<string, State>, users: readonly { readonly name: string }[]): void {
  let service: TestService;
  let opened: Console;
  beforeAll(async () => {
    service = await startService();
    for (const user of users) await service.roster.users.create(user);
    if (users.length > 0) await service.roster.groups.create({ name: "Accounts" });
    if (users.length > 0) await service.roster.groups.add(1, [1]);
    opened = await openConsole(browser, { service });
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await service?.stop();
  });

  for (const [name, { path = "/users", isPhone = false, open }] of Object.entries(states)) {
    test(name, async () => {
      const { page } = opened;
      await page.unrouteAll();
      await page.setViewportSize(isPhone ? { width: 360, height: 740 } : { width: 1280, height: 800 });
      await page.goto(service.url + path);
      await open(page, service);
      if (isPhone) expect(await overflowWidth(page)).toBe(0);
      expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
    });
  }
}

describe("no accessibility errors in either theme, with users", () => checkStates(withUsers, people));
describe("no accessibility errors in either theme, without users", () => checkStates(withoutUsers, []));
