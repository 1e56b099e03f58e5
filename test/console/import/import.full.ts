import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../support/browser.ts";
import { overflowWidth } from "../../support/browser-page.ts";
import { describeWithEachFontSet } from "../../support/font-sets.ts";
import { untilPasses } from "../../support/until.ts";
import {
  accessibilityErrors,
  accessibilityErrorsInBothThemes,
  openConsole,
  tabTo,
} from "../support/console.ts";
import { chooseFile, holdImports, importResult, listRecords, startImport } from "../support/import.ts";

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
    await page.getByText("2 of 4 rows have errors.").waitFor();
    await page.getByLabel("plan", { exact: true }).selectOption("Skip");
    await page.getByLabel("Field for level").fill("grade");
    await startImport(page);
    expect(await importResult(page)).toBe("2 users created, 2 rows failed.");
    expect(await listRecords(service)).toEqual([
      { name: "Ada", grade: 1.5, team: { name: "engines" } },
      { name: "Grace" },
    ]);
    await untilPasses(async () =>
      expect(await page.locator("tbody tr").allInnerTexts()).toEqual([
        expect.stringMatching(/^3\s+The line is not a valid JSON object\.\s+nonsense$/),
        expect.stringMatching(/^4\s+The name must be a string\.\s+Name\s+12$/),
      ]),
    );
    const failed = await downloadBy(page, "Download failed rows");
    expect(failed).toEqual({ name: "people-failed.ndjson", text: 'nonsense\n{"name":12}\n' });
    const reasons = await downloadBy(page, "Download reasons");
    expect(reasons.text).toContain("4,name,12,The name must be a string.");
    expect(errors).toEqual([]);
  });

  test("maps columns by hand, and shows mapping errors", async () => {
    await using opened = await openConsole(browser, {
      ...atImport,
      before: ({ roster }) => roster.schema.set({ properties: { x: { type: ["string", "null"] } } }),
    });
    const { page, service, errors } = opened;
    await chooseFile(page, "people.csv", "given,family,contact,secret,x\nAda,Lovelace,ada@example.com,s,1\n");
    const start = page.getByRole("button", { name: "Import 1 row" });
    await page.getByText("Choose the column that has the name.").waitFor();
    expect(await start.isDisabled()).toBe(true);

    await page.getByLabel("given", { exact: true }).selectOption("Name");
    await page.getByLabel("family", { exact: true }).selectOption("Name");
    await page.getByText("joined with a space").waitFor();
    await page.getByLabel("contact", { exact: true }).selectOption("Email");
    await page.getByLabel("secret", { exact: true }).selectOption("Custom field");
    const field = page.getByLabel("Field for secret");
    await field.fill("secret");
    await page.getByText("Roster stores no credentials.").waitFor();
    await field.fill("x");
    await page.getByText("Another column already becomes this field.").waitFor();
    await field.fill("a b");
    await page.getByText("Start with a letter, then use up to 63").waitFor();
    expect(await start.isDisabled()).toBe(true);
    expect(await accessibilityErrors(page)).toEqual([]);
    await field.fill("hint");
    await page.getByRole("cell", { name: "Ada Lovelace" }).waitFor();
    await page.getByRole("columnheader", { name: "x (text)" }).waitFor();
    await page.getByLabel("Type of x").selectOption("Number");
    await page.getByRole("columnheader", { name: "x (number)" }).waitFor();
    await page.getByRole("columnheader", { name: "hint (text)" }).waitFor();
    await page.getByLabel("Type of x").selectOption("Text");
    await start.click();
    expect(await importResult(page)).toBe("1 user created.");
    expect(await listRecords(service)).toEqual([
      { name: "Ada Lovelace", email: "ada@example.com", hint: "s", x: "1" },
    ]);
    expect(errors).toEqual([]);
  });

  test("marks errors at their cells before anything is imported", async () => {
    await using opened = await openConsole(browser, atImport);
    const { page, service } = opened;
    await chooseFile(page, "people.csv", `${csvWithErrors}\n4,Dan,dan@example.com,x,y,too much\n`);
    await page.getByText("3 of 4 rows have errors.").waitFor();
    await untilPasses(async () =>
      expect(await page.locator("td.bad").allInnerTexts()).toEqual([
        "A name is required.",
        expect.stringContaining("Not a valid email address."),
        expect.stringContaining("Same email as in row 2."),
        expect.stringContaining("The row has 6 cells, but the first row names 5 columns."),
      ]),
    );
    await page.getByLabel("Only rows with errors").check();
    await untilPasses(async () => expect(await page.locator("tbody tr").count()).toBe(3));
    expect(await listRecords(service)).toEqual([]);
  });

  test("downloads failed rows, to correct and import again", async () => {
    await using opened = await openConsole(browser, {
      ...atImport,
      before: ({ roster }) => roster.users.create({ name: "First", email: "ADA@example.com" }),
    });
    const { page, service, errors } = opened;
    await chooseFile(page, "people.csv", csvWithErrors);
    await startImport(page);
    expect(await importResult(page)).toBe("0 users created, 3 rows failed.");
    await untilPasses(async () =>
      expect(await page.locator("tbody tr").allInnerTexts()).toEqual([
        expect.stringMatching(/^2\s+ada@example.com is already in use\.\s+Email\s+ada@example.com$/),
        expect.stringMatching(/^3\s+A name is required\.\s+Name/),
        expect.stringMatching(/^4\s+ada@example.com is already in use\./),
      ]),
    );
    const { name, text } = await downloadBy(page, "Download failed rows");
    expect(name).toBe("people-failed.csv");
    expect(text.split("\r\n")[0]).toBe("\ufeffid,Full Name,E-mail,Department,Password,problem");

    await page.getByRole("button", { name: "Import another file" }).click();
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

  test("compares rows with the users that exist, and updates them", async () => {
    await using opened = await openConsole(browser, {
      ...atImport,
      before: ({ roster }) =>
        roster.users.create({ name: "Ada", email: "ada@example.com", plan: "free", level: 1 }),
    });
    const { page, service, errors } = opened;
    const table = "name,email,plan\n,ADA@example.com,pro\nBob,bob@example.com,\n,cyd@example.com,x\n";
    await chooseFile(page, "people.csv", table.replace("\n,ADA", "\nAda,ADA"));
    await page.getByText("1 user to create, 2 rows to reject.").waitFor();
    await page.locator("td.bad").filter({ hasText: "ADA@example.com is already in use." }).waitFor();
    await page.getByLabel("If a user exists").selectOption("Skip the row");
    await page.getByText("1 user to create, 1 to skip, 1 row to reject.").waitFor();
    await page.getByRole("button", { name: "Choose another file" }).click();
    await chooseFile(page, "people.csv", table);
    await page.getByLabel("If a user exists").selectOption("Update the user");
    await page.getByText("1 user to create, 1 to update, 1 row to reject.").waitFor();
    await page.getByText("1 of 3 rows has errors.").waitFor();
    expect((await listRecords(service)).length).toBe(1);
    await startImport(page);
    expect(await importResult(page)).toBe("1 user created, 1 updated, 1 row failed.");
    expect(await listRecords(service)).toEqual([
      { name: "Ada", email: "ADA@example.com", plan: "pro", level: 1 },
      { name: "Bob", email: "bob@example.com" },
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
    await page.getByText("2 rows, no errors.").waitFor();
    await page.getByRole("button", { name: "Choose another file" }).click();
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "Name\tMail\nAda\tada@example.com\n");
      document.body.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, clipboardData }));
    });
    await page.getByRole("cell", { name: "ada@example.com" }).waitFor();
    expect(errors).toEqual([]);
  });

  test("explains why a file can't be imported", async () => {
    await using opened = await openConsole(browser, atImport);
    const { page, errors } = opened;
    const choose = (name: string, content: string | Uint8Array) =>
      page.setInputFiles("input[type=file]", { name, mimeType: "text/plain", buffer: Buffer.from(content) });
    const cases: [string, string | Uint8Array, string][] = [
      ["people.csv", new Uint8Array([0x6e, 0x0a, 0x81, 0x0a]), "This file is not text in a known encoding."],
      ["people.xlsx", "PK\u0003\u0004", "This file is a spreadsheet, not CSV."],
      ["people.json", '[{"name":"Ada"},{"na', "The JSON can't be read from item 2 on."],
      ["people.csv", "name\n", "This file has no rows to import."],
      ["people.csv", 'name,x\nAda,1\nBob,"2\n', "The file can't be read from row 3 on."],
    ];
    for (const [name, content, words] of cases) {
      await choose(name, content);
      await page.getByRole("alert").filter({ hasText: words }).waitFor();
    }
    expect(await accessibilityErrors(page)).toEqual([]);
    await choose("people.csv", "name\nAda\n");
    await page.getByText("1 row, no errors.").waitFor();
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
    await chooseFile(page, "people.csv", csvWithErrors);
    await check();
    const held = await holdImports(page);
    await startImport(page);
    await page.getByRole("progressbar").waitFor();
    await check();
    held.letGo();
    await importResult(page);
    await check();
  }
});
