import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { until } from "../../support/until.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";
import { pressKeys } from "../support/dom/press-key.ts";

let opened: MountedConsole;
beforeAll(async () => {
  opened = await mountConsole({ path: "/keys" });
  await opened.service.roster.users.create({ name: "Ada" });
});
afterAll(() => opened?.[Symbol.asyncDispose]());

const path = () => opened.window.location.pathname;
const press = (...keys: string[]) => {
  for (const key of keys) pressKeys(opened.window, { key });
};
const title = (name: string) => opened.page.getByRole("heading", { name, level: 1 });
const help = () => opened.page.getByRole("dialog", { name: "Keyboard shortcuts" });

beforeEach(async () => {
  opened.open("/keys");
  await title("Keys").waitFor();
});

describe("G and a key", () => {
  for (const [key, view] of [
    ["o", "Overview"],
    ["u", "Users"],
    ["i", "Import"],
    ["a", "Activity"],
    ["d", "Deleted users"],
    ["s", "Schema"],
    ["w", "Webhooks"],
    ["p", "Provisioning"],
    ["c", "Connect"],
    ["k", "Keys"],
  ] as const) {
    test(`${key} goes to ${view}`, async () => {
      press("g", key);
      await until(() => (path() === "/keys") === (view === "Keys"));
      expect(await opened.page.locator(".view-link.active").textContent()).toBe(view);
    });
  }

  test("do nothing after another key, in a field, in a dialog or with modifiers", async () => {
    const { page, window } = opened;
    press("g", "x", "u");
    pressKeys(window, { key: "g" });
    pressKeys(window, { key: "u", ctrlKey: true });
    press("u");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByRole("dialog", { name: "New key" }).waitFor();
    press("g", "u");
    await page.getByRole("dialog", { name: "New key" }).getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog", { name: "New key" }).waitFor({ state: "detached" });
    expect(path()).toBe("/keys");
    opened.open("/users");
    await page.getByRole("searchbox").waitFor();
    pressKeys(window, { key: "g" }, "input[type=search]");
    pressKeys(window, { key: "k" }, "input[type=search]");
    expect(path()).toBe("/users");
  });
});

describe("the list of shortcuts", () => {
  for (const [at, first] of [
    ["/keys", "Go to"],
    ["/users", "Users"],
    ["/users/1", "Open user"],
  ] as const) {
    test(`opens with ? at ${at}, and begins with those of the place`, async () => {
      opened.open(at);
      await opened.page.getByRole("main").locator("h1").waitFor();
      press("?");
      await help().waitFor();
      expect((await help().locator("h3").allTextContents())[0]).toBe(first);
      await help().getByText("G U").waitFor();
      await help().getByText("Ctrl Enter").waitFor();
      await help().getByRole("button", { name: "Close" }).click();
      await help().waitFor({ state: "detached" });
    });
  }
});
