import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { createClient } from "../../../src/client/index.ts";
import { scopes } from "../../../src/contract/keys/key.ts";
import { openBrowser } from "../../support/browser.ts";
import {
  accessibilityErrors,
  accessibilityErrorsInBothThemes,
  openConsole,
  press,
  signIn,
} from "../support/console.ts";
import {
  checkRows,
  chooseFile,
  confirmImport,
  csvOfUsers,
  errorKinds,
  holdImports,
  importResult,
  listRecords,
  startImport,
} from "../support/import.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

const atImport = { path: "/import" };
const bar = (page: Page) => page.getByRole("progressbar");
const named = (users: object[]) => new Set(users.map((user) => "name" in user && user.name)).size;

/** Errors of the page, without those of aborted and failed requests. */
const unprovoked = (errors: string[]) =>
  errors.filter(
    (error) => !/^failed: .*\/api\/(users\/import(\?.*)?|session)$|^Failed to load resource/.test(error),
  );

describe("a running import", () => {
  test("sends chunks and shows progress", async () => {
    await using opened = await openConsole(browser, atImport);
    const { page, service, errors } = opened;
    const parts: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && !request.url().includes("dryRun"))
        parts.push(request.headers()["idempotency-key"]);
    });
    await chooseFile(page, "people.csv", csvOfUsers(20_000));
    await checkRows(page);
    await page.evaluate(() => {
      const seen = new Set<string>();
      const look = () => {
        const now = document.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow");
        if (!now || seen.has(now)) return;
        document.body.dataset.seen = [...seen.add(now)].join();
      };
      new MutationObserver(look).observe(document.body, { subtree: true, attributes: true, childList: true });
    });
    await confirmImport(page);
    expect(await importResult(page)).toBe("20,000 users created.");
    expect([parts.length, new Set(parts).size]).toEqual([10, 10]);
    const seen = (await page.locator("body").getAttribute("data-seen"))?.split(",").map(Number) ?? [];
    expect(seen.length).toBeGreaterThan(5);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    const { total } = await service.roster.users.list({ limit: 1 }).page({ count: true });
    expect(total?.count).toBe(20_000);
    expect(errors).toEqual([]);
  });

  test("can be paused, stopped and resumed", async () => {
    await using opened = await openConsole(browser, atImport);
    const { page, service, errors } = opened;
    await chooseFile(page, "people.csv", csvOfUsers(5000));
    const first = await holdImports(page);
    await startImport(page);
    await first.started;
    await press(page, "Pause");
    await page.getByText("finished first").waitFor();
    first.letGo();
    await page.getByRole("heading", { name: "Paused" }).waitFor();
    expect((await listRecords(service)).length).toBe(2000);
    expect(await accessibilityErrors(page)).toEqual([]);

    const second = await holdImports(page);
    await press(page, "Resume");
    await second.started;
    await press(page, "Stop");
    second.letGo();
    expect(await importResult(page)).toBe("4,000 users created.");
    await page.getByText("Nothing was imported from row 4,002 on.").waitFor();
    expect((await listRecords(service)).length).toBe(4000);

    await press(page, "Import the rest");
    await page.getByRole("heading", { name: "Import finished" }).waitFor();
    expect(await importResult(page)).toBe("5,000 users created.");
    expect(named(await listRecords(service))).toBe(5000);
    expect(errors).toEqual([]);
  });

  test("repeats a chunk whose response was lost without creating duplicates", async () => {
    await using opened = await openConsole(browser, atImport);
    const { page, service, errors } = opened;
    let posts = 0;
    await page.route("**/api/users/import", async (route) => {
      // The second chunk is imported each time, but its response is lost.
      if (route.request().method() !== "POST" || ++posts === 1 || posts > 4) return route.fallback();
      await route.fetch();
      return route.abort("connectionreset");
    });
    // Without emails, nothing but the idempotency key prevents duplicates.
    const rows = Array.from({ length: 4500 }, (_, i) => `Person ${i + 1}`);
    await chooseFile(page, "people.csv", `name\n${rows.join("\n")}\n`);
    await startImport(page);
    await page.getByRole("alert").filter({ hasText: "Can't reach the service" }).waitFor();
    await page.getByRole("heading", { name: "Interrupted" }).waitFor();
    expect(await accessibilityErrors(page)).toEqual([]);
    expect((await listRecords(service)).length).toBe(4000);
    await press(page, "Stop");
    await page.getByText("The response for rows 2,002 to 4,001 was lost").waitFor();
    await press(page, "Import the rest");
    await page.getByRole("heading", { name: "Import finished" }).waitFor();
    expect(await importResult(page)).toBe("4,500 users created.");
    const users = await listRecords(service);
    expect([users.length, named(users)]).toEqual([4500, 4500]);
    expect(unprovoked(errors)).toEqual([]);
  });

  test("resumes when the network is back", async () => {
    await using opened = await openConsole(browser, atImport);
    const { page, service, errors } = opened;
    await chooseFile(page, "people.csv", csvOfUsers(2500));
    await checkRows(page);
    await page.context().setOffline(true);
    await confirmImport(page);
    await page.getByRole("heading", { name: "Interrupted" }).waitFor();
    await page.context().setOffline(false);
    await press(page, "Resume");
    expect(await importResult(page)).toBe("2,500 users created.");
    expect((await listRecords(service)).length).toBe(2500);
    // The page loads the other views while it is idle, and later again if that fails.
    const isView = (error: string) => /^failed: .*\/console\/chunk-/.test(error);
    expect(unprovoked(errors).filter((error) => !isView(error))).toEqual([]);
  });

  test("keeps 10,000 failed rows, and counts the others", async () => {
    await using opened = await openConsole(browser, atImport);
    const { page, errors } = opened;
    await chooseFile(page, "people.csv", `name,note\n${",x\n".repeat(10_500)}Ada,y\n`);
    expect(await checkRows(page)).toBe("1 of 10,501 rows can be imported");
    await page.getByText("Only the first 10,000 of 10,500 can be downloaded.").waitFor();
    await confirmImport(page);
    expect(await importResult(page)).toBe("1 user created, 10,500 rows failed.");
    await page.getByText("Only the first 10,000 of 10,500 can be downloaded.").waitFor();
    expect(await errorKinds(page)).toEqual(["Name A name is required.10,500 rows"]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      press(page, "Download failed rows"),
    ]);
    const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
    expect([lines.length, lines.at(-1)]).toEqual([10_001, ",x,Name: A name is required."]);
    expect(errors).toEqual([]);
  });

  test("continues in other views, and shows a toast at the end", async () => {
    await using opened = await openConsole(browser, atImport);
    const { page, errors } = opened;
    await chooseFile(page, "people.csv", csvOfUsers(10));
    const held = await holdImports(page);
    await startImport(page);
    await held.started;
    await page.getByRole("link", { name: "Users", exact: true }).click();
    await page.getByRole("heading", { name: "No users yet" }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Import 0%" }).click();
    await bar(page).waitFor();
    await page.getByRole("link", { name: "Users", exact: true }).click();
    held.letGo();
    await page.getByText("10 users created.").waitFor();
    await page.getByRole("row", { name: /Person 10/ }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Import" }).click();
    await page.getByRole("heading", { name: "Import finished" }).waitFor();
    expect(errors).toEqual([]);
  });

  test("asks before the page is closed", async () => {
    await using opened = await openConsole(browser, atImport);
    const { page } = opened;
    await chooseFile(page, "people.csv", csvOfUsers(10));
    const held = await holdImports(page);
    await startImport(page);
    await held.started;
    const [dialog] = await Promise.all([page.waitForEvent("dialog"), page.close({ runBeforeUnload: true })]);
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    held.letGo();
    expect(await importResult(page)).toBe("10 users created.");
    await Promise.all([page.waitForEvent("close"), page.close({ runBeforeUnload: true })]);
  });

  test("keeps imported rows if the file is changed while it is imported", async () => {
    await using opened = await openConsole(browser, atImport);
    const { page, service, errors } = opened;
    const folder = await mkdtemp(join(tmpdir(), "roster-"));
    try {
      const path = join(folder, "people.csv");
      await writeFile(path, csvOfUsers(20_000));
      await page.locator("input[type=file]").setInputFiles(path);
      await checkRows(page);
      const held = await holdImports(page);
      await confirmImport(page);
      await held.started;
      await writeFile(path, "name\nsomething else\n");
      held.letGo();
      const result = await importResult(page);
      await page.getByRole("alert").filter({ hasText: "The file can no longer be read" }).waitFor();
      const { length } = await listRecords(service);
      expect([result, length > 0, length < 20_000]).toEqual([
        `${length.toLocaleString("en")} users created.`,
        true,
        true,
      ]);
      expect(errors).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("where keys are required", () => {
  test("an import can be resumed after signing in again", async () => {
    let key = "";
    await using opened = await openConsole(browser, {
      ...atImport,
      before: async ({ roster }) => {
        ({ key } = await roster.keys.create({ name: "console", scopes }));
      },
    });
    const { page, service, errors } = opened;
    await signIn(page, key);
    await chooseFile(page, "people.csv", csvOfUsers(3000));
    await checkRows(page);
    await page.context().clearCookies();
    await confirmImport(page);
    await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
    await signIn(page, key);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await press(page, "Resume");
    expect(await importResult(page)).toBe("3,000 users created.");
    const roster = createClient({ baseUrl: service.url, apiKey: key });
    expect((await listRecords({ roster })).length).toBe(3000);
    expect(unprovoked(errors)).toEqual([]);
  });

  test("a key that can't read users imports without updates", async () => {
    let key = "";
    await using opened = await openConsole(browser, {
      ...atImport,
      before: async ({ roster }) => {
        ({ key } = await roster.keys.create({ name: "writer", scopes: ["users:write"] }));
      },
    });
    const { page } = opened;
    await signIn(page, key);
    await chooseFile(page, "people.csv", csvOfUsers(10));
    await page.getByText("To update users, your key needs the scope users:read.").waitFor();
    expect(await page.getByLabel("If a user exists").locator("option").allTextContents()).toEqual([
      "Reject the row",
      "Skip the row",
    ]);
    await startImport(page);
    expect(await importResult(page)).toBe("10 users created.");
  });

  test("a read-only key can't import", async () => {
    let key = "";
    await using opened = await openConsole(browser, {
      ...atImport,
      before: async ({ roster }) => {
        ({ key } = await roster.keys.create({ name: "reader", scopes: ["users:read"] }));
      },
    });
    const { page } = opened;
    await signIn(page, key);
    await page.getByText("This needs a key with the scope users:write or groups:write.").waitFor();
    expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
    await press(page, "Sign in with another key");
    await page.getByRole("dialog", { name: "Sign in with another key" }).waitFor();
  });
});
