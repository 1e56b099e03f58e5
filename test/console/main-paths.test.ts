/** The paths that most people take through the console and the reference page, each once, in a real browser. */
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { verifyWebhook } from "../../src/client/verify-webhook.ts";
import { openBrowser } from "../support/browser.ts";
import { collectErrors, overflowWidth, text } from "../support/browser-page.ts";
import { unknownKey } from "../support/credentials.ts";
import { startService, type TestService } from "../support/service.ts";
import { until, untilPasses } from "../support/until.ts";
import { startReceiver } from "../webhooks/support/receiver.ts";
import {
  type Console,
  entryOf,
  keyField,
  nameField,
  openConsole,
  press,
  signIn,
  viewLink,
  waitForToast,
} from "./support/console.ts";
import { chooseFile, importResult, listRecords, startImport } from "./support/import.ts";
import {
  errorStatuses,
  findSecret,
  type ServiceWithKeys,
  startServiceWithKeys,
} from "./support/service-with-keys.ts";
import { ada, everyType, openDrawer, recordChanges, userDrawer } from "./support/user-form.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const queryOf = (page: Page) => new URL(page.url()).search;
const waitForNames = (page: Page, expected: string[]) =>
  page.waitForFunction((names) => {
    const shown = [...document.querySelectorAll("tbody .user-name")].map(({ textContent }) => textContent);
    return JSON.stringify(shown) === names;
  }, JSON.stringify(expected));

describe("reading users", () => {
  const people = [
    { name: "Ada Lovelace", email: "ada@example.com", plan: "pro", level: 3 },
    { name: "Émile Zola", email: "emile@example.com", plan: "free" },
    { name: "Борис Ельцин", plan: "pro", tags: ["a", "b"] },
    { name: '=HYPERLINK("http://x")', email: "adam@example.com", plan: "pro" },
  ];
  const newestFirst = people.map(({ name }) => name).reverse();
  const byName = ['=HYPERLINK("http://x")', "Ada Lovelace", "Émile Zola", "Борис Ельцин"];

  let service: TestService;
  let opened: Console;
  let page: Page;
  beforeAll(async () => {
    service = await startService();
    for (const person of people) await service.roster.users.create(person);
    opened = await openConsole(browser, { service });
    page = opened.page;
  });
  afterEach(() => {
    expect(opened.errors).toEqual([]);
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await service?.stop();
  });
  const openUsers = async () => {
    await viewLink(page, "Users").click();
    await waitForNames(page, newestFirst);
  };

  test("the table shows the newest users first, with custom fields and the count", async () => {
    await openUsers();
    await page.getByRole("columnheader", { name: "tags" }).waitFor();
    await untilPasses(async () =>
      expect(await page.getByRole("columnheader").allTextContents()).toEqual([
        "",
        "Name",
        "Email",
        "level",
        "plan",
        "tags",
        "Created",
      ]),
    );
    await page.getByRole("heading", { name: "Users 4" }).waitFor();
    const tags = page.getByRole("row", { name: /Борис/ }).locator("[data-field=tags] .badge");
    await untilPasses(async () => expect(await tags.allTextContents()).toEqual(["a", "b"]));
  });

  test("the table searches while you type, and keeps the search in the URL", async () => {
    await openUsers();
    await page.keyboard.press("/");
    await page.keyboard.type("emile");
    // The first letters find the same user.
    await until(() => queryOf(page) === "?q=emile");
    await waitForNames(page, ["Émile Zola"]);
    await page.getByRole("heading", { name: "Users 1" }).waitFor();
    await page.reload();
    await waitForNames(page, ["Émile Zola"]);
    expect(await page.getByRole("searchbox").inputValue()).toBe("emile");
    await page.getByRole("button", { name: "Clear search" }).click();
    await waitForNames(page, newestFirst);
    expect(queryOf(page)).toBe("");
  });

  test("the table is sorted by a column in both directions", async () => {
    await openUsers();
    await press(page, "Name");
    await waitForNames(page, byName);
    expect(queryOf(page)).toBe("?sort=name");
    expect(await page.getByRole("columnheader", { name: "Name" }).getAttribute("aria-sort")).toBe(
      "ascending",
    );
    await press(page, "Name");
    await waitForNames(page, byName.toReversed());
    expect(queryOf(page)).toBe("?sort=-name");
    // The third click restores the default order. Back undoes the clicks.
    await press(page, "Name");
    await page.waitForURL((url) => url.search === "");
    await page.goBack();
    await page.goBack();
    await waitForNames(page, byName);
    expect(queryOf(page)).toBe("?sort=name");
  });

  test("the table is filtered by an expression, and shows where it is invalid", async () => {
    await openUsers();
    const apply = async (expression: string) => {
      await press(page, "Filter");
      await press(page, "Filter expression");
      await page.getByRole("textbox", { name: "Filter expression" }).fill(expression);
      await press(page, "Apply expression");
    };
    await apply('plan eq "PRO" and (level ge 3)');
    await waitForNames(page, ["Ada Lovelace"]);
    await page.getByRole("heading", { name: "Users 1" }).waitFor();
    expect(new URLSearchParams(queryOf(page)).get("filter")).toBe('plan eq "PRO" and (level ge 3)');
    await page.reload();
    await waitForNames(page, ["Ada Lovelace"]);
    await apply("level is 3");
    await page.getByText("Character 7: expected an operator").waitFor();
    opened.errors.length = 0;
    // The error is in the popup, at its character. The table and the address stay as they are.
    expect(await text(page.locator(".expression-mark mark"))).toBe("i");
    expect(
      await page.locator("textarea:focus").evaluate((input: HTMLTextAreaElement) => input.selectionStart),
    ).toBe(6);
    await waitForNames(page, ["Ada Lovelace"]);
    expect(new URLSearchParams(queryOf(page)).get("filter")).toBe('plan eq "PRO" and (level ge 3)');
    await page.keyboard.press("Escape");
    // An address with such an expression shows the error in place of the table.
    await page.goto(`${service.url}/users?filter=level+is+3`);
    await page.getByText("Character 7: expected an operator").waitFor();
    opened.errors.length = 0;
    await press(page, "Remove filter expression");
    await waitForNames(page, newestFirst);
    expect(queryOf(page)).toBe("");
  });

  test("an export saves CSV with the table's search, filters and order", async () => {
    await page.goto(`${service.url}/users?q=ad&plan=pro&sort=-name`);
    await waitForNames(page, ["Ada Lovelace", '=HYPERLINK("http://x")']);
    await press(page, "Export");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: "CSV" }).check();
    const downloading = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Export" }).click();
    const download = await downloading;
    const name = download.suggestedFilename();
    const saved = await readFile(await download.path(), "utf8");
    expect(name).toMatch(/^users-\d{4}-\d\d-\d\d\.csv$/);
    const answer = await service.call("/api/users/export?q=ad&plan=pro&sort=-name", {
      headers: { accept: "text/csv" },
    });
    // Formulas are escaped with an apostrophe.
    expect(saved).toContain(`"'=HYPERLINK(""http://x"")"`);
    // Excel reads UTF-8 only after a byte order mark.
    expect(saved).toBe(`\uFEFF${await answer.text()}`);
    await waitForToast(page, `${name} saved`);
    await dialog.waitFor({ state: "detached" });
  });

  test("the navigation leads to the views and to the reference, on a phone too", async () => {
    await openUsers();
    for (const view of ["Import", "Keys", "Connect", "Users"]) {
      await viewLink(page, view).click();
      await page.getByRole("heading", { level: 1, name: view }).waitFor();
      expect(await page.title()).toBe(`${view} · Roster`);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await waitForNames(page, newestFirst);
    expect(await overflowWidth(page)).toBe(0);
    await press(page, "Open the navigation");
    await viewLink(page, "Keys").click();
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    await press(page, "Open the navigation");
    await page.getByRole("link", { name: "API reference" }).click();
    await page.waitForURL(/\/docs$/);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test("Try it in the reference lists users and shows the status, headers and body of the response", async () => {
    await page.goto(`${service.url}/docs`);
    await page.click("#listUsers .try > summary");
    await page.click("#listUsers .send");
    const outcome = page.locator("#listUsers .outcome");
    await outcome.locator("pre").waitFor();
    expect(await text(outcome.locator(".status"))).toBe("200 OK");
    await untilPasses(async () =>
      expect(await outcome.locator("dt", { hasText: "x-request-id" }).count()).toBe(1),
    );
    expect(JSON.parse(await text(outcome.locator("pre")))).toMatchObject(people);
  });
});

describe("signed in with a key", () => {
  let started: ServiceWithKeys;
  let opened: Console;
  let page: Page;
  beforeAll(async () => {
    started = await startServiceWithKeys({ webhookPrivate: "allow" });
    opened = await openConsole(browser, {
      service: started.service,
      key: started.key,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    page = opened.page;
  });
  beforeEach(async () => {
    const { users } = started.roster;
    for (const { id } of await users.list().all()) await users.delete(id, { purge: true });
    // The page is not signed in at first.
    opened.errors.length = 0;
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await started?.service.stop();
  });
  /** Loads the page again: the table still shows the users of the test before. */
  const openUsers = () => page.goto(`${started.service.url}/users`);
  /** The fields of the only user that callers write. */
  const onlyRecord = async () => {
    const [record, ...others] = await listRecords(started);
    expect(others).toEqual([]);
    return record;
  };

  // The first test of this service: the table shows the fields that were stored first.
  test("a user that someone else changed shows both versions, and saves the choice for each field", async () => {
    const { id } = await started.roster.users.create(ada);
    await openUsers();
    const { drawer, name, value, button, removeField, waitUntilClosed } = userDrawer(page);
    await openDrawer(page);
    await name.fill("Ada King");
    await value("department").fill("mathematics");
    await removeField("level");
    const theirs = { name: "Augusta Ada", department: "poetry", city: "London" };
    await started.roster.users.update(id, theirs);
    await button("Save").click();
    await drawer.getByText("Conflicting changes").waitFor();
    await drawer.getByText("Before: Ada Lovelace").waitFor();
    // Fields that only one side changed are preselected.
    const chosen = () => drawer.getByRole("radio", { checked: true }).count();
    expect(await chosen()).toBe(2);
    await untilPasses(async () => expect(await drawer.getByRole("radio").count()).toBe(8));
    const changes = recordChanges(page);
    await button("Save choices").click();
    expect(changes).toEqual([]);
    const choose = (field: string, side: string) =>
      page.getByRole("group", { name: field }).getByRole("radio", { name: side }).check();
    await choose("Name", "Yours");
    await choose("department", "Theirs");
    await button("Save choices").click();
    await waitUntilClosed();
    expect(changes).toEqual([{ method: "PATCH", body: { name: "Ada King", level: null }, ifMatch: '"2"' }]);
    expect(await onlyRecord()).toEqual({
      name: "Ada King",
      email: ada.email,
      department: "poetry",
      city: "London",
    });
    await page.getByRole("row", { name: /Ada King.*poetry/ }).waitFor();
    expect(errorStatuses(opened.errors)).toEqual(["412"]);
  });

  test("a new user is created with custom fields of every type, and shown in the table", async () => {
    await viewLink(page, "Users").click();
    await page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
    await page.keyboard.press("n");
    const { name, email, addField, button, waitUntilClosed } = userDrawer(page);
    await name.fill("  Grace Hopper ");
    await email.fill(" grace@example.com ");
    await addField("text", "Text", "a\nb");
    await addField("number", "Number", " -1.50 ");
    await addField("yes", "Yes / no", "Yes");
    await addField("nothing", "Empty");
    await addField("list", "JSON", '[1, {"a": null}]');
    await button("Create user").click();
    await waitUntilClosed();
    await page.getByText("Grace Hopper created").waitFor();
    await page.getByRole("row", { name: /Grace Hopper/ }).waitFor();
    expect(await onlyRecord()).toEqual({ name: "Grace Hopper", email: "grace@example.com", ...everyType });
    expect(opened.errors).toEqual([]);
  });

  test("an edit sends only changed fields, with If-Match", async () => {
    await started.roster.users.create(ada);
    await openUsers();
    const { name, email, drawer, value, button, addField, removeField, waitUntilClosed } = userDrawer(page);
    const changes = recordChanges(page);
    await openDrawer(page);
    await name.fill("Ada King");
    await email.fill("");
    await value("level").fill("8");
    await removeField("department");
    await addField("tags", "JSON", '[{"a": null}]');
    await button("Save").click();
    await waitUntilClosed();
    await page.getByText("Ada King saved").waitFor();
    await page.getByRole("row", { name: /Ada King/ }).waitFor();
    expect(changes).toEqual([
      {
        method: "PATCH",
        body: { name: "Ada King", email: null, level: 8, department: null, tags: [{ a: null }] },
        ifMatch: '"1"',
      },
    ]);
    expect(await onlyRecord()).toEqual({ name: "Ada King", level: 8, tags: [{ a: null }] });
    expect(await drawer.count()).toBe(0);
    expect(opened.errors).toEqual([]);
  });

  test("a deleted user is back after Undo", async () => {
    const names = ["Ada", "Grace", "Edsger"];
    for (const name of names) await started.roster.users.create({ name });
    const tab = await page.context().newPage();
    const changes = recordChanges(tab);
    const errors = collectErrors(tab, started.service.url);
    await tab.goto(`${started.service.url}/users`);
    const grace = tab.getByRole("row", { name: /Grace/ });
    await grace.focus();
    await tab.keyboard.press("Delete");
    await grace.waitFor({ state: "hidden" });
    await tab.getByRole("button", { name: "Undo" }).click();
    await grace.waitFor();
    await tab.locator(".toast").getByText("Grace deleted", { exact: true }).waitFor({ state: "hidden" });
    await tab.getByText("1 user restored", { exact: true }).waitFor();
    expect(changes).toEqual([
      { method: "DELETE", ifMatch: '"1"', body: null },
      { method: "POST", ifMatch: undefined, body: { ids: [expect.any(Number)], restore: true } },
    ]);
    expect((await started.roster.users.list().all()).map(({ name }) => name)).toEqual(names);
    expect(errors).toEqual([]);
    await tab.close();
  });

  test("an import reads CSV as spreadsheets write it", async () => {
    await viewLink(page, "Import").click();
    const table =
      "\ufeffFull Name;E-Mail;Floor;Active;Note;Labels;\r\n" +
      'Zoë "Zed" Ångström; zoe@example.com;3;true;"two\r\nlines; and ""quotes""";["a","b"];\r\n' +
      ";;;;;;\r\n" +
      "\r\n" +
      "山田太郎;;007;FALSE;'=1+1;;\r\n";
    await chooseFile(page, "people.csv", table);
    await startImport(page);
    expect(await importResult(page)).toBe("2 users created.");
    expect(await listRecords(started)).toEqual([
      {
        name: 'Zoë "Zed" Ångström',
        email: "zoe@example.com",
        Floor: "3",
        active: true,
        Note: 'two\r\nlines; and "quotes"',
        Labels: ["a", "b"],
      },
      { name: "山田太郎", Floor: "007", active: false, Note: "=1+1" },
    ]);
    await page.getByRole("button", { name: "View users" }).click();
    await page.getByRole("row", { name: /山田太郎/ }).waitFor();
    expect(opened.errors).toEqual([]);
  });

  test("a new key is created from the form, shown once, and not kept in the page", async () => {
    const { key, roster } = started;
    await viewLink(page, "Keys").click();
    await press(page, "New key");
    await page.getByLabel("Your key", { exact: true }).fill(` ${key} `);
    await press(page, "Continue");
    await nameField(page).fill("Größe <b>& co</b>");
    await page.getByLabel("Edit users").check();
    await page.getByLabel("Expires").selectOption("On a date…");
    await page.getByLabel("Last day").fill("2099-05-31");
    await page.getByLabel("Requests", { exact: true }).fill("10");
    await page.getByLabel("Seconds").fill("30");
    await page.getByLabel("Monthly quota").fill("1 000");
    await press(page, "Create key");
    const secret = await text(page.getByRole("dialog").getByText(/^roster_[0-9A-Za-z]{36}$/));
    await press(page, "Copy key");
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    await press(page, "I've saved it");
    const item = entryOf(page, "Größe <b>& co</b>");
    await item.getByText("New", { exact: true }).waitFor();
    await item.press("Enter");
    await page.getByText("10 per 30 s").waitFor();
    expect((await roster.keys.list().all()).at(-1)).toMatchObject({
      name: "Größe <b>& co</b>",
      scopes: ["users:read", "users:write"],
      expiresAt: new Date("2099-05-31T23:59:59").toISOString(),
      rateLimit: { requests: 10, seconds: 30 },
      quota: 1000,
    });
    for (const each of [secret, key]) expect(await findSecret(page, each)).toEqual([]);
    expect(opened.errors).toEqual([]);
  });

  test("a webhook is created from the form, and receives events signed with its secret", async () => {
    const { key, roster } = started;
    const receiver = startReceiver();
    await viewLink(page, "Webhooks").click();
    await press(page, "New webhook");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("URL").fill(receiver.url);
    await dialog.getByLabel("Your key").fill(key);
    await page.keyboard.press("Enter");
    const secret = await text(dialog.getByText(/^whsec_/));
    await dialog.getByRole("button", { name: "I've saved it" }).click();
    await page.waitForURL(/\/webhooks\/\d+$/);
    await roster.users.create({ name: "Ada" });
    const deliveries = page.getByRole("grid", { name: "Deliveries" });
    await deliveries.getByText("User created").waitFor();
    await deliveries.getByText("Status 204").waitFor();
    const [delivery] = receiver.received;
    if (!delivery) throw new Error("Nothing was delivered.");
    const { body, headers } = delivery;
    expect(await verifyWebhook({ body, headers }, secret)).toMatchObject({ type: "user.created" });
    expect(await findSecret(page, secret)).toEqual([]);
    expect(opened.errors).toEqual([]);
    for (const { id } of await roster.webhooks.list().all()) await roster.webhooks.delete(id);
    await receiver.stop();
  });

  test("a schema is made from the users' fields, saved, and checked from then on", async () => {
    const { roster } = started;
    await roster.users.create({ name: "Ada", department: "sales" });
    await page.goto(`${started.service.url}/schema`);
    await press(page, "Start from your users");
    const department = page.getByRole("listitem", { name: "department", exact: true });
    await department.getByRole("button", { name: "department" }).click();
    await department.getByLabel("Allowed values", { exact: true }).fill("sales, support");
    await press(page, "Check and save");
    await page.getByRole("dialog").getByRole("button", { name: /^Save/ }).click();
    await waitForToast(page, "Schema saved as version 1");
    const { schema } = await roster.schema.get();
    expect(schema).toMatchObject({
      properties: { department: { type: "string", enum: ["sales", "support"] } },
    });
    const refused = await roster.users.create({ name: "Bob", department: "garden" }).catch(String);
    expect(refused).toContain("invalid-user");
    expect(opened.errors).toEqual([]);
    await roster.schema.set({});
  });

  test("a sign-in shows the service's error at the field, then the users", async () => {
    const { service, key, roster } = started;
    await roster.users.create(ada);
    await using other = await openConsole(browser, { service });
    const signInPage = other.page;
    const field = keyField(signInPage);
    await press(signInPage, "Sign in");
    await signInPage.getByText("Enter your key.").waitFor();
    for (const [wrong, words] of [
      ["roster_wrong", "This is not a valid key. Copy the whole key."],
      [unknownKey, "This service has no such key."],
    ] as const) {
      await field.fill(wrong);
      await press(signInPage, "Sign in");
      await signInPage.getByText(words).waitFor();
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      const described = await field.getAttribute("aria-describedby");
      expect(await signInPage.locator(`[id="${described}"]`).textContent()).toBe(words);
      expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    }
    await signIn(signInPage, ` ${key} `);
    await signInPage.getByRole("row", { name: /Ada Lovelace/ }).waitFor();
    await signInPage.getByText("first", { exact: true }).waitFor();
    expect(errorStatuses(other.errors)).toEqual(["401", "401", "401"]);
  });
});
