import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../support/browser.ts";
import { overflowWidth } from "../../support/browser-page.ts";
import { describeWithEachFontSet } from "../../support/font-sets.ts";
import { accessibilityErrorsInBothThemes, openConsole, tabTo } from "../support/console.ts";
import {
  checkRows,
  chooseFile,
  confirmImport,
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
const csvWithErrors = [
  "id,Full Name,E-mail,Department,Password",
  "1,Ada Lovelace,ada@example.com,engines,x",
  "2,,nobody,engines,x",
  "3,Grace Hopper,ada@example.com,navy,x",
].join("\n");

const csvWithMisfits = "name,email,level\nAda,ada@example.com,3\nBob,nobody,4\nCyd,,n/a\nDan,,5\n";

async function downloadBy(page: Page, button: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button }).click(),
  ]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

describe("import", () => {
  test("imports NDJSON, with renamed and skipped fields", async () => {
    await using opened = await openConsole(browser, atImport);
    const { page, service, errors } = opened;
    const lines = [
      '{"id":7,"name":"Ada","plan":"pro","level":1.50,"team":{"name":"engines"}}',
      '{"id":8,"name":"Grace","plan":null}',
      "nonsense",
      '{"name":12}',
    ];
    await chooseFile(page, "people.ndjson", `${lines.join("\n")}\n`);
    await page.getByLabel("plan", { exact: true }).selectOption("Skip");
    await page.getByLabel("Field for level").fill("grade");
    expect(await checkRows(page)).toBe("2 of 4 rows can be imported");
    const reasons = await downloadBy(page, "Download reasons");
    expect(reasons.text).toContain("4,name,12,The name must be a string.");
    await confirmImport(page);
    expect(await importResult(page)).toBe("2 users created, 2 rows failed.");
    expect(await listRecords(service)).toEqual([
      { name: "Ada", grade: 1.5, team: { name: "engines" } },
      { name: "Grace" },
    ]);
    expect(await errorKinds(page)).toEqual([
      "The line is not a valid JSON object.1 line",
      "Name The name must be a string.1 line",
    ]);
    expect(await page.locator(".import-kind tbody tr").allTextContents()).toEqual(["nonsense31", "1241"]);
    const failed = await downloadBy(page, "Download failed rows");
    expect(failed).toEqual({ name: "people-failed.ndjson", text: 'nonsense\n{"name":12}\n' });
    expect(errors).toEqual([]);
  });

  test("downloads failed rows, to correct and import again", async () => {
    await using opened = await openConsole(browser, {
      ...atImport,
      before: ({ roster }) => roster.users.create({ name: "First", email: "ADA@example.com" }),
    });
    const { page, service, errors } = opened;
    await chooseFile(page, "people.csv", csvWithErrors);
    expect(await checkRows(page)).toBe("0 of 3 rows can be imported");
    expect(await errorKinds(page)).toEqual([
      "Email The email is already in use.2 rows",
      "Name A name is required.1 row",
      "Email Enter a valid email address, like ada@example.com.1 row",
    ]);
    const { name, text } = await downloadBy(page, "Download failed rows");
    expect(name).toBe("people-failed.csv");
    expect(text.split("\r\n").slice(0, 3)).toEqual([
      "\ufeffid,Full Name,E-mail,Department,Password,problem",
      "1,Ada Lovelace,ada@example.com,engines,x,Email: ada@example.com is already in use.",
      '2,,nobody,engines,x,"Name: A name is required. Email: Enter a valid email address, like ada@example.com."',
    ]);

    await page.getByRole("button", { name: "Change columns" }).click();
    await page.getByRole("button", { name: "Choose another file" }).click();
    const corrected = text
      .replace("2,,nobody", "2,Nobody,nobody@example.com")
      .replaceAll("ada@", "countess@");
    await chooseFile(page, name, corrected);
    await page.getByText("Says why a row failed before.").waitFor();
    await startImport(page);
    expect(await importResult(page)).toBe("2 users created, 1 row failed.");
    expect((await listRecords(service)).slice(1)).toEqual([
      { name: "Ada Lovelace", email: "countess@example.com", Department: "engines" },
      { name: "Nobody", email: "nobody@example.com", Department: "engines" },
    ]);
    expect(errors).toEqual([]);
  });

  test("works with the keyboard", async () => {
    await using opened = await openConsole(browser, atImport);
    const { page, service, errors } = opened;
    const focused = (what: string) => page.locator(`${what}:focus`).waitFor({ state: "attached" });
    await page.getByRole("heading", { name: "Choose a file" }).waitFor();
    await tabTo(page, "input[type=file]");
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.keyboard.press("Space")]);
    await chooser.setFiles({
      name: "p.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("name,note\nAda,x\n"),
    });
    await focused("h2");
    await tabTo(page, "select");
    await tabTo(page, "select");
    await page.keyboard.press("ArrowDown");
    // The keyboard reaches the preview while it scrolls.
    const preview = page.locator(".import-table");
    expect(await preview.getAttribute("tabindex")).toBeNull();
    await preview.evaluate((element) => {
      element.style.maxHeight = "2rem";
    });
    await page.locator(".import-table[tabindex='0']").waitFor();
    await tabTo(page, ".import-table");
    await tabTo(page, ".button.primary");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "All 1 row can be imported" }).waitFor();
    await focused("h2");
    await tabTo(page, ".button.primary");
    await page.keyboard.press("Enter");
    expect(await importResult(page)).toBe("1 user created.");
    await focused("h2");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("row", { name: /Ada/ }).waitFor();
    expect(await listRecords(service)).toEqual([{ name: "Ada" }]);
    expect(errors).toEqual([]);
  });

  test("accepts dropped files and pasted rows", async () => {
    await using opened = await openConsole(browser, atImport);
    const { page, errors } = opened;
    await page.getByText("Drop a file here").waitFor();
    const drop = (names: string[]) =>
      page.evaluate((fileNames) => {
        const dataTransfer = new DataTransfer();
        for (const name of fileNames) dataTransfer.items.add(new File(["name\nAda\nGrace\n"], name));
        const target = document.querySelector(".view-title") ?? document.body;
        const init = { bubbles: true, cancelable: true, dataTransfer };
        const over = target.dispatchEvent(new DragEvent("dragover", init));
        return [over, target.dispatchEvent(new DragEvent("drop", init))];
      }, names);
    expect(await drop(["a.csv", "b.csv"])).toEqual([false, false]);
    await page.getByText("Drop one file at a time.").waitFor();
    await drop(["a.csv"]);
    await page.getByText("CSV with commas, UTF-8, 2 rows").waitFor();
    await page.getByRole("button", { name: "Choose another file" }).click();
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "Name\tMail\nAda\tada@example.com\n");
      document.body.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, clipboardData }));
    });
    await page.getByRole("cell", { name: "ada@example.com" }).waitFor();
    expect(errors).toEqual([]);
  });

  test("has no accessibility errors in either theme", async () => {
    await using opened = await openConsole(browser, atImport);
    const { page } = opened;
    await walk(page, async () => expect(await accessibilityErrorsInBothThemes(page)).toEqual([]));
  });

  describeWithEachFontSet((browser) => {
    test("fits a phone", async () => {
      await using opened = await openConsole(browser(), {
        ...atImport,
        viewport: { width: 360, height: 740 },
      });
      const { page } = opened;
      await walk(page, async () => expect(await overflowWidth(page)).toBe(0));
    });
  });

  /** Calls `check` at each step. */
  async function walk(page: Page, check: () => Promise<unknown>): Promise<void> {
    await page.getByRole("heading", { name: "Choose a file" }).waitFor();
    await check();
    await page.evaluate(
      (name) => {
        const file = { name, size: 9, rowCount: 2 };
        const record = {
          id: "1",
          startedAt: Date.now(),
          rows: 1,
          targets: [{ to: "name" }],
          onConflict: "fail",
        };
        localStorage.setItem("roster.unfinished-import", JSON.stringify({ ...record, file, key: null }));
      },
      `${"long-name-".repeat(8)}.csv`,
    );
    await page.reload();
    await page.getByRole("heading", { name: "was not finished" }).waitFor();
    await check();
    await page.getByRole("button", { name: "Import something else" }).click();
    await chooseFile(page, "people.csv", csvWithMisfits);
    await page.locator(".import-misfits").waitFor();
    await check();
    await checkRows(page);
    await check();
    const held = await holdImports(page);
    await confirmImport(page);
    await page.getByRole("progressbar").waitFor();
    await check();
    held.letGo();
    await importResult(page);
    await check();
  }
});
