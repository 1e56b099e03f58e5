import type { Page } from "playwright-core";
import { answer, changeSession, refuse, reloadWith, sendEvents, wait } from "./user-requests.ts";
import type { View } from "./view.ts";

const firstRow = (page: Page) => page.locator("tbody tr").first().waitFor();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

async function openFilter(page: Page, field: string): Promise<void> {
  await press(page, "Filter");
  await page.getByRole("combobox", { name: "Find a field" }).fill(field);
  await page.locator(".popup").getByRole("option", { name: field }).first().click();
}

async function chooseCondition(page: Page, label: string): Promise<void> {
  await page.getByRole("combobox", { name: "Condition" }).selectOption({ label });
}

/** The id of a group that was deleted. */
const NO_GROUP = 999;

const savedLists = JSON.stringify([
  { name: "Team plan by name", query: "?plan=team&sort=name" },
  { name: "Not active", query: "?active=false" },
  { name: "Everyone in the north who joined in the last thirty days", query: "?country=NO&sort=-createdAt" },
]);

const longUser = {
  id: 4242,
  name: "Wolfeschlegelsteinhausenbergerdorff Featherstonehaugh-Cholmondeley of Llanfairpwllgwyngyll",
  email: "wolfeschlegelsteinhausenbergerdorff.featherstonehaugh.cholmondeley@llanfairpwllgwyngyll.example",
  plan: "enterprise-with-a-very-long-suffix-that-nobody-expected",
  tags: ["first", "second-which-is-long", "third", "fourth", "fifth"],
  address: { city: "Llanfairpwllgwyngyll", street: "Stryd Fawr" },
  level: 1234567890.12345,
  active: false,
  createdAt: "2026-01-02T03:04:05.678Z",
  updatedAt: "2026-01-02T03:04:05.678Z",
  version: 12,
};

const tableViews: Record<string, View> = {
  users: { path: "/users", prepare: (page) => page.locator("tbody tr").nth(5).waitFor() },
  "users-comfortable": {
    path: "/users",
    prepare: (page) => reloadWith(page, "roster-density", "comfortable"),
  },
  "users-groups": {
    path: `/users?group=1&group=2&group=${NO_GROUP}`,
    async prepare(page) {
      await firstRow(page);
      await page.locator(".chip-label").click();
      await page.locator(".popup .check-line").first().waitFor();
    },
  },
  "users-loading": { path: "/users", hold: "**/api/users?*", prepare: firstRow },
  "users-old": {
    path: "/users",
    async prepare(page) {
      await firstRow(page);
      await page.route("**/api/users?*", wait);
      await page.getByRole("searchbox").fill("ann");
      await page
        .locator(".grid-frame[data-old], .grid-frame[aria-busy=true], [aria-busy=true]")
        .first()
        .waitFor();
    },
  },
  "users-failed": {
    path: "/users",
    fail: "**/api/users?*",
    prepare: (page) => page.getByRole("button", { name: "Try again" }).waitFor(),
  },
  "users-more-failed": {
    path: "/users",
    async prepare(page) {
      await firstRow(page);
      await page.route("**/api/users?*", (route) => route.fulfill({ status: 500 }));
      await page.locator(".grid").evaluate((grid) => grid.scrollTo({ top: 60_000 }));
      await page.getByRole("button", { name: "Try again" }).waitFor();
    },
  },
  "users-away": {
    path: "/users",
    async prepare(page) {
      await firstRow(page);
      for (const address of ["**/api/**", "**/healthz"]) await page.route(address, (route) => route.abort());
      await press(page, "Refresh");
      await page.getByText("The service doesn't respond").waitFor();
    },
  },
  "users-offline": {
    path: "/users",
    async prepare(page) {
      await firstRow(page);
      await page.evaluate(() => {
        Object.defineProperty(navigator, "onLine", { get: () => false });
        dispatchEvent(new Event("offline"));
      });
      await page.getByText("You are offline").waitFor();
    },
  },
  "users-new-ones": {
    path: "/users",
    async prepare(page) {
      const event = { time: new Date().toISOString(), actor: { type: "anonymous" }, requestId: null };
      const about = (type: string, id: number) => ({
        ...event,
        id: `${id}`.padStart(11, "9"),
        type,
        subject: { type: "user", id },
        version: 1,
        changes: {},
        record: null,
      });
      await sendEvents(page, [
        about("user.created", 90_001),
        about("user.created", 90_002),
        about("user.deleted", 4990),
      ]);
      await page.getByRole("button", { name: /new/ }).last().waitFor();
    },
  },
  "users-focus": {
    path: "/users",
    async prepare(page) {
      await page.locator("tbody tr").nth(3).waitFor();
      await page.locator("tbody tr").first().focus();
      await page.keyboard.press("ArrowDown");
      await page.locator("tbody tr").nth(3).hover();
    },
  },
  "users-scrolled": {
    path: "/users?fields=name,email,plan,country,city,department,level,joinedOn,tags,active,address,phone,version,createdAt,updatedAt",
    async prepare(page) {
      await reloadWith(page, "roster-pinned-columns", JSON.stringify(["plan"]));
      await page.locator(".grid").evaluate((grid) => grid.scrollTo({ left: 420 }));
    },
  },
  "users-long": {
    path: "/users?fields=name,email,plan,tags,address,level,active,createdAt",
    async prepare(page) {
      await answer(page, "GET", "**/api/users?*", (route) =>
        route.fulfill({
          json: [
            longUser,
            { ...longUser, id: 4241, name: "Short Name", email: "s@example.com", plan: "free" },
          ],
        }),
      );
      await page.reload();
      await firstRow(page);
    },
  },
  "row-menu": {
    path: "/users",
    prepare: (page) => page.locator("tbody tr").nth(2).click({ button: "right" }),
  },
  columns: {
    path: "/users",
    async prepare(page) {
      await firstRow(page);
      // Phones have no columns to choose.
      const button = page.getByRole("button", { name: "Columns" });
      if (await button.isVisible()) await button.click();
    },
  },
  "columns-end": {
    path: "/users",
    async prepare(page) {
      await firstRow(page);
      const button = page.getByRole("button", { name: "Columns" });
      if (!(await button.isVisible())) return;
      await button.click();
      await page.getByRole("button", { name: "Reset to default" }).scrollIntoViewIfNeeded();
    },
  },
  "users-reader": { path: "/users", as: "reader", prepare: firstRow },
  "users-empty": { path: "/users", onEmptyService: true },
  "users-empty-sample": {
    path: "/users",
    onEmptyService: true,
    // Only for the picture with the spinner.
    hold: "**/api/none",
    async prepare(page) {
      await answer(page, "POST", "**/api/users/import*", wait);
      await press(page, "Load sample users");
      await page.locator(".button .spinner").waitFor();
    },
  },
  "users-empty-reader": {
    path: "/users",
    as: "reader",
    async prepare(page) {
      await answer(page, "GET", "**/api/users?*", (route) => route.fulfill({ json: [] }));
      await page.reload();
      await page.getByText("No users yet").waitFor();
    },
  },
  "no-matches": {
    path: "/users?q=nobody%20at%20all",
    prepare: (page) => page.getByText("No matching users").waitFor(),
  },
  "filter-refused": {
    path: "/users?filter=plan%20is%20team",
    prepare: (page) => page.getByRole("button", { name: "Clear search and filters" }).waitFor(),
  },
  "user-deleted-toast": {
    path: "/users",
    async prepare(page) {
      await answer(page, "DELETE", "**/api/users/*", (route) => route.fulfill({ status: 204 }));
      await page.locator("tbody tr").nth(2).focus();
      await page.keyboard.press("Delete");
      await page.getByRole("button", { name: "Undo" }).waitFor();
    },
  },
  "user-not-deleted": {
    path: "/users",
    async prepare(page) {
      await answer(
        page,
        "DELETE",
        "**/api/users/*",
        refuse(412, "version-mismatch", { title: "Changed", detail: "If-Match does not match." }),
      );
      await page.locator("tbody tr").nth(2).focus();
      await page.keyboard.press("Delete");
      await page.getByText("was not deleted").first().waitFor();
    },
  },
  "delete-for-good": {
    path: "/users",
    async prepare(page) {
      await changeSession(page, { deletedDays: 0 });
      await page.locator("tbody tr").nth(2).focus();
      await page.keyboard.press("Delete");
      await page.getByRole("alertdialog").waitFor();
    },
  },
};

const filterViews: Record<string, View> = {
  search: {
    path: "/users?q=an&plan=team&sort=name",
    prepare: (page) => page.locator("tbody tr").nth(1).waitFor(),
  },
  "filter-chips": {
    path: "/users?plan=team&plan=enterprise&country=GB&active=true&filter=createdAt%20ge%20%222020-01-01T00:00:00Z%22%20and%20not%20(tags%20pr)",
    prepare: (page) => page.getByRole("button", { name: "Clear all" }).waitFor(),
  },
  "filter-fields": {
    path: "/users",
    async prepare(page) {
      await press(page, "Filter");
      await page.getByRole("option", { name: "plan" }).waitFor();
    },
  },
  "filter-no-field": {
    path: "/users",
    async prepare(page) {
      await press(page, "Filter");
      await page.getByRole("combobox", { name: "Find a field" }).fill("salary");
      await page.getByText("No field matches").waitFor();
    },
  },
  "filter-values": {
    path: "/users?plan=team",
    async prepare(page) {
      await page.getByRole("button", { name: "plan is team", exact: true }).click();
      await page.getByRole("checkbox", { name: "team", checked: true }).waitFor();
    },
  },
  "filter-many-values": {
    path: "/users",
    async prepare(page) {
      await openFilter(page, "country");
      await page.locator(".popup").getByRole("checkbox").nth(4).check();
      await press(page, "Apply");
      await page.locator(".chip-label").first().click();
      await page.getByRole("textbox", { name: "Value" }).fill("Atlantis");
      await page.getByText("“Atlantis”").waitFor();
    },
  },
  "filter-values-failed": {
    path: "/users",
    async prepare(page) {
      await firstRow(page);
      await page.route("**/api/fields/*/values*", (route) => route.fulfill({ status: 500 }));
      await openFilter(page, "country");
      await page.getByText("The values could not be loaded").waitFor();
      await press(page, "Apply");
    },
  },
  "filter-yes-no": {
    path: "/users",
    async prepare(page) {
      await openFilter(page, "Active");
      await page.getByRole("checkbox", { name: "Yes" }).check();
    },
  },
  "filter-number": {
    path: "/users",
    async prepare(page) {
      await openFilter(page, "seats");
      await chooseCondition(page, "is from … to …");
      await page.getByLabel("From", { exact: true }).fill("many");
      await page.getByLabel("To", { exact: true }).fill("12");
      await press(page, "Apply");
      await page.getByText("Enter a number").first().waitFor();
    },
  },
  "filter-dates": {
    path: "/users",
    async prepare(page) {
      await openFilter(page, "Created");
      await chooseCondition(page, "is from … to …");
      await page.getByLabel("From", { exact: true }).fill("2026-01-31");
    },
  },
  "filter-days": {
    path: "/users",
    async prepare(page) {
      await openFilter(page, "Created");
      await chooseCondition(page, "is in the last … days");
      await page.getByRole("textbox", { name: "Days" }).fill("7");
    },
  },
  "filter-expression": {
    path: "/users",
    async prepare(page) {
      await press(page, "Filter");
      await press(page, "Filter expression");
      await page.getByRole("textbox", { name: "Filter expression" }).fill("plan is team");
      await press(page, "Apply expression");
      await page.getByText("The invalid part is marked").waitFor();
    },
  },
  "saved-lists": {
    path: "/users?plan=team&sort=name",
    async prepare(page) {
      await press(page, "Lists");
      await page.getByRole("menuitem", { name: "Save current list" }).click();
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Team plan by name");
      await press(page, "Save list");
      await press(page, "List: Team plan by name");
    },
  },
  "save-list": {
    path: "/users?plan=team&sort=name",
    async prepare(page) {
      await firstRow(page);
      await page.locator(".lists-choice").click();
      await page.getByRole("menuitem", { name: "Save current list" }).click();
      await page.getByRole("textbox", { name: "Name", exact: true }).fill(" ");
      await press(page, "Save list");
      await page.getByText("Enter a name").waitFor();
    },
  },
  "replace-list": {
    path: "/users?plan=team&sort=name",
    async prepare(page) {
      await reloadWith(page, "roster-lists", savedLists);
      await page.locator(".lists-choice").click();
      await page.getByRole("menuitem", { name: "Save current list" }).click();
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Not active");
    },
  },
  "manage-lists": {
    path: "/users",
    async prepare(page) {
      await reloadWith(page, "roster-lists", savedLists);
      await page.locator(".lists-choice").click();
      await page.getByRole("menuitem", { name: "Manage saved lists" }).click();
      await page.getByRole("textbox").nth(1).fill("team plan by name");
      await press(page, "Save changes");
    },
  },
};

export const usersViews: Record<string, View> = { ...tableViews, ...filterViews };
