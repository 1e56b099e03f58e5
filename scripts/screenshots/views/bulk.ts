import type { Page } from "playwright-core";
import {
  answer,
  changeSession,
  pretendToSave,
  refuse,
  refuseMissing,
  refuseOldVersion,
  wait,
} from "./user-requests.ts";
import type { View } from "./view.ts";

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const bar = (page: Page) => page.getByRole("region", { name: "Selected users" });
const pressInBar = (page: Page, name: string) => bar(page).getByRole("button", { name, exact: true }).click();

async function select(page: Page, rows: readonly number[]): Promise<void> {
  for (const row of rows) await page.locator("tbody tr").nth(row).getByRole("checkbox").check();
  await bar(page).waitFor();
}

async function addToGroup(page: Page): Promise<void> {
  await select(page, [1, 2, 4]);
  await press(page, "Groups");
  await page.getByRole("menuitem", { name: "Add to group" }).click();
  await page.getByRole("option", { name: "Support" }).waitFor();
}

async function selectLoaded(page: Page): Promise<void> {
  await page.locator("tbody tr").first().waitFor();
  await page.getByRole("checkbox", { name: "Select all loaded users" }).check();
  await bar(page).waitFor();
}

async function selectMatching(page: Page): Promise<void> {
  await selectLoaded(page);
  await page.getByRole("button", { name: /^Select all .* matching$/ }).click();
}

async function setField(page: Page, field: string, value: string): Promise<void> {
  await page.getByRole("combobox", { name: "Field" }).last().fill(field);
  await page.getByLabel("Value", { exact: true }).last().fill(value);
}

async function editLoaded(page: Page): Promise<void> {
  await selectLoaded(page);
  await pressInBar(page, "Edit");
  await setField(page, "department", "research");
  await page.getByRole("button", { name: /^Update / }).click();
}

const refuseQuota = refuse(429, "quota-exceeded", {
  title: "Monthly quota exceeded",
  detail: "This key may send 400 requests per month, and has sent them all.",
});

const refuseValue = refuse(422, "invalid-user", {
  title: "Invalid user",
  detail: "The user is invalid.",
  errors: [{ pointer: "/department", detail: "Must be at most 5 characters." }],
});

export const bulkViews: Record<string, View> = {
  selection: { path: "/users", prepare: (page) => select(page, [1, 2, 4]) },
  "selection-loaded": { path: "/users", prepare: selectLoaded },
  "selection-matching": { path: "/users", prepare: selectMatching },
  "selection-reader": { path: "/users", as: "reader", prepare: (page) => select(page, [1, 2, 4]) },
  "groups-menu": {
    path: "/users",
    async prepare(page) {
      await select(page, [1, 2, 4]);
      await press(page, "Groups");
    },
  },
  "groups-choice": { path: "/users", prepare: (page) => addToGroup(page) },
  "groups-question": {
    path: "/users",
    async prepare(page) {
      await addToGroup(page);
      await page.getByRole("option", { name: "Support" }).click();
    },
  },
  "edit-users": {
    path: "/users",
    async prepare(page) {
      await select(page, [1, 2, 4]);
      await pressInBar(page, "Edit");
      await setField(page, "department", "research");
      await press(page, "Change another field");
      await page.getByRole("combobox", { name: "Field" }).last().fill("plan");
      await press(page, "Change another field");
      await setField(page, "favourite", "12");
    },
  },
  "edit-users-errors": {
    path: "/users",
    async prepare(page) {
      await select(page, [1, 2, 4]);
      await pressInBar(page, "Edit");
      await page.getByRole("combobox", { name: "Field" }).last().fill("version");
      await press(page, "Change another field");
      await page.getByRole("combobox", { name: "Field" }).last().fill("seats");
      await page.getByRole("button", { name: /^Update / }).click();
      await page.getByText("Roster sets this field").waitFor();
    },
  },
  "edit-matching": {
    path: "/users",
    async prepare(page) {
      await selectMatching(page);
      await pressInBar(page, "Edit");
      await setField(page, "department", "research");
    },
  },
  "edit-matching-running": {
    path: "/users?plan=team",
    async prepare(page) {
      await selectMatching(page);
      await page.route("**/api/users/bulk", wait);
      await pressInBar(page, "Edit");
      await setField(page, "department", "research");
      await page.getByRole("button", { name: /^Update / }).click();
      await page.getByText(/^0 of/).waitFor();
    },
  },
  "edit-matching-failed": {
    path: "/users?plan=team",
    async prepare(page) {
      await selectMatching(page);
      await page.route("**/api/users/bulk", (route) => {
        const { ids }: { ids: readonly number[] } = route.request().postDataJSON();
        const problem = {
          type: "/problems/invalid-user",
          title: "Invalid user",
          status: 422,
          detail: "The department must be at most 5 characters.",
        };
        const lines = ids.map((id, index) =>
          index % 9 === 0 ? { id, status: 422, problem } : { id, status: 200 },
        );
        return route.fulfill({
          contentType: "application/x-ndjson",
          body: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
        });
      });
      await pressInBar(page, "Edit");
      await setField(page, "department", "research");
      await page.getByRole("button", { name: /^Update / }).click();
      await page.getByText("failed:").waitFor();
    },
  },
  "edit-running": {
    path: "/users",
    async prepare(page) {
      let count = 0;
      await answer(page, "PATCH", "**/api/users/*", (route) => {
        count++;
        if (count > 33) return undefined;
        return count % 11 === 0 ? refuseValue(route) : pretendToSave(route);
      });
      await editLoaded(page);
      await page.getByText("3 failed so far").waitFor();
    },
  },
  "edit-paused": {
    path: "/users",
    async prepare(page) {
      let count = 0;
      await answer(page, "PATCH", "**/api/users/*", (route) =>
        ++count > 20 ? refuseQuota(route) : pretendToSave(route),
      );
      await editLoaded(page);
      await page.getByRole("button", { name: "Resume" }).waitFor();
    },
  },
  "edit-failed": {
    path: "/users",
    async prepare(page) {
      let count = 0;
      await answer(page, "PATCH", "**/api/users/*", (route) => {
        const answers = [
          pretendToSave,
          pretendToSave,
          refuseValue,
          pretendToSave,
          refuseOldVersion,
          refuseMissing,
        ];
        return (answers[count++ % 12] ?? pretendToSave)(route);
      });
      await editLoaded(page);
      await page.getByRole("button", { name: "Download failures" }).waitFor();
    },
  },
  "edit-stopped": {
    path: "/users",
    async prepare(page) {
      let count = 0;
      await answer(page, "PATCH", "**/api/users/*", async (route) => {
        if (++count === 20) await press(page, "Stop");
        await pretendToSave(route);
      });
      await editLoaded(page);
      await page.getByText("Stopped.").waitFor();
    },
  },
  "edit-done": {
    path: "/users",
    async prepare(page) {
      await answer(page, "PATCH", "**/api/users/*", pretendToSave);
      await select(page, [1, 2, 4]);
      await pressInBar(page, "Edit");
      await setField(page, "department", "research");
      await page.getByRole("button", { name: /^Update / }).click();
      await page.getByRole("button", { name: "Undo" }).waitFor();
    },
  },
  "undo-running": {
    path: "/users",
    async prepare(page) {
      let isUndo = false;
      await answer(page, "PATCH", "**/api/users/*", (route) => (isUndo ? undefined : pretendToSave(route)));
      await select(page, [1, 2, 4]);
      await pressInBar(page, "Edit");
      await setField(page, "department", "research");
      await page.getByRole("button", { name: /^Update / }).click();
      isUndo = true;
      await press(page, "Undo");
      await page.getByRole("progressbar").waitFor();
    },
  },
  "undo-partly": {
    path: "/users",
    async prepare(page) {
      let count = 0;
      await answer(page, "PATCH", "**/api/users/*", (route) => {
        count++;
        return count > 4 ? refuseMissing(route) : pretendToSave(route);
      });
      await select(page, [1, 2, 4]);
      await pressInBar(page, "Edit");
      await setField(page, "department", "research");
      await page.getByRole("button", { name: /^Update / }).click();
      await press(page, "Undo");
      await page.getByText("as before").first().waitFor();
    },
  },
  "delete-users": {
    path: "/users",
    async prepare(page) {
      await select(page, [0, 1, 2, 3, 4, 5, 6]);
      await pressInBar(page, "Delete");
      await page.getByRole("alertdialog").waitFor();
    },
  },
  "delete-users-for-good": {
    path: "/users",
    async prepare(page) {
      await changeSession(page, { deletedDays: 0 });
      await select(page, [0, 1]);
      await pressInBar(page, "Delete");
      await page.getByRole("alertdialog").waitFor();
    },
  },
  "delete-matching": {
    path: "/users",
    async prepare(page) {
      await selectMatching(page);
      await pressInBar(page, "Delete");
      await page.getByRole("alertdialog").waitFor();
    },
  },
  export: {
    path: "/users",
    async prepare(page) {
      await page.locator("tbody tr").first().waitFor();
      await page.locator(".export-button").click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "export-filtered": {
    path: "/users?q=an&plan=team&plan=free&active=true",
    async prepare(page) {
      await page.locator("tbody tr").first().waitFor();
      await page.locator(".export-button").click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "export-nothing": {
    path: "/users?q=nobody%20at%20all",
    async prepare(page) {
      await page.getByText("No matching users").waitFor();
      await page.locator(".export-button").click();
      await page.getByText("No users match.").waitFor();
    },
  },
  "export-selected": {
    path: "/users",
    async prepare(page) {
      await select(page, [1, 2, 4]);
      await pressInBar(page, "Export");
      await page.getByRole("dialog").waitFor();
    },
  },
  "export-running": {
    path: "/users",
    async prepare(page) {
      await page.route("**/api/users/export*", wait);
      await page.locator(".export-button").click();
      await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
      await page.getByRole("progressbar").waitFor();
    },
  },
  "export-failed": {
    path: "/users",
    fail: "**/api/users/export*",
    async prepare(page) {
      await page.locator(".export-button").click();
      await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
      await page.getByText("Nothing was saved").waitFor();
    },
  },
  "export-done": {
    path: "/users?plan=team",
    async prepare(page) {
      await page.locator("tbody tr").first().waitFor();
      await page.locator(".export-button").click();
      await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
      await page.locator(".toast-title", { hasText: "saved" }).waitFor();
    },
  },
};
