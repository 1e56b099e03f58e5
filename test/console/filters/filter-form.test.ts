import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startService, type TestService } from "../../support/service.ts";
import { until, untilPasses } from "../../support/until.ts";
import type { DomLocator } from "../support/dom/locator.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";

const schema = {
  properties: {
    plan: { enum: ["free", "pro", "enterprise"], title: "Plan", description: "What the customer pays for." },
    level: { type: "integer", minimum: 1, maximum: 9, title: "Level" },
    started: { type: "string", format: "date", title: "First day" },
    skills: { type: "array", items: { type: "string" } },
  },
};
const people = [
  { name: "Ada", plan: "pro", level: 3, started: "2026-01-31", skills: ["maths", "Go"], active: true },
  { name: "Bob", plan: "pro", level: 7, started: "2026-02-01", skills: ["go"], active: false },
  { name: "Cem", plan: "free", level: 9, started: "2026-02-02", active: true, team: "Sales" },
  { name: "Dee", team: "sales" },
];

let service: TestService;
beforeAll(async () => {
  service = await startService();
  for (const person of people) await service.roster.users.create(person);
  await service.roster.schema.set(schema);
});
afterAll(() => service?.stop());

const open = (path = "/users") => mountConsole({ service, path });
const queryOf = ({ window }: MountedConsole) => new URLSearchParams(window.location.search);
const button = (page: DomLocator, name: string) => page.getByRole("button", { name, exact: true });
const condition = (page: DomLocator) => page.getByLabel("Condition");
/** Waits until the table has the filtered users. Rows need a layout. */
const waitForCount = (page: DomLocator, count: number) =>
  page.getByText(count === 1 ? "1 of 1" : `1–${count} of ${count}`, { exact: true }).waitFor();
const chips = (page: DomLocator) => page.locator(".chip-label").allTextContents();
const lines = (page: DomLocator) => page.locator(".value-choice .check-line").allTextContents();

async function chooseField(page: DomLocator, name: string): Promise<void> {
  await button(page, "Filter").click();
  await page.getByRole("combobox", { name: "Find a field" }).fill(name);
  await page.locator(".popup").getByRole("option", { name }).click();
  await condition(page).waitFor();
}

const deleteWhere = (filter: string) => service.roster.users.bulk({ filter, delete: true }).summary();

describe("the form of a filter", () => {
  test("offers the allowed values of the schema with counts, also those that no user has", async () => {
    await using opened = await open();
    const { page, errors } = opened;
    await chooseField(page, "Plan");
    await page.getByText("What the customer pays for.").waitFor();
    await untilPasses(async () => expect(await lines(page)).toEqual(["free1", "pro2", "enterprise0"]));
    await page.getByRole("checkbox", { name: "pro" }).check();
    await page.getByRole("checkbox", { name: "enterprise" }).check();
    await button(page, "Apply").click();
    await waitForCount(page, 2);
    // Allowed values have one spelling: they are parameters of the URL.
    expect(queryOf(opened).getAll("plan")).toEqual(["pro", "enterprise"]);
    expect(await chips(page)).toEqual(["Plan is any of pro or enterprise"]);
    await page.getByRole("columnheader", { name: "Plan" }).waitFor();
    expect(errors).toEqual([]);
  });

  test("offers yes and no", async () => {
    await using opened = await open();
    const { page } = opened;
    await chooseField(page, "Active");
    await untilPasses(async () => expect(await lines(page)).toEqual(["Yes2", "No1"]));
    await page.getByRole("checkbox", { name: "Yes" }).check();
    await button(page, "Apply").click();
    await waitForCount(page, 2);
    expect(queryOf(opened).get("active")).toBe("true");
    expect(await chips(page)).toEqual(["Active is Yes"]);
  });

  test("finds texts in any case, as their counts do", async () => {
    await using opened = await open();
    const { page } = opened;
    await chooseField(page, "skills");
    await untilPasses(async () => expect(await lines(page)).toEqual(["Go2", "maths1"]));
    await page.getByLabel("Value", { exact: true }).fill("GO");
    await button(page, "Apply").click();
    await waitForCount(page, 2);
    expect(await chips(page)).toEqual(["skills is Go"]);
  });

  test("asks for a value if several values begin with what is typed, and takes a text that no user has", async () => {
    await service.roster.users
      .import([
        { name: "Eve", city: "Oslo" },
        { name: "Fay", city: "Osaka" },
      ])
      .summary();
    await using opened = await open();
    const { page } = opened;
    await chooseField(page, "city");
    await page.getByLabel("Value", { exact: true }).fill("os");
    await untilPasses(async () => expect(await lines(page)).toEqual(["Osaka1", "Oslo1", "“os”"]));
    await button(page, "Apply").click();
    await page.getByText("Choose at least one value.").waitFor();
    await page.getByRole("checkbox", { name: "“os”" }).click();
    await page.getByLabel("Value", { exact: true }).fill("Bergen");
    await page.getByRole("checkbox", { name: "“Bergen”" }).click();
    await button(page, "Apply").click();
    await button(page, "city is any of os or Bergen").waitFor();
    expect(queryOf(opened).get("filter")).toBe('(city eq "os" or city eq "Bergen")');
    // Only values that begin with the text are counted.
    await button(page, "city is any of os or Bergen").click();
    await page.getByLabel("Value", { exact: true }).fill("Oslo");
    await untilPasses(async () => expect(await lines(page)).toEqual(["os", "Bergen", "Oslo1"]));
    await deleteWhere("city pr");
  });

  test("has a range for numbers with the limits of the schema, and either end may be empty", async () => {
    await using opened = await open();
    const { page } = opened;
    await chooseField(page, "Level");
    await page.getByText("A whole number from 1 to 9.").waitFor();
    await button(page, "Apply").click();
    await page.getByText("Enter a number in at least one of these.").waitFor();
    await page.getByLabel("To", { exact: true }).fill("7");
    await button(page, "Apply").click();
    await waitForCount(page, 2);
    expect([queryOf(opened).get("filter"), await chips(page)]).toEqual([
      "level le 7",
      ["Level is at most 7"],
    ]);
    await button(page, "Level is at most 7").click();
    await page.getByLabel("From", { exact: true }).fill("4");
    await button(page, "Apply").click();
    await waitForCount(page, 1);
    expect(queryOf(opened).get("filter")).toBe("level ge 4 and level le 7");
    expect(await chips(page)).toEqual(["Level is from 4 to 7"]);
  });

  test("has days for dates, the last one included", async () => {
    await using opened = await open();
    const { page } = opened;
    await chooseField(page, "First day");
    await condition(page).selectOption("days");
    await page.getByLabel("From", { exact: true }).fill("2026-01-31");
    await button(page, "Apply").click();
    await page.getByText("Choose a date.").waitFor();
    await page.getByLabel("To", { exact: true }).fill("2026-02-01");
    await button(page, "Apply").click();
    await waitForCount(page, 2);
    expect(await chips(page)).toEqual(["First day is from Jan 31, 2026 to Feb 1, 2026"]);
    await button(page, "First day is from Jan 31, 2026 to Feb 1, 2026").click();
    await condition(page).selectOption("lt");
    await page.getByLabel("Date").fill("2026-02-01");
    await button(page, "Apply").click();
    await waitForCount(page, 1);
    expect(await chips(page)).toEqual(["First day is before Feb 1, 2026"]);
  });

  test("shows that a count stopped", async () => {
    const others = Array.from({ length: 99 }, (_, index) => `value ${index}`);
    const crowd = Array.from({ length: 1001 }, () => ({ name: "Gus", crowd: "a" }));
    await service.roster.users.import([...crowd, { name: "Hal", crowd: others }]).summary();
    await using opened = await open();
    const { page } = opened;
    await chooseField(page, "crowd");
    await untilPasses(async () => expect((await lines(page)).slice(0, 2)).toEqual(["a1,000+", "value 01"]));
    await page.getByText("These are the first 100 values. Type to find others.").waitFor();
    await deleteWhere("crowd pr");
  });

  test("applies the last days as a date, and says which", async () => {
    await using opened = await open();
    const { page } = opened;
    await chooseField(page, "Created");
    await button(page, "Apply").click();
    await page.getByText("Enter a number of days.").waitFor();
    await page.getByLabel("Days").fill("30");
    const [, words = ""] =
      /: (.*)\.$/.exec((await page.getByText(/^The filter is: /).textContent()) ?? "") ?? [];
    await button(page, "Apply").click();
    await button(page, words).waitFor();
    expect(words).toMatch(/^Created is on or after /);
    expect(queryOf(opened).get("filter")).toMatch(/^createdAt ge "\d{4}-\d\d-\d\d"$/);
  });

  test("leaves a parameter of the URL as it is unless the values change", async () => {
    await using opened = await open("/users?team=sales&team=null");
    const { page } = opened;
    await button(page, "team is any of sales or null").click();
    await page.getByRole("checkbox", { name: "sales", checked: true }).waitFor();
    await button(page, "Apply").click();
    await until(() =>
      page
        .locator(".popup")
        .count()
        .then((count) => count === 0),
    );
    expect(opened.window.location.search).toBe("?team=sales&team=null");
    await button(page, "team is any of sales or null").click();
    await page.getByRole("checkbox", { name: "null" }).click();
    await button(page, "Apply").click();
    await button(page, "team is sales").waitFor();
    // Now it is a choice among values that are the same in any case.
    expect([queryOf(opened).get("team"), queryOf(opened).get("filter")]).toEqual([null, 'team eq "sales"']);
    await waitForCount(page, 2);
  });

  test("has the words of the chip", async () => {
    const filter =
      'level ge 3 and plan ne "pro" and name co "a" and started lt "2026-02-01" and email pr and (team eq "a" or team eq "b")';
    await using opened = await open(`/users?active=true&filter=${encodeURIComponent(filter)}`);
    const { page } = opened;
    await button(page, "First day is before Feb 1, 2026").waitFor();
    const shown = await chips(page);
    expect(shown).toEqual([
      "Active is Yes",
      "Level is at least 3",
      "Plan is not pro",
      "Name contains a",
      "First day is before Feb 1, 2026",
      "Email has a value",
      "team is any of a or b",
    ]);
    for (const [index, chip] of shown.entries()) {
      await page.locator(".chip-label").and(button(page, chip)).click();
      await condition(page).waitFor();
      const chosen = await condition(page).inputValue();
      const words = await condition(page).locator(`option[value=${chosen}]`).textContent();
      expect(`${chip} `).toContain(` ${words} `);
      // The form does not change what it shows.
      await button(page, "Apply").click();
      await until(() =>
        page
          .locator(".popup")
          .count()
          .then((count) => count === 0),
      );
      expect([index, await chips(page)]).toEqual([index, shown]);
    }
    expect(queryOf(opened).get("filter")).toBe(filter);
  });
});
