import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { scopeGroups } from "../../src/contract/keys/key.ts";
import { openBrowser } from "../support/browser.ts";
import { overflowWidth } from "../support/browser-page.ts";
import { accessibilityErrorsInBothThemes, openConsole, press } from "./support/console.ts";
import { errorStatuses, type ServiceWithKeys, startServiceWithKeys } from "./support/service-with-keys.ts";

setDefaultTimeout(120_000);

let browser: Browser;
let started: ServiceWithKeys;
beforeAll(async () => {
  [browser, started] = await Promise.all([openBrowser(), startServiceWithKeys()]);
  await started.roster.keys.create({ name: "Entra ID", scopes: [...scopeGroups.scim] });
});
afterAll(async () => {
  await browser?.close();
  await started?.[Symbol.asyncDispose]();
});

const open = () =>
  openConsole(browser, { service: started.service, path: "/provisioning", key: started.key });

test("the keys and the providers have no accessibility errors, and work with the keyboard", async () => {
  await using opened = await open();
  const { page, errors } = opened;
  await page.getByRole("row", { name: /Entra ID/ }).waitFor();
  expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
  await page.getByRole("tab", { name: "Entra ID" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByText("Unique identifier field for users").waitFor();
  await page.getByRole("row", { name: /Entra ID/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toStartWith("roster_");
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goBack();
  await page.getByRole("row", { name: /Entra ID/ }).waitFor();
  expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
  expect(await overflowWidth(page)).toBe(0);
  // That of the sign-in.
  expect(errorStatuses(errors)).toEqual(["401"]);
});

test("the dialog for a new key has no accessibility errors, and its button gets the focus back", async () => {
  await using opened = await open();
  const { page } = opened;
  await press(page, "Create key");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your key").fill(started.key);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByLabel("Name", { exact: true }).waitFor();
  expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.locator("button:focus", { hasText: "Create key" }).waitFor();
});

test("a service that does not say where SCIM is can be asked again", async () => {
  await using opened = await open();
  const { page, errors } = opened;
  const description = "**/scim/v2/ServiceProviderConfig";
  await page.route(description, (route) => route.fulfill({ status: 500 }));
  await page.reload();
  await page.getByRole("heading", { name: "Something went wrong" }).waitFor();
  expect(await page.getByRole("tab").count()).toBe(0);
  await page.unroute(description);
  await press(page, "Try again");
  await page.getByRole("tab", { name: "Okta" }).waitFor();
  expect(errorStatuses(errors).at(-1)).toBe("500");
});
