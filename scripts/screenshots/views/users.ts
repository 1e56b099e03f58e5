import type { View } from "./view.ts";

export const usersViews: Record<string, View> = {
  users: { path: "/users", prepare: (page) => page.locator("tbody tr").nth(5).waitFor() },
  search: {
    path: "/users?q=an&plan=team&sort=name",
    prepare: (page) => page.locator("tbody tr").nth(1).waitFor(),
  },
  "no-matches": {
    path: "/users?q=nobody%20at%20all",
    prepare: (page) => page.getByText("No matching users").waitFor(),
  },
  "filter-fields": {
    path: "/users",
    async prepare(page) {
      await page.getByRole("button", { name: "Filter", exact: true }).click();
      await page.getByRole("option", { name: "plan" }).waitFor();
    },
  },
  "filter-values": {
    path: "/users?plan=team",
    async prepare(page) {
      await page.getByRole("button", { name: "plan is team", exact: true }).click();
      await page.getByRole("checkbox", { name: "team", checked: true }).waitFor();
    },
  },
  "filter-expression": {
    path: "/users",
    async prepare(page) {
      await page.getByRole("button", { name: "Filter", exact: true }).click();
      await page.getByRole("button", { name: "Filter expression" }).click();
      await page.getByRole("textbox", { name: "Filter expression" }).fill("plan is team");
      await page.getByRole("button", { name: "Apply expression" }).click();
      await page.getByText("The invalid part is marked").waitFor();
    },
  },
  "saved-lists": {
    path: "/users?plan=team&sort=name",
    async prepare(page) {
      await page.getByRole("button", { name: "Lists" }).click();
      await page.getByRole("menuitem", { name: "Save current list" }).click();
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Team plan by name");
      await page.getByRole("button", { name: "Save list" }).click();
      await page.getByRole("button", { name: "List: Team plan by name" }).click();
    },
  },
  "user-drawer": {
    path: "/users",
    async prepare(page) {
      await page.locator("tbody tr").nth(2).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "new-user": { path: "/users/new", prepare: (page) => page.getByRole("dialog").waitFor() },
  selection: {
    path: "/users",
    async prepare(page) {
      for (const row of [1, 2, 4]) await page.locator("tbody tr").nth(row).getByRole("checkbox").check();
    },
  },
};
