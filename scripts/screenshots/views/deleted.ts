import type { Page } from "playwright-core";
import { chooseAction, press } from "../../../test/console/support/console.ts";
import type { View } from "./view.ts";

const BULK = "**/api/users/bulk*";

async function select(page: Page): Promise<void> {
  for (const row of [0, 2])
    await page
      .getByRole("row")
      .getByRole("checkbox")
      .nth(row + 1)
      .check();
}

/** Shows the page for a service that keeps deleted users for so many days. */
async function keepFor(page: Page, deletedDays: number): Promise<void> {
  await page.route("**/api/session", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), deletedDays } });
  });
  await page.reload();
}

const notDeleted = {
  status: 404,
  contentType: "application/problem+json",
  json: {
    type: "/problems/user-not-found",
    title: "No such user",
    status: 404,
    detail: "No user has this id.",
  },
};

export const deletedViews: Record<string, View> = {
  deleted: { path: "/deleted" },
  "deleted-loading": {
    path: "/deleted",
    hold: "**/api/deleted-users?*",
    prepare: (page) => page.getByRole("heading", { level: 1 }).waitFor(),
  },
  "deleted-error": { path: "/deleted", fail: "**/api/deleted-users?*" },
  "deleted-empty": {
    path: "/deleted",
    onEmptyService: true,
    prepare: (page) => page.getByText("No deleted users").waitFor(),
  },
  "deleted-not-kept": {
    path: "/deleted",
    onEmptyService: true,
    async prepare(page) {
      await keepFor(page, 0);
      await page.getByText("ROSTER_DELETED_DAYS").waitFor();
    },
  },
  "deleted-reader": { path: "/deleted", as: "reader" },
  "deleted-soon-erased": {
    path: "/deleted",
    async prepare(page) {
      await keepFor(page, 3);
      await page.getByText("for 3 days").waitFor();
    },
  },
  "deleted-search-nothing": { path: "/deleted?q=nobody" },
  "deleted-details": {
    path: "/deleted",
    async prepare(page) {
      await page.locator("[data-toggle]").nth(1).click();
      await page.getByText("Last values").waitFor();
    },
  },
  "deleted-menu": { path: "/deleted", prepare: (page) => press(page, "Actions for Alan Turing") },
  "deleted-selection": { path: "/deleted", prepare: select },
  "deleted-gone": {
    path: "/deleted",
    async prepare(page) {
      await page.route("**/restore*", (route) => route.fulfill(notDeleted));
      await chooseAction(page, "Alan Turing", "Restore");
      await page.getByText("This user is no longer deleted").first().waitFor();
    },
  },
  restore: {
    path: "/deleted",
    prepare: (page) => chooseAction(page, "Alan Turing", "Restore"),
  },
  "restore-invalid": {
    path: "/deleted",
    async prepare(page) {
      await chooseAction(page, "Alan Turing", "Restore");
      await page.getByRole("textbox", { name: "Email" }).fill("alan@");
      await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
      await page.locator(".field-error").waitFor();
    },
  },
  "restore-other-names": {
    path: "/deleted",
    async prepare(page) {
      await chooseAction(page, "Alan Turing", "Restore");
      await page.getByRole("textbox", { name: "Email" }).fill("alan.turing@example.com");
      await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
      await page.getByRole("textbox", { name: "User name" }).waitFor();
    },
  },
  "restore-many": {
    path: "/deleted",
    async prepare(page) {
      await page.route(BULK, () => undefined);
      await select(page);
      await press(page, "Restore");
      await page.getByRole("dialog").getByText("0 of 2").waitFor();
    },
  },
  "restore-many-failed": {
    path: "/deleted",
    async prepare(page) {
      const results = [1234, 77].map((id) => JSON.stringify({ id, status: 404, problem: notDeleted.json }));
      await page.route(BULK, (route) =>
        route.fulfill({ contentType: "application/x-ndjson", body: `${results.join("\n")}\n` }),
      );
      await select(page);
      await press(page, "Restore");
      await page.getByText("0 of 2 users restored").waitFor();
    },
  },
  erase: {
    path: "/deleted",
    prepare: (page) => chooseAction(page, "Alan Turing", "Erase for good"),
  },
  "erase-wrong-id": {
    path: "/deleted",
    async prepare(page) {
      await chooseAction(page, "Alan Turing", "Erase for good");
      await page.getByLabel(/^Type the ID/).fill("1");
      await page.getByRole("dialog").getByRole("button", { name: "Erase for good" }).click();
      await page.locator(".field-error").waitFor();
    },
  },
  "erase-many": {
    path: "/deleted",
    async prepare(page) {
      await select(page);
      await press(page, "Erase for good");
    },
  },
};
