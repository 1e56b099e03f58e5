import { expect } from "bun:test";
import type { Page } from "playwright-core";
import type { TestService } from "../../support/service.ts";

export const ada = { name: "Ada Lovelace", email: "ada@example.com", department: "engines", level: 7 };
export const createAda = ({ roster }: TestService) => roster.users.create(ada);
/** Custom fields of every type. */
export const everyType = { text: "a\nb", number: -1.5, yes: true, nothing: null, list: [1, { a: null }] };

/** What a provoked problem writes into the browser's console. */
export const statusErrors = (...statuses: number[]) =>
  statuses.map((status) => expect.stringContaining(`the server responded with a status of ${status}`));

/** The drawer's controls, found by role and label. */
export function userDrawer(page: Page) {
  // Toasts have the role dialog too.
  const drawer = page.getByRole("dialog").and(page.locator(".modal"));
  const openFieldMenu = (field: string) =>
    drawer.getByRole("button", { name: `Options for ${field}:` }).click();
  const chooseType = async (field: string, type: string) => {
    await openFieldMenu(field);
    await drawer.getByRole("menuitemradio", { name: type }).click();
    await drawer.getByRole("menu").waitFor({ state: "detached" });
  };
  return {
    drawer,
    name: drawer.getByRole("textbox", { name: "Name", exact: true }),
    email: drawer.getByRole("textbox", { name: "Email" }),
    json: drawer.getByRole("textbox", { name: "Custom fields as a JSON object" }),
    value: (field: string) => drawer.getByLabel(`Value of ${field}`),
    /** Chooses the type of a custom field in its menu. */
    chooseType,
    /** Removes a custom field with its menu. */
    async removeField(field: string) {
      await openFieldMenu(field);
      await drawer.getByRole("menuitem", { name: `Remove ${field}` }).click();
    },
    button: (name: string) => drawer.getByRole("button", { name, exact: true }),
    /** Adds a custom field. */
    async addField(field: string, type: string, value?: string) {
      await drawer.getByRole("button", { name: "Add field" }).click();
      await drawer.getByLabel("Field name").last().fill(field);
      if (type !== "Text") await chooseType(field, type);
      const control = drawer.getByLabel(`Value of ${field}`);
      if (type === "Yes / no") await control.selectOption(value ?? "No");
      else if (value !== undefined) await control.fill(value);
    },
    waitUntilClosed: () => drawer.waitFor({ state: "hidden" }),
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
