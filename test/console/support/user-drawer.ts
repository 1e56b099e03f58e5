import { expect } from "bun:test";
import type { Page } from "playwright-core";

/** What a provoked problem writes into the browser's console. */
export const statusErrors = (...statuses: number[]) =>
  statuses.map((status) => expect.stringContaining(`the server responded with a status of ${status}`));

/** The drawer's fields, as somebody finds them who listens. */
export function userDrawer(page: Page) {
  // A notice in the corner is a dialog too.
  const drawer = page.getByRole("dialog").and(page.locator(".modal"));
  return {
    drawer,
    name: drawer.getByRole("textbox", { name: "Name", exact: true }),
    email: drawer.getByRole("textbox", { name: "Email" }),
    json: drawer.getByRole("textbox", { name: "Custom fields as a JSON object" }),
    value: (field: string) => drawer.getByLabel(`Value of ${field}`),
    button: (name: string) => drawer.getByRole("button", { name, exact: true }),
    /** Adds one of the caller's own fields. */
    async addField(field: string, type: string, value?: string) {
      await drawer.getByRole("button", { name: "Add field" }).click();
      await drawer.getByLabel("Field name").last().fill(field);
      await drawer.getByLabel(`Type of ${field}`).selectOption(type);
      const control = drawer.getByLabel(`Value of ${field}`);
      if (type === "Yes / no") await control.selectOption(value ?? "No");
      else if (value !== undefined) await control.fill(value);
    },
    closed: () => drawer.waitFor({ state: "hidden" }),
  };
}

/** The changes that the page has asked for: method, body and If-Match. */
export function recordChanges(page: Page) {
  const changes: { method: string; body: unknown; ifMatch: string | undefined }[] = [];
  page.on("request", (request) => {
    const method = request.method();
    if (method === "GET" || !request.url().includes("/api/users")) return;
    changes.push({ method, body: request.postDataJSON(), ifMatch: request.headers()["if-match"] });
  });
  return changes;
}
