import type { View } from "./view.ts";

/** The groups that the data has, with the most members first. */
const sales = "/groups/1";

export const groupsViews: Record<string, View> = {
  groups: { path: "/groups" },
  "no-groups": { path: "/groups", onEmptyService: true },
  "new-group": {
    path: "/groups/new",
    prepare: async (page) => {
      await page.getByLabel("Name", { exact: true }).fill("Sales");
      await page.getByRole("button", { name: "Create group" }).click();
      await page.locator("[aria-invalid=true]").waitFor();
    },
  },
  group: {
    path: sales,
    prepare: async (page) => {
      await page.locator(".grid-row.body input").nth(1).check();
      await page.getByRole("button", { name: "Remove from group" }).waitFor();
    },
  },
  "group-fields": { path: `${sales}/fields` },
  "group-history": { path: `${sales}/history` },
  "empty-group": { path: "/groups/4" },
  "add-members": {
    path: "/groups/2",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Add members" }).first().click();
      await page
        .getByLabel("IDs, emails or user names")
        .fill("grace@example.com\n3000, 3001\nnobody@example.com");
      await page.getByLabel("Find a user").fill("an");
      await page.locator(".field-list .menu-item").first().waitFor();
    },
  },
  "add-members-checked": {
    path: "/groups/2",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Add members" }).first().click();
      await page
        .getByLabel("IDs, emails or user names")
        .fill("grace@example.com\n30, 3001\nnobody@example.com");
      await page.getByRole("button", { name: "Check" }).click();
      await page
        .getByRole("region", { name: "What was found" })
        .or(page.locator(".member-results"))
        .first()
        .waitFor();
    },
  },
  "delete-group": {
    path: sales,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Actions for Sales" }).click();
      await page.getByRole("menuitem", { name: "Delete group" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
};
