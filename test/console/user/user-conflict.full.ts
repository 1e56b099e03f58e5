import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../support/browser.ts";
import { createFirstKey } from "../../support/credentials.ts";
import type { TestService } from "../../support/service.ts";
import {
  accessibilityErrors,
  accessibilityErrorsInBothThemes,
  openConsole,
  signIn,
} from "../support/console.ts";
import { ada, createAda, statusErrors, userPage } from "../support/user-form.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

const choose = (page: Page, field: string, side: string) =>
  page.getByRole("group", { name: field }).getByRole("radio", { name: side }).check();

describe("a user that someone else changed", () => {
  for (const [all, expected] of [
    ["Keep all yours", { name: "Ada King", department: "engines" }],
    ["Keep all theirs", { name: "Augusta Ada", department: "poetry" }],
  ] as const) {
    test(`can be resolved with "${all}"`, async () => {
      await using opened = await openConsole(browser, { path: "/users/1", before: createAda });
      const { page, service } = opened;
      const { name, button, waitUntilSaved } = userPage(page);
      await name.fill("Ada King");
      await service.roster.users.update(1, { name: "Augusta Ada", department: "poetry" });
      await button("Save").click();
      await button(all).click();
      await button("Save choices").click();
      await waitUntilSaved();
      expect(await service.roster.users.get(1)).toMatchObject(expected);
      expect(await name.inputValue()).toBe(expected.name);
    });
  }

  test("shows both versions again after another change", async () => {
    await using opened = await openConsole(browser, { path: "/users/1", before: createAda });
    const { page, service, errors } = opened;
    const { main, name, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.update(1, { name: "Augusta Ada" });
    await button("Save").click();
    await choose(page, "Name", "Yours");
    await service.roster.users.update(1, { name: "Countess Ada", level: 8 });
    await button("Save choices").click();
    await main.getByText("Countess Ada", { exact: true }).waitFor();
    await main.getByText("Before: Augusta Ada").waitFor();
    expect(await main.getByText("Ada King").isVisible()).toBe(true);
    await choose(page, "Name", "Yours");
    await button("Save choices").click();
    await waitUntilSaved();
    expect(await service.roster.users.get(1)).toMatchObject({ name: "Ada King", level: 8, version: 4 });
    expect(errors).toEqual(statusErrors(412, 412));
  });

  test("is saved without a question if both changes are equal", async () => {
    await using opened = await openConsole(browser, { path: "/users/1", before: createAda });
    const { page, service } = opened;
    const { name, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.update(1, { name: "Ada King" });
    await button("Save").click();
    await waitUntilSaved();
    expect((await service.roster.users.get(1)).version).toBe(2);
  });

  test("can be edited further", async () => {
    await using opened = await openConsole(browser, { path: "/users/1", before: createAda });
    const { page, service } = opened;
    const { name, email, main, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.update(1, { level: 8 });
    await service.roster.users.create({ name: "Grace", email: "grace@example.com" });
    await button("Save").click();
    await button("Back to editing").click();
    expect(await name.inputValue()).toBe("Ada King");
    // If the chosen values are rejected, the form shows them with the error.
    await email.fill("grace@example.com");
    await button("Save").click();
    await button("Save choices").click();
    await main.getByRole("link", { name: "Open Grace" }).waitFor();
    await email.fill("king@example.com");
    await button("Save").click();
    await waitUntilSaved();
    const expected = { name: "Ada King", email: "king@example.com", level: 8 };
    expect(await service.roster.users.get(1)).toMatchObject(expected);
  });

  test("or deleted can be created again from the input", async () => {
    await using opened = await openConsole(browser, { path: "/users/1", before: createAda });
    const { page, service, errors } = opened;
    const { main, name, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.delete(1);
    await button("Save").click();
    await main.getByText("Someone deleted Ada Lovelace").waitFor();
    expect(await accessibilityErrors(page)).toEqual([]);
    await button("Create again").click();
    await waitUntilSaved();
    await page.getByText("Ada King created").waitFor();
    expect(await service.roster.users.list().all()).toMatchObject([{ ...ada, id: 2, name: "Ada King" }]);
    // The count is requested twice, and the first request is aborted.
    expect(errors.filter((error) => !error.endsWith("count=true"))).toEqual(statusErrors(404));
  });

  test("has no accessibility errors in either theme", async () => {
    await using opened = await openConsole(browser, { path: "/users/1", before: createAda });
    const { page, service } = opened;
    const { main, name, value, button } = userPage(page);
    await name.fill("Ada King");
    await value("level").fill("8");
    await service.roster.users.update(1, { name: "Augusta Ada" });
    await button("Save").click();
    await main.getByText("Conflicting changes").waitFor();
    expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
  });
});

describe("where keys are asked for", () => {
  test("the input survives a session that ends while saving", async () => {
    let key = "";
    const before = async (service: TestService) => {
      await createAda(service);
      key = await createFirstKey(service);
    };
    await using opened = await openConsole(browser, { path: "/users/1", before });
    const { page, service, errors } = opened;
    const { main, name, button, waitUntilSaved } = userPage(page);
    await signIn(page, key);
    await name.fill("Ada King");
    await page.context().clearCookies();
    await button("Save").click();
    await page.getByText("Your session has ended").waitFor();
    await signIn(page, key);
    await page.getByText("Your session has ended").waitFor({ state: "hidden" });
    await main.getByText("Sign in, then save again").waitFor();
    expect(await name.inputValue()).toBe("Ada King");
    await button("Save").click();
    await waitUntilSaved();
    const answer = await service.call("/api/users/1", { headers: { "x-api-key": key } });
    expect(await answer.json()).toMatchObject({ name: "Ada King", version: 2 });
    // Signing in requests the session again, and aborts the pending request.
    expect(errors.filter((error) => !error.endsWith("/api/session"))).toEqual(statusErrors(401, 401));
  });

  test("a read-only key can open a user", async () => {
    let key = "";
    const before = async (service: TestService) => {
      await createAda(service);
      ({ key } = await service.roster.keys.create({ name: "reader", scopes: ["users:read"] }));
    };
    await using opened = await openConsole(browser, { path: "/users/1", before });
    const { page, errors } = opened;
    const { main, name, value, button } = userPage(page);
    await signIn(page, key);
    await main.getByText("sign in with a key that has the scope users:write").waitFor();
    expect(await name.isEditable()).toBe(false);
    expect(await value("department").isEditable()).toBe(false);
    for (const action of ["Save", "Delete", "Add field", "Options for level: Number"]) {
      expect(await button(action).count()).toBe(0);
    }
    await main.getByRole("radio", { name: "JSON" }).check();
    await main.getByText('"department": "engines"').waitFor();
    expect(await accessibilityErrors(page)).toEqual([]);
    expect(errors.filter((error) => !error.endsWith("/api/session"))).toEqual(statusErrors(401));
  });
});
