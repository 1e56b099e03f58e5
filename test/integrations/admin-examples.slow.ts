import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { openPage } from "../support/browser-page.ts";
import { root } from "../support/paths.ts";
import { startService, type TestService } from "../support/service.ts";

// The apps of examples/admin, with react-admin and refine themselves, in a real browser.

setDefaultTimeout(120_000);
let browser: Browser;
let service: TestService;
let server: Bun.Subprocess<"ignore", "pipe", "inherit">;
let url: string;

beforeAll(async () => {
  browser = await openBrowser();
  service = await startService();
  server = Bun.spawn([process.execPath, join(root, "examples", "admin", "server.ts")], {
    env: { PATH: process.env.PATH ?? "", PORT: "0", ROSTER_URL: service.url },
    stdout: "pipe",
    stderr: "inherit",
  });
  for await (const chunk of server.stdout) {
    url = /http\S+(?=\/react-admin)/.exec(new TextDecoder().decode(chunk))?.[0] ?? "";
    break;
  }
}, 120_000);
afterAll(async () => {
  server.kill();
  await server.exited;
  await browser.close();
  await service.stop();
});

const users = () => service.roster.users;

beforeEach(async () => {
  for await (const { id } of users().list()) await users().delete(id);
  const people = Array.from({ length: 12 }, (_, index) => ({
    name: `User ${String(index + 1).padStart(2, "0")}`,
    email: `user${index + 1}@example.com`,
    department: index < 2 ? "research" : "engines",
  }));
  await users().import(people).summary();
});

/** Waits until the first column of text in the table has these names. */
const waitForNames = (page: Page, column: number, expected: readonly string[]) =>
  page.waitForFunction(
    ([cell, names]) => {
      const rows = [...document.querySelectorAll("tbody tr")];
      return (
        JSON.stringify(rows.map(({ children }) => children[cell]?.textContent)) === JSON.stringify(names)
      );
    },
    [column, expected] as const,
  );
/** Until the page follows the events, a change has no effect. */
const waitForLiveUpdates = (page: Page) =>
  page.waitForFunction(() =>
    performance.getEntriesByType("resource").some(({ name }) => name.includes("/api/events?")),
  );
const names = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `User ${String(from + index).padStart(2, "0")}`);

test("react-admin lists groups, and shows the members of a group", async () => {
  const { id } = await service.roster.groups.create({ name: "Research" });
  await service.roster.groups.create({ name: "Choir" });
  const members = await users()
    .list({ where: { department: "research" } })
    .all();
  await service.roster.groups.add(
    id,
    members.map((user) => user.id),
  );
  const { page, browserErrors } = await openPage(browser, `${url}/react-admin`);
  await page.getByRole("menuitem", { name: "Groups" }).click();
  await waitForNames(page, 1, ["Choir", "Research"]);
  await page.getByRole("cell", { name: "Research", exact: true }).click();
  await waitForNames(page, 0, names(1, 2));
  await page.getByRole("textbox", { name: "Name" }).fill("CHOIR");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Another group has the name").waitFor();
  expect(browserErrors.filter((text) => !/status of 409/.test(text))).toEqual([]);
});

test("react-admin lists, sorts, filters, creates, edits and deletes users, and shows errors at their fields", async () => {
  const { page, browserErrors } = await openPage(browser, `${url}/react-admin`);
  const shows = (expected: readonly string[]) => waitForNames(page, 1, expected);
  await shows(names(1, 10));
  await page.getByRole("button", { name: "Go to next page" }).click();
  await shows(names(11, 12));
  await page.getByRole("button", { name: "Go to previous page" }).click();
  await page.getByRole("button", { name: "Sort by name descending" }).click();
  await shows(names(3, 12).reverse());
  await page.getByLabel("Department").fill("research");
  await shows(names(1, 2).reverse());
  await page.getByLabel("Department").fill("");
  await page.getByLabel("Search").fill("user 07");
  await shows(["User 07"]);

  await page.getByRole("link", { name: "Create" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Ada");
  await page.getByLabel("Email").fill("user1@example.com");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("user1@example.com is already in use.").waitFor();
  await page.getByLabel("Email").fill("ada");
  await page.getByLabel("City").fill("Oslo");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Enter a valid email address").waitFor();
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByLabel("Search").fill("ada");
  await shows(["Ada"]);
  const ada = await users().find({ email: "ada@example.com" });
  expect(ada).toMatchObject({ name: "Ada", address: { city: "Oslo" } });

  await page.getByRole("cell", { name: "Ada", exact: true }).click();
  await page.getByRole("button", { name: "Save" }).waitFor();
  await page.getByLabel("Department").fill("research");
  await users().update(ada?.id ?? 0, { level: 1 });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("is at version 2 now").waitFor();
  await page.reload();
  await page.getByLabel("Department").fill("research");
  await page.getByRole("button", { name: "Save" }).click();
  await shows(["Ada"]);
  expect(await users().get(ada?.id ?? 0)).toMatchObject({ department: "research", level: 1, version: 3 });

  await page.getByRole("cell", { name: "Ada", exact: true }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByLabel("Search").fill("user 1");
  await shows(["User 12", "User 11", "User 10"]);
  await page.getByLabel("Select all").check();
  await page.getByRole("button", { name: "Move to sales" }).click();
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("cell", { name: "sales" }).nth(2).waitFor();
  await page.getByLabel("Select all").check();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("No Users found").waitFor();
  expect((await users().list().all()).map(({ name }) => name)).toEqual(names(1, 9));
  // The browser itself reports the error responses above.
  expect(browserErrors.filter((text) => !/status of (409|412|422)/.test(text))).toEqual([]);
});

test.each([
  ["react-admin", (range: string, _total: number) => range],
  ["refine", (_range: string, total: number) => `${total} users`],
])(
  "%s shows how many users there are, with few and many users, and after a deletion",
  async (app, expected) => {
    const setUsers = async (count: number) => {
      for await (const { id } of users().list()) await users().delete(id);
      const people = names(1, count).map((name) => ({ name }));
      await users().import(people).summary();
    };
    await setUsers(3);
    const { page, browserErrors } = await openPage(browser, `${url}/${app}`);
    const shows = (range: string, total: number) =>
      page.getByText(expected(range, total), { exact: true }).waitFor();
    await shows("1-3 of 3", 3);
    await setUsers(25);
    await page.reload();
    await shows("1-10 of 25", 25);
    const next = app === "refine" ? "Next" : "Go to next page";
    for (const range of ["11-20 of 25", "21-25 of 25"]) {
      await page.getByRole("button", { name: next, exact: true }).click();
      await shows(range, 25);
    }
    await waitForLiveUpdates(page);
    const [last] = await users()
      .list({ where: { name: "User 25" } })
      .all();
    await users().delete(last?.id ?? 0);
    await shows("21-24 of 24", 24);
    expect(browserErrors).toEqual([]);
  },
);

test("refine lists, sorts, filters, creates, edits and deletes users, and shows errors at their fields", async () => {
  const { page, browserErrors } = await openPage(browser, `${url}/refine`);
  const shows = (expected: readonly string[]) => waitForNames(page, 1, expected);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const row = (name: string) => page.getByRole("row", { name });
  await shows(names(1, 10));
  await button("Next").click();
  await shows(names(11, 12));
  await button("Previous").click();
  await button("name").click();
  await shows(names(3, 12).reverse());
  await page.getByPlaceholder("Department").fill("research");
  await shows(names(1, 2).reverse());
  await page.getByPlaceholder("Department").fill("");
  await page.getByPlaceholder("Search").fill("user 07");
  await shows(["User 07"]);

  await button("New user").click();
  await page.getByLabel("name", { exact: true }).fill("Ada");
  await page.getByLabel("email").fill("user1@example.com");
  await button("Save").click();
  await page.getByText("user1@example.com is already in use.").waitFor();
  await page.getByLabel("email").fill("ada@example.com");
  await button("Save").click();
  await page.getByPlaceholder("Search").fill("ada");
  await shows(["Ada"]);
  const ada = await users().find({ email: "ada@example.com" });

  await row("Ada").getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("department").fill("research");
  await users().update(ada?.id ?? 0, { level: 1 });
  await button("Save").click();
  await page.getByText("is at version 2 now").waitFor();
  await button("Close").click();
  const reloaded = page.waitForResponse((response) => response.url().endsWith(`/api/users/${ada?.id}`));
  await row("Ada").getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("department").fill("research");
  await reloaded;
  await button("Save").click();
  await page.getByRole("cell", { name: "research" }).waitFor();
  expect(await users().get(ada?.id ?? 0)).toMatchObject({ department: "research", level: 1, version: 3 });

  await row("Ada").getByRole("button", { name: "Delete" }).click();
  await shows([]);
  await page.getByPlaceholder("Search").fill("user 1");
  await shows(["User 12", "User 11", "User 10"]);
  for (const name of names(10, 12)) await page.getByLabel(`Select ${name}`).check();
  await button("Move to sales").click();
  await page.getByRole("cell", { name: "sales" }).nth(2).waitFor();
  for (const name of names(10, 12)) await page.getByLabel(`Select ${name}`).check();
  await button("Delete selected").click();
  await shows([]);
  expect((await users().list().all()).map(({ name }) => name)).toEqual(names(1, 9));
  expect(browserErrors.filter((text) => !/status of (409|412|422)/.test(text))).toEqual([]);
});

test.each([
  ["react-admin", 1],
  ["refine", 1],
])("%s shows what others change, without a reload", async (app, column) => {
  const { page, browserErrors } = await openPage(browser, `${url}/${app}`);
  const shows = (expected: readonly string[]) => waitForNames(page, column, expected);
  await shows(names(1, 10));
  await waitForLiveUpdates(page);
  const { id } = await users().create({ name: "A new user" });
  await shows(["A new user", ...names(1, 9)]);
  await users().delete(id);
  await shows(names(1, 10));
  expect(browserErrors).toEqual([]);
});
