import type { Page } from "playwright-core";
import {
  answer,
  pretendToSave,
  refuse,
  refuseMissing,
  refuseOldVersion,
  showChanged,
  wait,
} from "./user-requests.ts";
import type { View } from "./view.ts";

const USER = 4993;
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const nameField = (page: Page) => page.getByRole("textbox", { name: "Name", exact: true });
const drawer = (page: Page) => page.getByRole("dialog").and(page.locator(".modal"));

async function openDrawer(page: Page): Promise<void> {
  await page.locator("tbody tr").nth(2).click();
  await drawer(page).waitFor();
}

async function save(page: Page): Promise<void> {
  await nameField(page).fill("Somebody Else");
  await page.getByRole("button", { name: "Save", exact: true }).click();
}

/** Someone else changes the open user, or deletes it, as soon as the form has unsaved changes. */
async function changeByOthers(page: Page, change: object | "deleted"): Promise<void> {
  const isUnsaved = () => page.locator(".save-bar").isVisible();
  let record: object | null = null;
  const event = () => ({
    id: "99999999999",
    type: change === "deleted" ? "user.deleted" : "user.updated",
    time: new Date().toISOString(),
    actor: { type: "key", id: 3, name: "Nightly sync" },
    requestId: null,
    subject: { type: "user", id: USER },
    version: 99,
    changes: {},
    record,
  });
  await answer(page, "GET", `**/api/users/${USER}`, async (route) => {
    if (change === "deleted" && (await isUnsaved())) return refuseMissing(route);
    const response = await route.fetch();
    if (change !== "deleted") record = { ...(await response.json()), ...change, version: 99 };
    await route.fulfill({ response });
  });
  await page.route("**/api/events?*", async (route) => {
    const parameters = new URL(route.request().url()).searchParams;
    if (parameters.has("subject")) await route.fulfill({ json: [event()] });
    else if (parameters.has("wait")) await route.fulfill({ json: (await isUnsaved()) ? [event()] : [] });
    else await route.fallback();
  });
  await page.reload();
}

const taken = refuse(409, "email-taken", {
  title: "Email already in use",
  detail: "Another user has this email.",
  errors: [{ pointer: "/email", detail: "Another user has this email." }],
});

/** The user as a SCIM client has left it. */
async function showProvisioned(page: Page, fields: object): Promise<void> {
  await answer(page, "GET", `**/api/users/${USER}`, async (route) => {
    const response = await route.fetch();
    const user = { ...(await response.json()), ...fields };
    await route.fulfill({ response, json: user });
  });
  await page.reload();
  await page.getByRole("heading", { name: "All emails" }).waitFor();
}

const scim = {
  displayName: null,
  extensions: { "urn:example:params:scim:schemas:extension:badge:2.0:User": { badge: "B-17", floor: 3 } },
};

const drawerViews: Record<string, View> = {
  "user-drawer": { path: "/users", prepare: openDrawer },
  "drawer-loading": { path: "/users", hold: "**/api/schema*", prepare: openDrawer },
  "drawer-failed": {
    path: "/users",
    fail: "**/api/schema",
    async prepare(page) {
      await openDrawer(page);
      await drawer(page).getByRole("button", { name: "Try again" }).waitFor();
    },
  },
  "drawer-missing": {
    path: "/users",
    async prepare(page) {
      await answer(page, "GET", "**/api/users/*", refuseMissing);
      await openDrawer(page);
      await page.getByText("User not found").waitFor();
    },
  },
  "drawer-reader": { path: "/users", as: "reader", prepare: openDrawer },
  "drawer-unsaved": {
    path: "/users",
    async prepare(page) {
      await openDrawer(page);
      await nameField(page).fill("Somebody Else");
      await page.keyboard.press("Escape");
      await page.getByRole("alertdialog").waitFor();
    },
  },
  "drawer-saving": {
    path: "/users",
    // Only for the picture with the spinner.
    hold: "**/api/none",
    async prepare(page) {
      await answer(page, "PATCH", "**/api/users/*", wait);
      await openDrawer(page);
      await save(page);
      await page.locator(".modal .spinner").waitFor();
    },
  },
  "drawer-not-saved": {
    path: "/users",
    async prepare(page) {
      await answer(page, "PATCH", "**/api/users/*", (route) => route.fulfill({ status: 500 }));
      await openDrawer(page);
      await save(page);
      await drawer(page).getByRole("alert").waitFor();
    },
  },
  "drawer-saved": {
    path: "/users",
    async prepare(page) {
      await answer(page, "PATCH", "**/api/users/*", pretendToSave);
      await openDrawer(page);
      await save(page);
      await page.getByRole("button", { name: "Undo" }).waitFor();
    },
  },
  "drawer-conflict": {
    path: "/users",
    async prepare(page) {
      await openDrawer(page);
      await answer(page, "PATCH", "**/api/users/*", refuseOldVersion);
      await answer(page, "GET", "**/api/users/*", (route) =>
        showChanged(route, { name: "Kinga Maria Żuraw", plan: "team", updatedAt: new Date().toISOString() }),
      );
      await save(page);
      await page.getByText("Conflicting changes").waitFor();
    },
  },
  "drawer-deleted": {
    path: "/users",
    async prepare(page) {
      await answer(page, "PATCH", "**/api/users/*", refuseMissing);
      await openDrawer(page);
      await save(page);
      await page.getByText("User was deleted").waitFor();
    },
  },
  "new-user": { path: "/users/new", prepare: (page) => drawer(page).waitFor() },
  "new-user-errors": {
    path: "/users/new",
    async prepare(page) {
      await page.getByRole("textbox", { name: "Email" }).fill("nobody");
      await press(page, "Add field");
      await page.getByLabel("Field name").fill("version");
      await press(page, "Create user");
      await page.locator(".modal .field-error").first().waitFor();
    },
  },
  "new-user-refused": {
    path: "/users/new",
    async prepare(page) {
      await press(page, "Create user");
      await page.locator(".modal .field-error").first().waitFor();
    },
  },
  "new-user-taken": {
    path: "/users/new",
    async prepare(page) {
      await answer(page, "POST", "**/api/users", taken);
      await nameField(page).fill("Grace Brewster Hopper");
      await page.getByRole("textbox", { name: "Email" }).fill("grace@example.com");
      await press(page, "Create user");
      await page.getByRole("link", { name: "Open Grace Hopper" }).waitFor();
    },
  },
};

const pageViews: Record<string, View> = {
  user: { path: `/users/${USER}`, prepare: (page) => page.getByText("created this user").waitFor() },
  "user-emails": {
    path: `/users/${USER}`,
    prepare: (page) =>
      showProvisioned(page, {
        userName: "b.lovelace",
        scim,
        emails: [
          { type: "work", primary: true },
          { value: "lovelace@home.example", type: "home" },
        ],
      }),
  },
  "user-emails-taken": {
    path: `/users/${USER}`,
    prepare: (page) =>
      showProvisioned(page, {
        email: undefined,
        userName: "b.lovelace",
        emails: [
          { value: "grace@example.com", type: "work", primary: true },
          { value: "lovelace@home.example", type: "home" },
        ],
      }),
  },
  "user-groups": {
    path: "/users",
    async prepare(page) {
      await openDrawer(page);
      await press(page, "Add to group");
      await page.getByRole("combobox", { name: "Find a group" }).fill("Sal");
      await page.getByRole("option", { name: "Create group" }).waitFor();
    },
  },
  "user-loading": { path: `/users/${USER}`, hold: `**/api/users/${USER}` },
  "user-failed": {
    path: `/users/${USER}`,
    fail: `**/api/users/${USER}`,
    prepare: (page) => page.getByRole("button", { name: "Try again" }).waitFor(),
  },
  "user-history-failed": {
    path: `/users/${USER}`,
    async prepare(page) {
      await page.route("**/events?*", (route) => route.fulfill({ status: 500 }));
      await page.reload();
      await page.getByRole("button", { name: "Try again" }).scrollIntoViewIfNeeded();
    },
  },
  "user-reader": { path: `/users/${USER}`, as: "reader" },
  "user-edited": {
    path: `/users/${USER}`,
    prepare: (page) => nameField(page).fill("Somebody Else"),
  },
  "user-errors": {
    path: `/users/${USER}`,
    async prepare(page) {
      await answer(
        page,
        "PATCH",
        "**/api/users/*",
        refuse(422, "invalid-user", {
          title: "Invalid user",
          detail: "The user is invalid.",
          errors: [
            { pointer: "/name", detail: "Must not be empty." },
            { pointer: "/seats", detail: "Must be at most 500." },
            { pointer: "/country", detail: "Must be a country code." },
          ],
        }),
      );
      await nameField(page).fill("");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.locator(".field-error").first().waitFor();
    },
  },
  "user-json": {
    path: `/users/${USER}`,
    prepare: (page) => page.getByText("JSON", { exact: true }).click(),
  },
  "user-json-error": {
    path: `/users/${USER}`,
    async prepare(page) {
      await page.getByText("JSON", { exact: true }).click();
      await page
        .getByRole("textbox", { name: "Custom fields as a JSON object" })
        .fill('{\n  "plan": "team"\n  "seats": 3\n}');
      await page.getByRole("button", { name: "Save", exact: true }).click();
    },
  },
  "field-menu": {
    path: `/users/${USER}`,
    async prepare(page) {
      await page
        .getByRole("button", { name: /^Options for/ })
        .first()
        .click();
      await page.getByRole("menu").waitFor();
    },
  },
  "user-copied": {
    path: `/users/${USER}`,
    async prepare(page) {
      await page.evaluate(() => {
        Object.defineProperty(navigator, "clipboard", { value: { writeText: async () => undefined } });
      });
      await press(page, "Copy JSON");
    },
  },
  "user-changed": {
    path: `/users/${USER}`,
    async prepare(page) {
      await changeByOthers(page, { plan: "team", seats: 40 });
      await nameField(page).fill("Somebody Else");
      await page.getByText("Your changes are in other fields").waitFor();
    },
  },
  "user-changed-too": {
    path: `/users/${USER}`,
    async prepare(page) {
      await changeByOthers(page, { name: "Another Name", seats: 40, plan: "team", department: "sales" });
      await nameField(page).fill("Somebody Else");
      await page.getByText("You have changed Name, too").waitFor();
    },
  },
  "user-conflict": {
    path: `/users/${USER}`,
    async prepare(page) {
      await nameField(page).waitFor();
      await answer(page, "PATCH", "**/api/users/*", refuseOldVersion);
      await answer(page, "GET", `**/api/users/${USER}`, (route) =>
        showChanged(route, { name: "Another Name", plan: "team" }),
      );
      await save(page);
      await page.getByText("Conflicting changes").waitFor();
    },
  },
  "user-gone": {
    path: `/users/${USER}`,
    async prepare(page) {
      await changeByOthers(page, "deleted");
      await nameField(page).fill("Somebody Else");
      await page.getByText("Your input is still here").waitFor();
    },
  },
  "user-scim": {
    path: `/users/${USER}`,
    async prepare(page) {
      await answer(page, "GET", `**/api/users/${USER}`, (route) =>
        showChanged(route, {
          userName: "kinga.zuraw",
          scim: { externalId: "701984", phoneNumbers: [{ type: "work", value: "+48 22 555 01 23" }] },
        }),
      );
      await page.reload();
      await page.getByText("Data of SCIM clients").click();
    },
  },
  "user-long": {
    path: `/users/${USER}`,
    async prepare(page) {
      await answer(page, "GET", `**/api/users/${USER}`, (route) =>
        showChanged(route, {
          name: "Wolfeschlegelsteinhausenbergerdorff Featherstonehaugh-Cholmondeley of Llanfairpwllgwyngyll",
          email:
            "wolfeschlegelsteinhausenbergerdorff.featherstonehaugh.cholmondeley@llanfairpwllgwyngyll.example",
          department: "Department of the administration of administrative departments and other departments",
          biography: "A long text. ".repeat(20),
          aVeryLongNameOfACustomFieldThatNobodyShortened: true,
          manyTags: Array.from({ length: 12 }, (_, index) => `tag-number-${index}`),
        }),
      );
      await page.reload();
      await nameField(page).waitFor();
    },
  },
  "no-user": { path: "/users/99999" },
  history: {
    path: `/users/${USER}`,
    async prepare(page) {
      await page.getByRole("button", { name: "Show details" }).first().click();
      await page.getByRole("button", { name: "Hide details" }).scrollIntoViewIfNeeded();
    },
  },
};

export const userViews: Record<string, View> = { ...drawerViews, ...pageViews };
