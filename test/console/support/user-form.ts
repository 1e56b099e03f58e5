import { expect } from "bun:test";
import type { Page } from "playwright-core";
import type { TestService } from "../../support/service.ts";
import type { Finder, FinderPage } from "./finder.ts";

export const ada = { name: "Ada Lovelace", email: "ada@example.com", department: "engines", level: 7 };
export const createAda = ({ roster }: TestService) => roster.users.create(ada);
/** Custom fields of every type. */
export const everyType = { text: "a\nb", number: -1.5, yes: true, nothing: null, list: [1, { a: null }] };

/** What a provoked problem writes into the browser's console. */
export const statusErrors = (...statuses: number[]) =>
  statuses.map((status) => expect.stringContaining(`the server responded with a status of ${status}`));

/** Opens a user in the drawer over the list. */
export const openDrawer = (page: Page, name = "Ada") =>
  page.getByRole("row", { name: new RegExp(name) }).click();

/** The controls of the drawer. */
export function userDrawer<Found extends Finder<Found>>(page: FinderPage<Found>) {
  // Toasts have the role dialog too.
  const drawer = page.getByRole("dialog").and(page.locator(".modal"));
  return { drawer, ...controlsIn(drawer), waitUntilClosed: () => drawer.waitFor({ state: "hidden" }) };
}

/** The controls of the page of a user. */
export function userPage<Found extends Finder<Found>>(page: FinderPage<Found>) {
  const main = page.getByRole("main");
  return {
    main,
    ...controlsIn(main),
    question: page.getByRole("alertdialog"),
    waitUntilSaved: () => page.locator(".save-bar").waitFor({ state: "detached" }),
  };
}

/** The controls of a user's form, found by role and label. */
function controlsIn<Found extends Finder<Found>>(view: Found) {
  const openFieldMenu = (field: string) =>
    view.getByRole("button", { name: `Options for ${field}:` }).click();
  const menus = view.page();
  const chooseType = async (field: string, type: string) => {
    await openFieldMenu(field);
    await menus.getByRole("menuitemradio", { name: type }).click();
    await menus.getByRole("menu").waitFor({ state: "detached" });
  };
  return {
    name: view.getByRole("textbox", { name: "Name", exact: true }),
    email: view.getByRole("textbox", { name: "Email" }),
    userName: view.getByRole("textbox", { name: "User name" }),
    json: view.getByRole("textbox", { name: "Custom fields as a JSON object" }),
    value: (field: string) => view.getByLabel(`Value of ${field}`),
    /** Chooses the type of a custom field in its menu. */
    chooseType,
    /** Removes a custom field with its menu. */
    async removeField(field: string) {
      await openFieldMenu(field);
      await menus.getByRole("menuitem", { name: `Remove ${field}` }).click();
    },
    button: (name: string) => view.getByRole("button", { name, exact: true }),
    /** Adds a custom field. */
    async addField(field: string, type: string, value?: string) {
      await view.getByRole("button", { name: "Add field" }).click();
      await view.getByLabel("Field name").last().fill(field);
      if (type !== "Text") await chooseType(field, type);
      const control = view.getByLabel(`Value of ${field}`);
      if (type === "Yes / no") await control.selectOption(value ?? "No");
      else if (value !== undefined) await control.fill(value);
    },
  };
}

/** Records the page's write requests: method, body and If-Match. */
export function recordChanges(page: Page) {
  const changes: { method: string; body: unknown; ifMatch: string | undefined }[] = [];
  page.on("request", (request) => {
    const method = request.method();
    if (method === "GET" || !request.url().includes("/api/users")) return;
    changes.push({ method, body: request.postDataJSON(), ifMatch: request.headers()["if-match"] });
  });
  return changes;
}
