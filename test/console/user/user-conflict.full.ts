import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "../../support/browser.ts";
import { createFirstKey } from "../../support/credentials.ts";
import type { TestService } from "../../support/service.ts";
import {
  accessibilityErrors,
  accessibilityErrorsInBothThemes,
  openConsole,
  signIn,
} from "../support/console.ts";
import { createAda, statusErrors, userPage } from "../support/user-form.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

describe("a user that someone else changed", () => {
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
    // Requests in the background fail too while nobody is signed in. Signing in aborts a pending request for the session.
    const unexpected = errors.filter((error) => !error.endsWith("/api/session"));
    expect([...new Set(unexpected)]).toEqual(statusErrors(401));
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
