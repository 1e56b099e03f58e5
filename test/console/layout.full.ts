import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { animationsFinished, openPage, overflowWidth } from "../support/browser-page.ts";
import { cutText } from "../support/cut-text.ts";
import { describeWithEachFontSet } from "../support/font-sets.ts";
import type { TestService } from "../support/service.ts";
import { smallTargets } from "../support/small-targets.ts";
import { untilPasses } from "../support/until.ts";
import { openConsole, signIn } from "./support/console.ts";
import { type ServiceWithKeys, startServiceWithKeys } from "./support/service-with-keys.ts";

setDefaultTimeout(120_000);

const sizes = {
  phone: { width: 360, height: 740 },
  tablet: { width: 820, height: 1180 },
  "low window": { width: 1280, height: 480 },
};
const USERS = 12_345;
const csv =
  "Full name,E-mail,Start of employment\nGrace,grace@example.com,1952\nMargaret,margaret@example,1963\n";

let started: ServiceWithKeys;
beforeAll(async () => {
  started = await startServiceWithKeys();
  const users = Array.from({ length: USERS }, (_, index) => ({
    name: `User ${index}`,
    email: `user.${index}@example.com`,
    plan: "team",
    employedSince: "2020-02-29",
    address: { city: "London" },
  }));
  expect(await started.roster.users.import(users).summary()).toMatchObject({ created: USERS });
  await started.roster.users.delete(5);
  await started.roster.users.update(7, {
    email: null,
    emails: [
      { value: "user.8@example.com", type: "work", primary: true },
      { value: `${"a-long-local-part-of-an-email".repeat(2)}@home.example`, type: "A type of its own" },
    ],
    scim: { extensions: { [`urn:${"example:".repeat(12)}User`]: { badge: "B-17" } } },
  });
  await started.roster.schema.set({ properties: { plan: { enum: ["free"] }, level: { type: "integer" } } });
  await started.roster.webhooks.create({ url: "https://hooks.example.com/roster", types: ["user.*"] });
  await started.roster.keys.create({
    name: "Nightly sync of everything",
    scopes: ["users:read"],
    quota: 500,
  });
});
afterAll(() => started?.service.stop());

interface View {
  readonly path: string;
  /** Whether the page is not part of the console, which is for phones too. */
  readonly isReference?: boolean;
  /** Steps after which the view is complete. */
  readonly prepare: (page: Page) => Promise<unknown>;
}

const shown = (selector: string) => (page: Page) => page.locator(selector).first().waitFor();
async function selectRow(page: Page): Promise<void> {
  await page.locator("tbody tr").first().getByRole("checkbox").check();
  await page.locator(".selection-bar").waitFor();
}
const openBulkDialog = (name: string) => async (page: Page) => {
  await selectRow(page);
  await page.locator(".selection-bar").getByRole("button", { name }).click();
  await page.locator(".modal").waitFor();
};

const views: Record<string, View> = {
  users: { path: "/users", prepare: shown(".view-title .count") },
  "a search": { path: "/users?q=User&plan=team&sort=name", prepare: shown("tbody tr") },
  "an empty search": { path: "/users?q=nothing%20like%20this", prepare: shown(".state .button") },
  "a selection": { path: "/users", prepare: selectRow },
  "a selection of all matching users": {
    path: "/users",
    async prepare(page) {
      await page.locator("thead input").check();
      await page.locator(".select-matching").click();
    },
  },
  "a filter": {
    path: "/users?filter=plan%20co%20%22a%22%20and%20address%20pr",
    async prepare(page) {
      await page.locator(".chip-label").first().click();
      await page.locator(".popup .filter-form").waitFor();
    },
  },
  "a bulk edit": { path: "/users", prepare: openBulkDialog("Edit") },
  "an export of a selection": { path: "/users", prepare: openBulkDialog("Export") },
  "a bulk deletion": { path: "/users", prepare: openBulkDialog("Delete") },
  "a user": { path: "/users/3", prepare: shown(".event") },
  "a user whose address another user has": {
    path: "/users/7",
    async prepare(page) {
      await page.getByText("Data of SCIM clients").click();
      await page.locator(".user-emails a").waitFor();
    },
  },
  "a user over the list": {
    path: "/users",
    async prepare(page) {
      await page.locator("tbody tr").first().click();
      await page.locator(".modal input").first().waitFor();
    },
  },
  "an edited user": {
    path: "/users/3",
    async prepare(page) {
      await page.getByLabel("Name", { exact: true }).fill("Somebody else with a longer name than before");
      await page.locator(".save-bar").waitFor();
    },
  },
  "a new user": { path: "/users/new", prepare: shown(".modal input") },
  import: { path: "/import", prepare: shown("input[type=file]") },
  "an import's columns": {
    path: "/import",
    async prepare(page) {
      const file = { name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
      await page.locator("input[type=file]").setInputFiles(file);
      await page.locator(".import-field").waitFor();
    },
  },
  keys: { path: "/keys", prepare: shown("tbody tr[data-index]") },
  "a new key": {
    path: "/keys",
    async prepare(page) {
      await page.locator(".view-head .button.primary").click();
      await page.locator(".modal").waitFor();
    },
  },
  "the menu of a key": {
    path: "/keys",
    async prepare(page) {
      await page.locator("tbody tr[data-index] [data-toggle]").first().click();
      await page.locator("tbody tr[data-index] [data-menu]").first().click();
      await page.getByRole("menu").waitFor();
    },
  },
  "deleted users": {
    path: "/deleted",
    async prepare(page) {
      await page.locator("tbody tr[data-index] [data-toggle]").click();
      await page.locator("tbody tr[data-index]").getByRole("checkbox").check();
      await page.locator(".selection-bar").waitFor();
    },
  },
  "an erasure": {
    path: "/deleted",
    async prepare(page) {
      await page.locator("tbody tr[data-index] [data-menu]").click();
      await page.getByRole("menuitem", { name: "Erase for good" }).click();
      await page.locator(".modal input").waitFor();
    },
  },
  webhooks: { path: "/webhooks", prepare: shown("tbody tr[data-index]") },
  "a webhook": { path: "/webhooks/1", prepare: shown(".webhook-facts") },
  "a new webhook": {
    path: "/webhooks",
    async prepare(page) {
      await page.locator(".view-head .button.primary").click();
      await page.locator(".modal input[type=radio]").last().check();
    },
  },
  schema: {
    path: "/schema",
    async prepare(page) {
      await page.getByRole("button", { name: "Find users" }).click();
      await page.getByRole("button", { name: "Show versions" }).click();
      await page.getByRole("grid", { name: "Versions of the schema" }).locator("[data-index]").waitFor();
      await page.locator(".schema-line").first().click();
      await page.locator(".schema-panel").waitFor();
    },
  },
  activity: {
    path: "/activity",
    async prepare(page) {
      await page.locator(".event-toggle").first().click();
      await page.locator(".event-details").waitFor();
    },
  },
  overview: { path: "/", prepare: shown(".overview-list li") },
  "the menu of a user": {
    path: "/users",
    async prepare(page) {
      await page.locator("tbody tr [data-menu]").first().click();
      await page.getByRole("menu").waitFor();
    },
  },
  "the menu of the account": {
    path: "/users",
    async prepare(page) {
      await page.locator(".account").click();
      await page.getByRole("menu").waitFor();
    },
  },
  palette: {
    path: "/users",
    async prepare(page) {
      await page.locator(".palette-button").click();
      await page.getByRole("combobox").fill("user 1");
      await page.getByRole("option").first().waitFor();
    },
  },
  provisioning: {
    path: "/provisioning",
    async prepare(page) {
      await page.getByRole("tab", { name: "Okta" }).click();
      await page.getByRole("link", { name: "Documentation of Okta" }).waitFor();
      await page.locator("tbody tr[data-index]").first().waitFor();
    },
  },
  connect: { path: "/connect", prepare: shown("[role=tab]") },
  reference: { path: "/docs", isReference: true, prepare: shown("[data-session]") },
  problems: { path: "/problems", isReference: true, prepare: shown("h1") },
};

/** Expects that nothing is cut or too wide at any size, and on a phone, that a finger can hit all targets. */
async function expectFit(page: Page, { isReference = false } = {}): Promise<void> {
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    await animationsFinished(page);
    // A popup takes its place a moment after the window has changed.
    await untilPasses(async () => expect(await overflowWidth(page)).toBe(0));
    const found = {
      size,
      cut: await page.evaluate(cutText),
      small: size === "phone" && !isReference ? await page.evaluate(smallTargets) : [],
    };
    expect(found).toEqual({ size, cut: [], small: [] });
  }
}

describe("text is not cut, pages are not too wide, and targets are large on a phone, a tablet and in a low window", () => {
  describeWithEachFontSet((browser) => {
    let page: Page;
    beforeAll(async () => {
      ({ page } = await openPage(browser(), started.service.url));
      page.setDefaultTimeout(60_000);
      await signIn(page, started.key);
    });

    test.each(Object.keys(views))("in the view of %s", async (name) => {
      const view = views[name];
      if (!view) throw new Error(`There is no view ${name}.`);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(started.service.url + view.path);
      await view.prepare(page);
      await expectFit(page, view);
    });

    test("in the sign-in form", async () => {
      const signedOut = await openPage(browser(), started.service.url);
      await signedOut.page.locator("form .button").waitFor();
      await expectFit(signedOut.page);
    });
  });
});

describe("the targets on a tablet with a touch screen", () => {
  describeWithEachFontSet((browser) => {
    test.each(["/users", "/users/3", "/keys", "/deleted", "/webhooks", "/activity", "/provisioning"])(
      "are large in the view %s",
      async (path) => {
        await using opened = await openConsole(browser(), {
          service: started.service,
          key: started.key,
          path,
          viewport: { width: 1024, height: 768 },
          hasTouch: true,
          isMobile: true,
        });
        const { page } = opened;
        await page.locator("main :is(tr[data-index], .event)").first().waitFor();
        expect(await page.evaluate(smallTargets)).toEqual([]);
        expect(await overflowWidth(page)).toBe(0);
      },
    );
  });
});

describe("the headings of a table that is wider than its box", () => {
  const fields = Array.from({ length: 8 }, (_, index) => `field${index}`);
  const columns = ["name", "email", ...fields, "id", "createdAt"];
  const createUser = ({ roster }: TestService) =>
    roster.users.create({
      name: "Ada Lovelace",
      email: "ada@example.com",
      ...Object.fromEntries(fields.map((field, index) => [field, index % 2 ? index : "a longer value"])),
    });
  /** Runs in the page. The fields of the headings that something lies over, or over their handles. */
  const coveredHeadings = (names: readonly string[]) =>
    names.filter((name) => {
      const heading = document.querySelector(`th[data-field=${name}]`);
      const handle = heading?.querySelector(".resize");
      if (!heading || !handle) return true;
      const { left, right, top, height } = heading.getBoundingClientRect();
      const at = (x: number) => document.elementFromPoint(x, top + height / 2);
      return ![left + 1, right - 11].every((x) => heading.contains(at(x))) || at(right - 5) !== handle;
    });

  describeWithEachFontSet((browser) => {
    test.each([
      { width: 1440, pinned: [] },
      { width: 1440, pinned: ["field0", "field1"] },
      { width: 1024, pinned: [] },
      { width: 1024, pinned: ["field0", "field1"] },
    ])(
      "are not covered when they have the focus, and at the end of the table: %j",
      async ({ width, pinned }) => {
        await using opened = await openConsole(browser(), {
          viewport: { width, height: 800 },
          before: createUser,
        });
        const { page } = opened;
        await page.evaluate(
          ([chosen = "", pins = ""]) => {
            localStorage.setItem("roster-columns", chosen);
            localStorage.setItem("roster-pinned-columns", pins);
          },
          [JSON.stringify(columns), JSON.stringify(pinned)],
        );
        await page.reload();
        await page.locator("tbody tr").first().waitFor();
        const covered = (...names: string[]) => page.evaluate(coveredHeadings, names);
        await page.locator("thead [tabindex='0']").focus();
        const visited: string[] = [];
        for (const key of ["End", ...columns.map(() => "ArrowLeft")]) {
          await page.keyboard.press(key);
          const field = await page.evaluate(() => document.activeElement?.closest("th")?.dataset.field);
          // The checkbox is before the first heading.
          if (field === undefined) break;
          visited.push(field);
          expect(await covered(field)).toEqual([]);
        }
        expect(visited.toSorted()).toEqual(columns.toSorted());
        await page.locator(".grid").evaluate((grid) => grid.scrollTo(grid.scrollWidth, 0));
        expect(await covered("name", "createdAt")).toEqual([]);
      },
    );
  });
});

describe("a form that follows the schema", () => {
  /** A field of each kind, and of kinds with a button beside the control. */
  const schema = {
    properties: {
      text: { type: "string" },
      choice: { enum: ["a", "b"] },
      switch: { type: "boolean" },
      tags: { type: "array", items: { type: "string" } },
      day: { type: "string", format: "date" },
      object: { type: "object" },
      mixed: { type: ["string", "number"] },
    },
  };

  async function createUserWithSchema({ roster }: TestService): Promise<void> {
    await roster.users.create({ name: "Ada", day: "2026-02-03", switch: true });
    await roster.schema.set(schema);
  }

  describeWithEachFontSet((browser) => {
    test.each(["/users/new", "/users/1"])(
      "has all controls of %s in one column, below or beside their labels",
      async (path) => {
        await using opened = await openConsole(browser(), { path, before: createUserWithSchema });
        const { page } = opened;
        await page.locator(".value-field").nth(6).waitFor();
        const day = page.getByLabel("day", { exact: true });
        if (path === "/users/new") await day.fill("2026-02-03");
        for (const viewport of Object.values(sizes)) {
          await page.setViewportSize(viewport);
          await animationsFinished(page);
          const places = await page.locator(".value-field").evaluateAll((fields) =>
            fields.map((field) => {
              const control = field
                .querySelector(":scope > :is(.input, .switch-line)")
                ?.getBoundingClientRect();
              const button = field.querySelector(":scope > .button")?.getBoundingClientRect();
              const { right } = field.getBoundingClientRect();
              return {
                left: Math.round(control?.left ?? 0),
                reachesEnd: Math.abs((button ?? control ?? field.getBoundingClientRect()).right - right) < 2,
                isBesideButton:
                  !button || !control || (button.left >= control.right && button.top < control.bottom),
              };
            }),
          );
          expect(places).toHaveLength(7);
          expect(new Set(places.map(({ left }) => left)).size).toBe(1);
          expect(places.every(({ reachesEnd, isBesideButton }) => reachesEnd && isBesideButton)).toBe(true);
        }
      },
    );
  });
});

describe("names of fields that differ only at their ends", () => {
  const names = [
    "customField12",
    "customField13",
    "aMuchLongerNameOfACustomField12",
    "aMuchLongerNameOfACustomField13",
  ];
  const createUsers = async ({ roster }: TestService) => {
    const fields = Object.fromEntries(names.map((name) => [name, "a value"]));
    await roster.users.create({ name: "Ada Lovelace", ...fields });
    await roster.users.create({ name: "Bob", ...fields });
    await roster.users.delete(2);
  };
  /** Runs in the page. Each name with whether all of it can be read, above its value. */
  const readNames = (rows: Element[]) =>
    rows.map((row) => {
      const [name, value] = ["th, .custom-field-name", "td, .custom-field-value"].map((selector) =>
        row.querySelector(selector),
      );
      if (!name || !value) throw new Error("A row has no name or no value.");
      const isWhole = name.scrollWidth <= name.clientWidth;
      const isAbove = name.getBoundingClientRect().bottom <= value.getBoundingClientRect().top + 1;
      return { name: name instanceof HTMLInputElement ? name.value : name.textContent, isWhole, isAbove };
    });
  const whole = names.map((name) => ({ name, isWhole: true, isAbove: true }));

  describeWithEachFontSet((browser) => {
    test.each([
      { path: "/users/1", rows: ".custom-field" },
      { path: "/deleted", rows: ".list-details tr" },
      { path: "/activity", rows: ".event-details tr" },
    ])("can be told apart on a phone: %j", async ({ path, rows }) => {
      await using opened = await openConsole(browser(), {
        path,
        viewport: sizes.phone,
        before: createUsers,
      });
      const { page } = opened;
      if (path === "/deleted") await page.locator("[data-toggle]").click();
      if (path === "/activity") await page.locator(".event-toggle").first().click();
      await page.locator(rows).first().waitFor();
      const found = await page.locator(rows).evaluateAll(readNames);
      expect(found.filter(({ name }) => names.includes(name ?? ""))).toEqual(whole);
    });
  });
});
