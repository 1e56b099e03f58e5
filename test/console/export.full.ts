import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import type { Browser, Page, Route } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { openPage } from "../support/browser-page.ts";
import { createFirstKey } from "../support/credentials.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import {
  accessibilityErrors,
  accessibilityErrorsInBothThemes,
  openConsole,
  signIn,
} from "./support/console.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

const people = [
  { name: "Ada Lovelace", email: "ada@example.com", plan: "pro", level: 3 },
  { name: "Émile Zola", email: "emile@example.com", plan: "free" },
  { name: '=HYPERLINK("http://x")', email: "adam@example.com", plan: "pro", note: "two\nlines, one “cell”" },
  { name: "Adèle", plan: "pro", tags: ["a", null] },
];
const createUsers = async ({ roster }: TestService) => {
  for (const person of people) await roster.users.create(person);
};
/** Enough data to take a while on a slow connection, and to exceed socket buffers. */
const createManyUsers = async ({ roster }: TestService) => {
  // Random text: compression does not shorten the export.
  const randomText = () => crypto.getRandomValues(Buffer.alloc(9000)).toString("base64");
  const lines = Array.from({ length: 1500 }, (_, index) => ({
    name: `User ${index + 1}`,
    note: randomText(),
  }));
  await roster.users.import(lines).summary();
};

const dialog = (page: Page) => page.getByRole("dialog");
const startExport = (page: Page) => dialog(page).getByRole("button", { name: "Export" }).click();

async function open(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Export" }).click();
  await dialog(page).waitFor();
}

async function downloadFile(page: Page, format: "CSV" | "NDJSON") {
  await open(page);
  await dialog(page).getByRole("radio", { name: format }).check();
  const downloading = page.waitForEvent("download");
  await startExport(page);
  const download = await downloading;
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

/** Holds requests until the test continues them. */
async function holdRoutes(page: Page, url: string): Promise<readonly Route[]> {
  const held: Route[] = [];
  await page.route(url, (route) => {
    held.push(route);
  });
  return held;
}

/** Slows the page's network connection down, and speeds it up again. */
async function throttle(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const emulate = (downloadThroughput: number) =>
    session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 0,
      uploadThroughput: -1,
      downloadThroughput,
    });
  return { slow: () => emulate(300_000), fast: () => emulate(-1) };
}

describe("export", () => {
  test("saves NDJSON with typed values", async () => {
    await using opened = await openConsole(browser, {
      before: createUsers,
      path: "/users?plan=pro&sort=-name",
    });
    const { page, service, errors } = opened;
    await page.getByRole("row", { name: /Adèle/ }).waitFor();
    const { name, text } = await downloadFile(page, "NDJSON");
    expect(name).toMatch(/^users-\d{4}-\d\d-\d\d\.ndjson$/);
    expect(text).toStartWith("{");
    const users = await service.roster.users.list({ where: { plan: "pro" }, sort: "-name" }).all();
    expect(users.map((user) => user.name)).toEqual(["Adèle", "Ada Lovelace", '=HYPERLINK("http://x")']);
    expect(
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(users);
    expect(errors).toEqual([]);
  });

  test("works with the keyboard", async () => {
    await using opened = await openConsole(browser, { before: createUsers });
    const { page, errors } = opened;
    const button = page.getByRole("button", { name: "Export" });
    await button.waitFor();
    while (!(await button.evaluate((element) => element === document.activeElement))) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    // Its code is loaded when it is opened first.
    await dialog(page).waitFor();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    await button.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await dialog(page).waitFor();
    await dialog(page).locator("input:focus").waitFor();
    await page.keyboard.press("ArrowDown");
    const downloading = page.waitForEvent("download");
    await page.keyboard.press("Enter");
    expect((await downloading).suggestedFilename()).toEndWith(".ndjson");
    expect(errors).toEqual([]);
  });

  test("describes the users before it starts", async () => {
    await using opened = await openConsole(browser, { before: createUsers });
    const { page } = opened;
    const expectText = async (path: string, text: string) => {
      await page.goto(opened.service.url + path);
      await open(page);
      await dialog(page).getByText(text).waitFor();
    };
    await expectText("/users", "All 4 users. Sorted like the table, with all fields.");
    await expectText(
      "/users?q=ad&plan=pro&plan=free&name=ad%C3%A8le",
      "The 1 user where “ad” is in the name or email, plan is any of pro or free, and Name is adèle.",
    );
    await expectText("/users?plan=none", "No users match. Clear the search and filters to export all users.");
    expect(await dialog(page).getByRole("button", { name: "Export" }).isDisabled()).toBe(true);
  });

  test("is not possible without users", async () => {
    await using opened = await openConsole(browser);
    await open(opened.page);
    await dialog(opened.page).getByText("There are no users to export.").waitFor();
    expect(await dialog(opened.page).getByRole("radio").count()).toBe(0);
  });

  test("shows progress, and saves nothing when cancelled", async () => {
    await using opened = await openConsole(browser, { before: createManyUsers });
    const { page, errors } = opened;
    let downloads = 0;
    page.on("download", () => downloads++);
    await page.getByRole("heading", { name: "Users 1,500" }).waitFor();
    await open(page);
    await dialog(page).getByRole("radio", { name: "NDJSON" }).check();
    const connection = await throttle(page);
    await connection.slow();
    await startExport(page);
    await page.getByText(/^[\d,]+ users, [\d.]+ (kB|MB)$/).waitFor();
    const progress = page.getByRole("progressbar", { name: "Exporting" });
    expect(await progress.getAttribute("aria-valuemax")).toBe("1500");
    const [some = 0, more = 0] = await progress.evaluate(async (bar) => {
      const now = () => Number(bar.getAttribute("aria-valuenow"));
      const before = now();
      while (now() === before) await new Promise(requestAnimationFrame);
      return [before, now()];
    });
    expect(more).toBeGreaterThan(some);
    await page.getByRole("button", { name: "Cancel" }).click();
    await dialog(page).waitFor({ state: "detached" });
    expect(downloads).toBe(0);
    expect(errors.filter((error) => !/^failed: .*\/api\/users\/export\?/.test(error))).toEqual([]);
  });

  test("saves nothing when the connection breaks, and can be retried", async () => {
    const service = await startService({ shutdownGrace: 1 });
    await createManyUsers(service);
    const { page } = await openPage(browser, `${service.url}/users`);
    let downloads = 0;
    page.on("download", () => downloads++);
    await page.getByRole("heading", { name: "Users 1,500" }).waitFor();
    await open(page);
    const connection = await throttle(page);
    await connection.slow();
    await startExport(page);
    await page.getByText(/ in \d+ s$/).waitFor();
    expect(await page.getByRole("progressbar").getAttribute("aria-valuenow")).toBe(null);
    await service.stop();
    await connection.fast();
    const failure = page.getByText(
      "Can't reach the service. Nothing was saved. Check that Roster is running",
    );
    await failure.waitFor();
    expect(await accessibilityErrors(page)).toEqual([]);
    expect(downloads).toBe(0);
    const again = page.waitForRequest((request) => request.url().includes("/api/users/export?sort"));
    await page.getByRole("button", { name: "Try again" }).click();
    expect((await again).headers().accept).toBe("text/csv");
    await failure.waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await dialog(page).waitFor({ state: "detached" });
    await page.context().close();
  });

  test("of selected users saves nothing when a part fails or is cancelled, and can be retried", async () => {
    const people = Array.from({ length: 130 }, (_, index) => ({ name: `User ${index + 1}` }));
    await using opened = await openConsole(browser, {
      before: ({ roster }) => roster.users.import(people).summary(),
    });
    const { page } = opened;
    let downloads = 0;
    page.on("download", () => downloads++);
    const selectAll = page.getByRole("checkbox", { name: "Select all loaded users" });
    await selectAll.check();
    await page.getByText("100 selected").waitFor();
    await page.getByRole("searchbox").fill("User 2");
    await page.getByRole("heading", { name: "Users 11" }).waitFor();
    await selectAll.check();
    const bar = page.getByRole("region", { name: "Selected users" });
    await bar.getByText("111 selected").waitFor();
    await bar.getByRole("button", { name: "Export" }).click();
    // Fails each second part.
    let parts = 0;
    await page.route("**/api/users/export?*", (route) =>
      ++parts % 2 === 0 ? route.fulfill({ status: 500 }) : route.continue(),
    );
    await startExport(page);
    await page.getByText("Nothing was saved.").waitFor();
    await page.unroute("**/api/users/export?*");
    const held = await holdRoutes(page, "**/api/users/export?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await until(() => held.length === 1);
    await held[0]?.continue();
    // The first part has arrived when the second one is requested.
    await until(() => held.length === 2);
    await page.getByText(/^100 users, /).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await dialog(page).waitFor({ state: "detached" });
    await bar.getByRole("button", { name: "Export" }).and(page.locator(":focus")).waitFor();
    expect(downloads).toBe(0);
  });

  test("can be retried after signing in again", async () => {
    let key = "";
    await using opened = await openConsole(browser, {
      before: async (service) => {
        await createUsers(service);
        key = await createFirstKey(service);
      },
    });
    const { page } = opened;
    await signIn(page, key);
    await page.getByRole("row", { name: /Ada/ }).waitFor();
    await open(page);
    await page.context().clearCookies();
    await startExport(page);
    await signIn(page, key);
    await page.getByText("Your session has ended, and nothing was saved.").waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Try again" }).click();
    const text = await readFile(await (await downloading).path(), "utf8");
    expect(text).toContain("Ada Lovelace");
  });

  test("has no accessibility errors in either theme", async () => {
    await using opened = await openConsole(browser, { before: createUsers });
    const { page } = opened;
    await open(page);
    expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
    await page.route("**/api/users/export?*", () => undefined);
    await startExport(page);
    await page.getByText("Reading all users to collect their fields…").waitFor();
    expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
  });
});
