import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { overflowWidth } from "../support/browser-page.ts";
import { describeWithEachFontSet } from "../support/font-sets.ts";
import type { TestService } from "../support/service.ts";
import { untilPasses } from "../support/until.ts";
import { accessibilityErrors, openConsole, viewLink, waitForToast } from "./support/console.ts";
import { statusErrors } from "./support/user-form.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

const people = [
  { name: "Ada Lovelace", email: "ada@example.com", plan: "pro", level: 3 },
  { name: "Émile Zola", email: "emile@example.com", plan: "free" },
  { name: "Борис Ельцин", plan: "pro", tags: ["a", "b"] },
];
const fill = async ({ roster }: TestService) => {
  for (const person of people) await roster.users.create(person);
};
const many = (count: number) => async (service: TestService) => {
  const lines = Array.from({ length: count }, (_, index) => ({
    name: `User ${String(index + 1).padStart(6, "0")}`,
  }));
  await service.roster.users.import(lines).summary();
};

/** Waits for the tab that an action opens, and closes it. Chromium may never load a tab in the background: Playwright has no page of it. */
async function closeOpenedTab(open: () => Promise<void>): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const { targetInfos } = await session.send("Target.getTargets");
  const known = new Set(targetInfos.map(({ targetId }) => targetId));
  const opened = new Promise<string>((resolve) =>
    session.on("Target.targetCreated", ({ targetInfo: { type, targetId } }) => {
      if (type === "page" && !known.has(targetId)) resolve(targetId);
    }),
  );
  await session.send("Target.setDiscoverTargets", { discover: true });
  await open();
  await session.send("Target.closeTarget", { targetId: await opened });
  await session.detach();
}

const waitForNames = (page: Page, expected: string[]) =>
  page.waitForFunction((names) => {
    const shown = [...document.querySelectorAll("tbody .user-name")].map(({ textContent }) => textContent);
    return JSON.stringify(shown) === names;
  }, JSON.stringify(expected));
/** Runs in the page. Types the text without a pause, however slow the machine is. */
function typeAtOnce(field: Element, text: string): void {
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value") ?? {};
  for (let length = 1; length <= text.length; length++) {
    set?.call(field, text.slice(0, length));
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
const queryOf = (page: Page) => new URL(page.url()).search;

describe("the table of users", () => {
  test("sends one request for fast typing", async () => {
    await using opened = await openConsole(browser, { before: fill });
    const { page } = opened;
    await waitForNames(page, ["Борис Ельцин", "Émile Zola", "Ada Lovelace"]);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).search));
    await page.getByRole("searchbox").evaluate(typeAtOnce, "zola");
    await waitForNames(page, ["Émile Zola"]);
    expect(asked.filter((query) => /^\?q=.*limit=100/.test(query))).toEqual(["?q=zola&sort=-id&limit=100"]);
  });

  test("sorts by a custom field, and puts users without it last", async () => {
    await using opened = await openConsole(browser, { before: fill });
    const { page } = opened;
    await page.getByRole("button", { name: "level", exact: true }).click();
    await waitForNames(page, ["Ada Lovelace", "Émile Zola", "Борис Ельцин"]);
    expect(queryOf(page)).toBe("?sort=level");
    await page.getByRole("button", { name: "level", exact: true }).click();
    await waitForNames(page, ["Ada Lovelace", "Борис Ельцин", "Émile Zola"]);
    expect(queryOf(page)).toBe("?sort=-level");
  });

  test("filters by any field with the keyboard alone, and removes filters", async () => {
    await using opened = await openConsole(browser, { before: fill });
    const { page } = opened;
    const filterOf = () => new URLSearchParams(queryOf(page)).get("filter");
    const chooseField = async (field: string) => {
      await page.getByRole("button", { name: "Filter", exact: true }).focus();
      await page.keyboard.press("Enter");
      await page
        .locator("input:focus")
        .and(page.getByRole("combobox", { name: "Find a field" }))
        .waitFor();
      await page.keyboard.type(field);
      await page.waitForFunction(() => document.querySelectorAll("[role=option]").length === 1);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "All fields" }).waitFor();
    };
    const focusedInput = page.locator(".filter-form input:focus");
    await chooseField("plan");
    // The values come with the number of users who have them.
    await page.getByRole("checkbox", { name: "pro 2" }).waitFor();
    await focusedInput.waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await waitForNames(page, ["Борис Ельцин", "Ada Lovelace"]);
    expect(filterOf()).toBe('plan eq "pro"');
    await chooseField("level");
    await focusedInput.waitFor();
    await page.keyboard.type("3");
    await page.keyboard.press("Enter");
    await waitForNames(page, ["Ada Lovelace"]);
    expect(filterOf()).toBe('plan eq "pro" and level ge 3');
    await page.getByRole("button", { name: "Remove filter plan is pro" }).click();
    await page.getByRole("button", { name: "Remove filter level is at least 3" }).click();
    await waitForNames(page, ["Борис Ельцин", "Émile Zola", "Ada Lovelace"]);

    // The values of a field are one filter: a user has one of them.
    await chooseField("plan");
    await focusedInput.waitFor();
    await page.keyboard.type("fr");
    await page.getByRole("checkbox", { name: "free 1" }).waitFor();
    await page.keyboard.press("Enter");
    await waitForNames(page, ["Émile Zola"]);
    await chooseField("plan");
    await page.getByRole("checkbox", { name: "free 1", checked: true }).waitFor();
    await page.getByRole("checkbox", { name: "pro 2" }).check();
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await waitForNames(page, ["Борис Ельцин", "Émile Zola", "Ada Lovelace"]);
    expect(filterOf()).toBe('(plan eq "free" or plan eq "pro")');
    await page.getByRole("button", { name: "plan is any of free or pro", exact: true }).waitFor();

    // A field without a list of values is found by a part.
    await chooseField("Email");
    await focusedInput.waitFor();
    await page.keyboard.type("nobody");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "No matching users" }).waitFor();
    await page.getByRole("button", { name: "Clear search and filters" }).click();
    await waitForNames(page, ["Борис Ельцин", "Émile Zola", "Ada Lovelace"]);
    expect(queryOf(page)).toBe("");
  });

  test("opens a filter for a change, with its values, and keeps it where it was", async () => {
    const filter = 'level gt 2 and plan sw "p" and createdAt ge "2020-01-01" and createdAt lt "2020-01-02"';
    await using opened = await openConsole(browser, {
      before: fill,
      path: `/users?plan=pro&filter=${encodeURIComponent(filter)}`,
    });
    const { page } = opened;
    const filterOf = () => new URLSearchParams(queryOf(page)).get("filter");
    const condition = page.getByLabel("Condition");
    const apply = page.getByRole("button", { name: "Apply", exact: true });
    const open = (name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();
    // One chip for both comparisons, with the last day instead of the day after it.
    await open("Created is from Jan 1, 2020 to Jan 1, 2020");
    expect([
      await page.getByLabel("From", { exact: true }).inputValue(),
      await page.getByLabel("To", { exact: true }).inputValue(),
    ]).toEqual(["2020-01-01", "2020-01-01"]);
    await condition.selectOption({ label: "is in the last … days" });
    await page.getByLabel("Days").fill("3");
    await apply.click();
    await waitForNames(page, ["Ada Lovelace"]);
    expect(filterOf()).toMatch(/^level gt 2 and plan sw "p" and createdAt ge "20\d\d-\d\d-\d\d"$/);

    await open("level is greater than 2");
    expect(await page.getByLabel("Value").inputValue()).toBe("2");
    await condition.selectOption({ label: "is from … to …" });
    await page.getByLabel("From", { exact: true }).fill("9");
    await page.getByLabel("To", { exact: true }).fill("3");
    await apply.click();
    await page.getByText("The end must not be before the start.").waitFor();
    await page.getByLabel("From", { exact: true }).fill("1");
    await apply.click();
    await page.locator(".chip-label:focus").getByText("level is from 1 to 3", { exact: true }).waitFor();
    expect(filterOf()).toStartWith('level ge 1 and level le 3 and plan sw "p" and createdAt');

    // Back to the fields: the other field takes the place of this one.
    await open("plan starts with p");
    await open("All fields");
    await page.getByRole("combobox", { name: "Find a field" }).fill("tag");
    await page.keyboard.press("Enter");
    await condition.selectOption({ label: "has no value" });
    await apply.click();
    await page.getByRole("button", { name: "tags has no value", exact: true }).waitFor();
    expect(filterOf()).toStartWith("level ge 1 and level le 3 and not (tags pr) and createdAt");
    expect(new URLSearchParams(queryOf(page)).getAll("plan")).toEqual(["pro"]);

    // A parameter of the URL has its values in the form, too.
    await open("plan is pro");
    await page.getByRole("checkbox", { name: "pro 2", checked: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.goBack();
    await page.getByRole("button", { name: "plan starts with p", exact: true }).waitFor();
  });

  test("keeps the form of an expression open if the service can't be asked about it", async () => {
    await using opened = await openConsole(browser, { before: fill, path: "/users?plan=pro" });
    const { page } = opened;
    await waitForNames(page, ["Борис Ельцин", "Ada Lovelace"]);
    await page.route("**/api/users?*limit=1", (route) => route.abort());
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("button", { name: "Filter expression" }).click();
    const expression = page.getByRole("textbox", { name: "Filter expression" });
    expect(await expression.inputValue()).toBe('plan eq "pro"');
    await expression.fill("level pr");
    await page.getByRole("button", { name: "Apply expression" }).click();
    await page.locator(".popup .field-error").waitFor();
    expect(await page.locator(".expression-mark").count()).toBe(0);
    expect(queryOf(page)).toBe("?plan=pro");
    await page.unroute("**/api/users?*limit=1");
    await page.getByRole("button", { name: "Apply expression" }).click();
    await waitForNames(page, ["Ada Lovelace"]);
    expect(queryOf(page)).toBe("?filter=level+pr");
  });

  test("has a form for filters that fits on a phone, with controls for fingers", async () => {
    await using opened = await openConsole(browser, {
      before: fill,
      path: "/users?filter=level+ge+1+and+level+le+7",
      viewport: { width: 360, height: 740 },
      isMobile: true,
      hasTouch: true,
    });
    const { page } = opened;
    const popup = page.locator(".popup");
    const small = () =>
      page
        .locator(
          ".popup :is(button, input:not([type=checkbox]), select, textarea, label:has(input), [role=option])",
        )
        .evaluateAll((controls) =>
          controls
            .map((control) => ({ text: control.textContent, height: control.getBoundingClientRect().height }))
            // Some are for screen readers only.
            .filter(({ height }) => height > 1 && height < 44),
        );
    const expectFit = async () => {
      expect(await small()).toEqual([]);
      const box = await popup.boundingBox();
      expect([(box?.x ?? -1) >= 0, (box?.x ?? 0) + (box?.width ?? 999) <= 360]).toEqual([true, true]);
      expect(await popup.evaluate((popup) => popup.scrollWidth - popup.clientWidth)).toBe(0);
    };
    await page.getByRole("button", { name: "level is from 1 to 7", exact: true }).click();
    await page.getByLabel("From", { exact: true }).waitFor();
    await expectFit();
    await page.getByRole("button", { name: "All fields" }).click();
    await popup.getByRole("option", { name: "Created" }).waitFor();
    await expectFit();
    await popup.getByRole("option", { name: "Created" }).click();
    await page.getByLabel("Condition").selectOption({ label: "is from … to …" });
    await expectFit();
    await page.getByRole("button", { name: "All fields" }).click();
    await popup.getByRole("option", { name: "plan" }).click();
    await page.getByRole("checkbox", { name: "pro" }).waitFor();
    await expectFit();
    await page.getByRole("button", { name: "All fields" }).click();
    await page.getByRole("button", { name: "Filter expression" }).click();
    await page.getByRole("textbox", { name: "Filter expression" }).waitFor();
    await expectFit();
  });

  test("remembers the chosen columns", async () => {
    await using opened = await openConsole(browser, { before: fill });
    const { page } = opened;
    await page.getByRole("columnheader", { name: "tags" }).waitFor();
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("checkbox", { name: "tags" }).uncheck();
    await page.getByRole("checkbox", { name: "ID", exact: true }).check();
    expect(await page.getByRole("checkbox", { name: "Name" }).isDisabled()).toBe(true);
    await page.reload();
    const headers = page.getByRole("columnheader");
    // The columns of custom fields come with the list of fields.
    await headers.filter({ hasText: "plan" }).waitFor();
    await untilPasses(async () =>
      expect((await headers.allTextContents()).slice(1)).toEqual([
        "Name",
        "Email",
        "level",
        "plan",
        "ID",
        "Created",
      ]),
    );
    await page.getByRole("button", { name: "Columns" }).click();
    // With the keyboard: the focus stays on the button.
    await page.getByRole("button", { name: "Move Email to the right" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Pin plan" }).click();
    await page.getByRole("button", { name: "Unpin plan" }).waitFor();
    await page.getByText("Comfortable").click();
    await page.keyboard.press("Escape");
    await page.getByRole("columnheader", { name: "ID" }).getByRole("button").focus();
    const before = await headers.filter({ hasText: "ID" }).boundingBox();
    for (let press = 0; press < 4; press++) await page.keyboard.press("Shift+ArrowRight");
    await page.reload();
    await headers.filter({ hasText: "ID" }).waitFor();
    await untilPasses(async () =>
      expect((await headers.allTextContents()).slice(1)).toEqual([
        "Name",
        "plan",
        "level",
        "Email",
        "ID",
        "Created",
      ]),
    );
    expect((await page.locator("tbody tr").first().boundingBox())?.height).toBe(52);
    expect((await headers.filter({ hasText: "ID" }).boundingBox())?.width).toBe((before?.width ?? 0) + 64);
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByText("Compact").click();
    expect((await page.locator("tbody tr").nth(1).boundingBox())?.height).toBe(40);
    await page.getByRole("button", { name: "Reset to default" }).click();
    await headers.filter({ hasText: "tags" }).waitFor();
    await untilPasses(async () =>
      expect((await headers.allTextContents()).slice(1, 3)).toEqual(["Name", "Email"]),
    );
  });

  test("saves lists by name, and shares them as links", async () => {
    await using opened = await openConsole(browser, {
      before: fill,
      path: "/users?plan=pro&sort=name",
      // At other heights, axe does not recognise the backdrop of the menu: one of its points is on the button.
      viewport: { width: 1280, height: 900 },
    });
    const { page, errors } = opened;
    const all = ["Ada Lovelace", "Émile Zola", "Борис Ельцин"];
    const pro = ["Ada Lovelace", "Борис Ельцин"];
    const lists = page.getByRole("button", { name: /^List/ });
    const chosen = (name: string) => page.getByRole("button", { name: `List: ${name}` }).waitFor();
    const choose = async (name: string) => {
      await lists.click();
      await page.getByRole("menuitemradio", { name }).or(page.getByRole("menuitem", { name })).click();
    };
    // Toasts have the role dialog too.
    const dialog = page.getByRole("dialog").and(page.locator(".modal"));
    const finish = async (button: string) => {
      await dialog.getByRole("button", { name: button }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await waitForNames(page, pro);
    await page.getByRole("columnheader", { name: "tags" }).waitFor();
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("checkbox", { name: "tags" }).uncheck();
    await page.keyboard.press("Escape");
    await choose("Save current list…");
    await dialog.getByRole("textbox", { name: "Name" }).fill(" Pro plan ");
    await finish("Save list");
    await chosen("Pro plan");
    expect(queryOf(page)).toBe("?plan=pro&sort=name&fields=name,email,level,plan,createdAt");

    const link = page.url();
    await choose("All users");
    await waitForNames(page, all.toReversed());
    await page.goBack();
    await chosen("Pro plan");
    await waitForNames(page, pro);

    // A changed list replaces the saved one.
    await page.getByRole("button", { name: "Remove filter plan is pro" }).click();
    await waitForNames(page, all);
    await choose("Save current list…");
    expect(await dialog.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Pro plan");
    await finish("Replace list");
    await choose("Manage saved lists…");
    await dialog.getByRole("textbox", { name: "Name of Pro plan" }).fill("By name");
    expect(await accessibilityErrors(page)).toEqual([]);
    await finish("Save changes");
    await chosen("By name");
    await choose("All users");
    await waitForNames(page, all.toReversed());
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("combobox").fill("by name");
    await page.waitForFunction(() => document.querySelectorAll("[role=option]").length === 1);
    await page.keyboard.press("Enter");
    await waitForNames(page, all);
    await lists.click();
    await page.getByRole("menuitemradio", { name: "By name", checked: true }).waitFor();
    expect(await accessibilityErrors(page)).toEqual([]);
    await page.getByRole("menuitem", { name: "Manage saved lists…" }).click();
    await dialog.getByRole("button", { name: "Delete By name" }).click();
    await finish("Save changes");
    await page.getByRole("button", { name: "Lists", exact: true }).waitFor();

    // Another person sees the same list. Broken storage is ignored.
    await page.evaluate(() => {
      localStorage.clear();
      localStorage.setItem("roster-lists", '[1, {"name": 2}, {"name": "A", "query": "x"}]');
    });
    await page.goto(link);
    await waitForNames(page, pro);
    const headers = page.locator("th[data-field]");
    await headers.filter({ hasText: "plan" }).waitFor();
    await untilPasses(async () =>
      expect(await headers.allTextContents()).toEqual(["Name", "Email", "level", "plan", "Created"]),
    );
    await lists.click();
    await page.getByRole("menuitem", { name: "Copy link" }).waitFor();
    await untilPasses(async () =>
      expect(await page.getByRole("menuitemradio").allTextContents()).toEqual(["All users"]),
    );
    expect(errors).toEqual([]);
  });

  test("finds the lists that were saved before they were called lists, and keeps them under the new name", async () => {
    await using opened = await openConsole(browser, { before: fill });
    const { page, errors } = opened;
    const former = JSON.stringify([{ name: "Pro plan", query: "?plan=pro&sort=name" }]);
    await page.evaluate((text) => localStorage.setItem("roster-views", text), former);
    await page.reload();
    await page.getByRole("button", { name: "Lists", exact: true }).click();
    await page.getByRole("menuitemradio", { name: "Pro plan" }).click();
    await waitForNames(page, ["Ada Lovelace", "Борис Ельцин"]);
    const stored = (key: string) => page.evaluate((name) => localStorage.getItem(name), key);
    expect([await stored("roster-lists"), await stored("roster-views")]).toEqual([former, null]);
    // A list of that time is not moved again over newer ones.
    await page.evaluate(() => {
      localStorage.setItem("roster-lists", "[]");
      localStorage.setItem("roster-views", '[{"name": "Old", "query": ""}]');
    });
    await page.reload();
    await page.getByRole("button", { name: "Lists", exact: true }).click();
    await untilPasses(async () =>
      expect(await page.getByRole("menuitemradio").allTextContents()).toEqual(["All users"]),
    );
    expect(errors).toEqual([]);
  });

  test("sizes columns by their content, aligns numbers, and keeps pinned columns in view", async () => {
    const email = `${"a".repeat(60)}@example.com`;
    await using opened = await openConsole(browser, {
      viewport: { width: 1280, height: 800 },
      before: async ({ roster }) => {
        await roster.users.create({ name: "Ada", email, level: 3, city: "Rome", plan: "pro", team: "x" });
        await roster.users.create({
          name: "Bob",
          level: 12_345,
          city: "Kuala Lumpur",
          plan: "pro",
          team: "x",
        });
      },
    });
    const { page } = opened;
    const cell = (field: string, row = 1) => page.locator(`tbody tr:nth-child(${row}) [data-field=${field}]`);
    const box = async (field: string) => {
      const found = await cell(field).boundingBox();
      if (!found) throw new Error(`The column ${field} is not visible.`);
      return found;
    };
    await cell("level").waitFor();
    expect((await box("city")).width).toBeGreaterThan((await box("plan")).width);
    expect((await box("email")).width).toBeLessThan(600);
    expect(await cell("email", 2).locator("span").getAttribute("title")).toBe(email);
    const ends = await page
      .locator("tbody [data-field=level] .figure")
      .evaluateAll((figures) => figures.map((figure) => Math.round(figure.getBoundingClientRect().right)));
    expect(new Set(ends).size).toBe(1);

    const handleOf = (field: string) => page.locator(`th[data-field=${field}] .resize`);
    const drag = async (field: string, pixels: number) => {
      const from = await handleOf(field).boundingBox();
      if (!from) throw new Error("The handle is not visible.");
      await page.mouse.move(from.x + from.width / 2, from.y + 10);
      await page.mouse.down();
      await page.mouse.move(from.x + from.width / 2 + pixels, from.y + 10, { steps: 3 });
      await page.mouse.up();
    };
    // A heading can be dragged to another place. A drag does not sort.
    const middleOf = async (field: string) => {
      const { x, y, width, height } = (await page.locator(`th[data-field=${field}]`).boundingBox()) ?? {};
      if (!x || !y || !width || !height) throw new Error(`The column ${field} is not visible.`);
      return [x + width / 2, y + height / 2] as const;
    };
    const dragHeading = async (field: string, to: string, key?: string) => {
      await page.mouse.move(...(await middleOf(field)));
      await page.mouse.down();
      await page.mouse.move(...(await middleOf(to)), { steps: 3 });
      if (key !== undefined) await page.keyboard.press(key);
      await page.mouse.up();
    };
    const waitForFields = (...fields: string[]) =>
      page.waitForFunction((expected) => {
        const headings = [...document.querySelectorAll<HTMLElement>("th[data-field]")];
        return headings.map(({ dataset }) => dataset.field).join() === expected;
      }, fields.join());
    await waitForFields("name", "email", "city", "level", "plan", "createdAt");
    await dragHeading("city", "plan");
    await waitForFields("name", "email", "level", "plan", "city", "createdAt");
    await dragHeading("email", "createdAt", "Escape");
    // The name stays first.
    await dragHeading("plan", "name");
    await dragHeading("city", "level");
    await waitForFields("name", "email", "city", "level", "plan", "createdAt");
    expect(queryOf(page)).toBe("");

    const natural = (await box("city")).width;
    await drag("city", 60);
    expect((await box("city")).width).toBeCloseTo(natural + 60, -1);
    await drag("city", -1000);
    expect((await box("city")).width).toBe(64);
    await handleOf("city").dblclick();
    expect((await box("city")).width).toBeCloseTo(natural, -1);
    // The heading has keys for the same.
    await page.getByRole("columnheader", { name: "city" }).getByRole("button").focus();
    await page.keyboard.press("Shift+ArrowLeft");
    expect((await box("city")).width).toBeCloseTo(natural - 16, -1);
    await page.keyboard.press("Shift+Enter");
    expect((await box("city")).width).toBeCloseTo(natural, -1);
    expect(queryOf(page)).toBe("");

    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("button", { name: "Pin city" }).click();
    await page.getByRole("button", { name: "Pin plan" }).click();
    // Two pinned columns are enough.
    expect(await page.getByRole("button", { name: "Pin level" }).getAttribute("aria-disabled")).toBe("true");
    for (const field of ["team", "ID", "Version", "Updated"]) {
      await page.getByRole("checkbox", { name: field }).check();
    }
    await page.keyboard.press("Escape");
    await drag("email", 600);
    await page.locator(".grid").evaluate((grid) => grid.scrollTo(2000, 0));
    expect(await page.locator(".grid").evaluate((grid) => grid.scrollLeft)).toBeGreaterThan(100);
    const [name, city, plan] = [await box("name"), await box("city"), await box("plan")];
    expect(city.x).toBeCloseTo(name.x + name.width, 0);
    expect(plan.x).toBeCloseTo(city.x + city.width, 0);
    expect(await accessibilityErrors(page)).toEqual([]);
  });

  test("keeps the widths of columns when other users are shown, and with the next visit", async () => {
    await using opened = await openConsole(browser, {
      viewport: { width: 1280, height: 800 },
      before: async (service) => {
        const { roster } = service;
        await roster.users.create({
          name: "Wilhelmina Featherstonehaugh-Cholmondeley",
          email: "wilhelmina.featherstonehaugh@example.com",
          plan: "a plan with a long name",
        });
        // The table shows the newest users: the long names are not among the first ones.
        const others = Array.from({ length: 500 }, (_, index) => ({ name: `User ${index}`, plan: "pro" }));
        await roster.users.import(others).summary();
      },
    });
    const { page, errors } = opened;
    const widths = () =>
      page
        .locator("th[data-field]")
        .evaluateAll((headings) => headings.map((heading) => heading.getBoundingClientRect().width));
    const search = async (name: string) => {
      await page.getByRole("searchbox").fill(name);
      await waitForNames(page, [name]);
    };
    await page.locator("tbody tr").first().waitFor();
    const before = await widths();
    expect(before).toHaveLength(4);
    const long = "Wilhelmina Featherstonehaugh-Cholmondeley";
    await search(long);
    expect(await widths()).toEqual(before);
    await page.reload();
    await waitForNames(page, [long]);
    expect(await widths()).toEqual(before);
    // These users decide on the widths from now on.
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("button", { name: "Reset to default" }).click();
    await page.keyboard.press("Escape");
    await page.waitForFunction((width) => {
      const email = document.querySelector("th[data-field=email]");
      return email !== null && email.getBoundingClientRect().width > width + 20;
    }, before[1] ?? 0);
    expect(errors).toEqual([]);
  });

  test("moves nothing while the next visit loads, in whatever order the responses arrive", async () => {
    await using opened = await openConsole(browser, { path: "/docs", before: fill });
    const { page, service, errors } = opened;
    await page.addInitScript(() => {
      const moved: number[] = [];
      Object.assign(globalThis, { moved });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if ("value" in entry) moved.push(Number(entry.value));
      }).observe({ type: "layout-shift", buffered: true });
    });
    const open = async () => {
      await page.goto(`${service.url}/users`);
      await page.getByRole("row", { name: /Ada/ }).waitFor();
    };
    await open();
    await page.getByRole("columnheader", { name: "level" }).waitFor();
    for (const late of ["users", "fields"]) {
      let letGo = () => {};
      const gate = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await page.route(`**/api/${late}*`, async (route) => {
        await gate;
        await route.continue();
      });
      const arrived = page.waitForResponse((response) => response.url().includes(`/api/${late}`));
      const opening = open();
      // Everything else is there.
      await page.getByRole("searchbox").waitFor();
      if (late === "fields") await opening;
      letGo();
      await arrived;
      await opening;
      const moved = await page.evaluate(async (): Promise<unknown> => {
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        return Reflect.get(globalThis, "moved");
      });
      const sum = Array.isArray(moved) ? moved.reduce((total, part) => total + part, 0) : Number.NaN;
      expect(sum).toBeLessThan(0.01);
      await page.unroute(`**/api/${late}*`);
    }
    expect(errors).toEqual([]);
  });

  test("opens a user who is clicked while columns are added", async () => {
    await using opened = await openConsole(browser, { path: "/docs", before: fill });
    const { page, service, errors } = opened;
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let areRefused = true;
    await page.route("**/api/fields*", async (route) => {
      if (areRefused) return route.fulfill({ status: 400, json: {} });
      await gate;
      await route.continue();
    });
    await page.goto(`${service.url}/users`);
    const ada = page.locator(".user-name", { hasText: "Ada Lovelace" });
    await ada.waitFor();
    areRefused = false;
    // The popup loads the fields again.
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByText("Rows").waitFor();
    await page.keyboard.press("Escape");
    await ada.hover();
    await page.mouse.down();
    letGo();
    await page.getByRole("columnheader", { name: "plan" }).waitFor();
    await page.mouse.up();
    await page.getByRole("dialog", { name: "Ada Lovelace" }).waitFor();
    expect(new Set(errors)).toEqual(new Set(statusErrors(400)));
  });

  test("works with the keyboard: arrows, Page Down, End, Home, Space, Enter, Escape", async () => {
    await using opened = await openConsole(browser, { before: many(150) });
    const { page } = opened;
    const focused = () =>
      page.evaluate(() => document.activeElement?.querySelector(".user-name")?.textContent);
    const waitForFocus = (name: string) =>
      page.waitForFunction(
        (expected) => document.activeElement?.querySelector(".user-name")?.textContent === expected,
        name,
      );
    await page.locator("tbody tr").first().focus();
    expect(await focused()).toBe("User 000150");
    await page.keyboard.press("ArrowDown");
    await waitForFocus("User 000149");
    await page.keyboard.press("PageDown");
    await waitForFocus("User 000137");
    await page.keyboard.press("Home");
    await waitForFocus("User 000150");
    await page.keyboard.press("Space");
    expect(await page.locator("tbody tr:focus").getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/users\/150$/);
    await page.getByRole("dialog", { name: "User 000150" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => url.pathname === "/users");
    await waitForFocus("User 000150");
    // The menu of the row.
    await page.keyboard.press("Shift+F10");
    const newTab = page.getByRole("menuitem", { name: "Open in new tab" });
    await newTab.waitFor();
    await page.keyboard.press("Escape");
    await newTab.waitFor({ state: "hidden" });
    await waitForFocus("User 000150");
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.waitFor();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "hidden" });
    // A button opens the same dialog.
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await help.waitFor();
  });

  test("reaches the end with one key, and the users in between by scrolling, with few rows", async () => {
    await using opened = await openConsole(browser, { before: many(2000) });
    const { page, errors } = opened;
    const offsets: (string | null)[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === "/api/users" && !searchParams.has("count")) offsets.push(searchParams.get("offset"));
    });
    await page.getByText(/^1–\d+ of 2,000$/).waitFor();
    await page.locator("tbody tr").first().focus();
    await page.keyboard.press("End");
    await page.getByRole("row", { name: "User 000001" }).and(page.locator(":focus")).waitFor();
    await page.getByText(/–2,000 of 2,000$/).waitFor();
    expect(await page.locator("tbody tr").count()).toBeLessThan(60);
    // A drag of the scrollbar to the middle.
    await page.locator(".grid").evaluate((grid) => {
      grid.scrollTop = (grid.scrollHeight - grid.clientHeight) / 2;
    });
    await page.getByRole("row", { name: "User 001000" }).waitFor();
    await page.getByText(/^99\d–1,0\d\d of 2,000$/).waitFor();
    // Back at the beginning, nothing is loaded again.
    const before = offsets.length;
    await page.locator(".grid").evaluate((grid) => {
      grid.scrollTop = 0;
    });
    await page.getByRole("row", { name: "User 002000" }).waitFor();
    expect(offsets.length).toBe(before);
    expect(offsets.filter((offset) => offset !== null).length).toBe(2);
    expect(errors).toEqual([]);
  });

  test("shows fields with unusual names", async () => {
    await using opened = await openConsole(browser, {
      path: "/users?toString=a",
      before: ({ roster }) =>
        roster.users.create({ name: "Ada", toString: "a", valueOf: "b", hasOwnProperty: 3 }),
    });
    const { page, errors } = opened;
    await waitForNames(page, ["Ada"]);
    await page.getByText("toString is a").waitFor();
    await page.getByRole("columnheader", { name: "hasOwnProperty" }).waitFor();
    expect(errors).toEqual([]);
  });

  test("offers sample users, an import and a command while there are no users", async () => {
    await using opened = await openConsole(browser, {
      viewport: { width: 360, height: 740 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const { page, service, errors } = opened;
    const heading = page.getByRole("heading", { name: "No users yet" });
    await page.getByRole("button", { name: "Copy curl" }).click();
    await waitForToast(page, "Copied");
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toStartWith(`curl ${service.url}/api/users \\\n`);
    expect(command).not.toContain("Authorization");
    expect(await overflowWidth(page)).toBe(0);

    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Load sample users" }).click();
    // The toast stays while the pointer is over it.
    await page.locator(".toast", { hasText: "20 sample users created" }).hover();
    await page.getByRole("heading", { name: "Users 20" }).waitFor();
    const { users } = await service.roster.users.list().page();
    expect(users.map(({ email }) => email?.split("@")[1])).toEqual(Array(20).fill("example.com"));
    expect(users.every(({ sample }) => sample === true)).toBe(true);
    await page.locator(".toast").getByRole("button", { name: "Delete" }).click();
    await heading.waitFor();
    await waitForToast(page, "20 users deleted");
    expect((await service.roster.users.list().page()).users).toEqual([]);
    await page.getByRole("main").getByRole("link", { name: "Import" }).click();
    await page.waitForURL(/\/import$/);
    expect(errors).toEqual([]);
  });

  test("says that the service does not respond, and recovers by itself", async () => {
    await using opened = await openConsole(browser, { before: fill });
    const { page } = opened;
    await waitForNames(page, ["Борис Ельцин", "Émile Zola", "Ada Lovelace"]);
    await page.route("**/api/users*", (route) => route.abort());
    await page.getByRole("searchbox").fill("ada");
    await page.getByRole("heading", { name: "Can't reach the service" }).waitFor();
    await page.getByText("The service doesn't respond.").waitFor();
    await page.unroute("**/api/users*");
    await waitForNames(page, ["Ada Lovelace"]);
  });

  test("shows when the browser is offline", async () => {
    await using opened = await openConsole(browser, { before: fill });
    const { page } = opened;
    await waitForNames(page, ["Борис Ельцин", "Émile Zola", "Ada Lovelace"]);
    await page.context().setOffline(true);
    await page.getByText("You are offline").waitFor();
    await page.context().setOffline(false);
    await page.getByText("You are offline").waitFor({ state: "detached" });
  });

  test("opens users in new tabs, and keeps the position during a visit to another view", async () => {
    await using opened = await openConsole(browser, { before: many(150) });
    const { page } = opened;
    const link = page.getByRole("link", { name: "User 000150" });
    await closeOpenedTab(() => link.click({ button: "middle" }));
    const tab = await page.context().newPage();
    await tab.goto(new URL((await link.getAttribute("href")) ?? "", page.url()).href);
    await tab.getByRole("textbox", { name: "Name", exact: true }).waitFor();
    await tab.waitForFunction(() => document.title === "User 000150 · Roster");
    await tab.close();
    const menu = page.getByRole("button", { name: "Actions for User 000150" });
    await menu.click();
    await untilPasses(async () =>
      expect(await page.getByRole("menuitem").allTextContents()).toEqual([
        "Open",
        "Open in new tab",
        "Select",
        "Copy ID",
        "Delete",
      ]),
    );
    await closeOpenedTab(() => page.getByRole("menuitem", { name: "Open in new tab" }).click());
    await menu.click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("row", { name: "User 000150" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("row", { name: "User 000150" }).waitFor();
    await page.locator(".grid").evaluate((grid) => grid.scrollTo(0, 2000));
    await page.getByRole("row", { name: "User 000108" }).waitFor();
    await viewLink(page, "Keys").click();
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    await page.goBack();
    await page.getByRole("row", { name: "User 000108" }).waitFor();
    expect(await page.locator(".grid").evaluate((grid) => grid.scrollTop)).toBe(2000);
    // The keyboard continues there, too.
    await page.getByRole("searchbox").focus();
    await page.keyboard.press("ArrowDown");
    await page.locator("tbody tr:focus").waitFor();
    const top = await page.locator(".grid").evaluate((grid) => grid.scrollTop);
    expect(Math.abs(top - 2000)).toBeLessThan(40);
  });

  describeWithEachFontSet((browser) => {
    test("keeps the names in view on a tablet when the table scrolls sideways", async () => {
      const wide = Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [`field${index}`, "a longer value"]),
      );
      await using opened = await openConsole(browser(), {
        viewport: { width: 820, height: 1180 },
        before: ({ roster }) => roster.users.create({ name: "Ada Lovelace", ...wide }),
      });
      const { page } = opened;
      await page.getByRole("columnheader", { name: "field0" }).waitFor();
      await page.getByRole("button", { name: "Columns" }).click();
      for (const field of ["field14", "field15", "field16", "field17", "field18", "field19"]) {
        await page.getByRole("checkbox", { name: field }).check();
      }
      await page.keyboard.press("Escape");
      const name = page.locator("tbody .user-name");
      const before = await name.boundingBox();
      await page
        .locator("tbody [data-field=updatedAt], tbody [data-field=createdAt]")
        .scrollIntoViewIfNeeded();
      expect(await page.locator(".grid").evaluate((grid) => grid.scrollLeft)).toBeGreaterThan(0);
      expect(await name.boundingBox()).toEqual(before);
      expect(await overflowWidth(page)).toBeLessThanOrEqual(0);
    });

    test("fits a phone", async () => {
      await using opened = await openConsole(browser(), {
        before: fill,
        viewport: { width: 360, height: 740 },
      });
      const { page } = opened;
      await waitForNames(page, ["Борис Ельцин", "Émile Zola", "Ada Lovelace"]);
      expect(await overflowWidth(page)).toBe(0);
      expect(await page.getByText("ada@example.com").first().isVisible()).toBe(true);
    });
  });
});
