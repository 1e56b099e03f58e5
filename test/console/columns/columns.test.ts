import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startService, type TestService } from "../../support/service.ts";
import { until, untilPasses } from "../../support/until.ts";
import type { DomLocator } from "../support/dom/locator.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";

/** Most users have a plan and a level, few have anything else. */
const people = [
  { name: "Ada", plan: "pro", level: 3, city: "London", tags: ["a"] },
  { name: "Bob", plan: "pro", level: 1, city: "Rome", tags: ["b"] },
  { name: "Cem", plan: "free", level: 2, city: "Rome", tags: ["c"], badge: "gold" },
  { name: "Dee", plan: "free", tags: ["d"] },
  { name: "Eve", plan: "free", level: 4 },
];

let service: TestService;
beforeAll(async () => {
  service = await startService();
  for (const person of people) await service.roster.users.create(person);
});
afterAll(() => service?.stop());

const open = (path = "/users") => mountConsole({ service, path });
const headings = (page: DomLocator) => page.locator("th[data-field]").allTextContents();
const waitForHeadings = (page: DomLocator, ...expected: string[]) =>
  untilPasses(async () => expect(await headings(page)).toEqual(expected));
const waitForCount = (page: DomLocator, count: number) =>
  untilPasses(async () => expect(await page.locator(".view-title .count").textContent()).toBe(String(count)));
const storedDefault = ({ window }: MountedConsole) =>
  JSON.parse(window.localStorage.getItem("roster-default-columns") ?? "null");
const button = (page: DomLocator, name: string) => page.getByRole("button", { name, exact: true });
const density = (page: DomLocator, name: string) => page.getByRole("radio", { name, checked: true });

describe("the columns of somebody who has chosen none", () => {
  test("have the fields that most of the first users have, and stay the same for later lists", async () => {
    await using opened = await open();
    const { page } = opened;
    await waitForHeadings(page, "Name", "Email", "city", "level", "plan", "Created");
    await until(() => storedDefault(opened));
    expect(storedDefault(opened)).toEqual(["name", "email", "city", "level", "plan", "createdAt"]);
    // No user of this list has a city or a level.
    opened.open("/users?q=Dee");
    await waitForCount(page, 1);
    await waitForHeadings(page, "Name", "Email", "city", "level", "plan", "Created");
  });

  test("have the fields of the filters too, until the filters are removed", async () => {
    await using opened = await open("/users?badge=gold&filter=tags pr and level ge 2 and id ge 1");
    const { page } = opened;
    await waitForCount(page, 1);
    const chosen = ["Name", "Email", "badge", "city", "level"];
    await waitForHeadings(page, ...chosen, "tags", "ID", "Created");
    opened.open("/users");
    await waitForHeadings(page, ...chosen, "Created");
    // These users are not like the others: the next visit chooses again.
    expect(storedDefault(opened)).toBeNull();
    // A person who has chosen columns sees only these.
    opened.open("/users?fields=name,plan&level=3");
    await waitForHeadings(page, "Name", "plan");
  });
});

describe("the column of user names", () => {
  test("is there if users have them, once, sorts, and filters by a text", async () => {
    await using opened = await mountConsole({ path: "/keys" });
    const { page, service } = opened;
    const { users } = service.roster;
    await users
      .import([
        { name: "Ada", userName: "countess" },
        { name: "Bob", userName: "builder" },
      ])
      .summary();
    opened.open("/users");
    await waitForHeadings(page, "Name", "Email", "User name", "Created");
    await button(page, "Columns").click();
    expect(await page.getByRole("checkbox", { name: "User name" }).count()).toBe(1);
    opened.open('/users?sort=userName&filter=userName co "U"');
    await waitForCount(page, 2);
    expect(await page.locator("tbody .user-name").allTextContents()).toEqual(["Bob", "Ada"]);
    expect(await page.locator(".chip-label").allTextContents()).toEqual(["User name contains U"]);
    expect(opened.errors).toEqual([]);
  });
});

describe("the height of rows", () => {
  test("is compact, unless a person has chosen the other one", async () => {
    await using opened = await open();
    const { page, window } = opened;
    await waitForHeadings(page, "Name", "Email", "city", "level", "plan", "Created");
    expect(window.localStorage.getItem("roster-density")).toBeNull();
    await button(page, "Columns").click();
    await density(page, "Compact").waitFor();
    window.localStorage.setItem("roster-density", "comfortable");
    opened.open("/keys");
    await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
    opened.open("/users");
    await button(page, "Columns").click();
    await density(page, "Comfortable").waitFor();
  });
});

describe("the headings", () => {
  const current = ({ window }: MountedConsole) => {
    const { activeElement } = window.document;
    return activeElement?.getAttribute("aria-label") ?? activeElement?.textContent;
  };
  const press = ({ window }: MountedConsole, key: string, shiftKey = false) =>
    window.document.activeElement?.dispatchEvent(
      new window.KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }),
    );
  const tabStops = (page: DomLocator) => page.locator("thead [tabindex='0']");
  const openHeadings = async () => {
    const opened = await open("/users?fields=name,plan,level");
    await waitForHeadings(opened.page, "Name", "plan", "level");
    return opened;
  };
  const focusTabStop = ({ window }: MountedConsole) => {
    const stop = window.document.querySelector("thead [tabindex='0']");
    if (stop instanceof window.HTMLElement) stop.focus();
  };

  test("are one tab stop with the checkbox for all rows, and the arrow keys move between them", async () => {
    await using opened = await openHeadings();
    const { page } = opened;
    focusTabStop(opened);
    const all = "Select all loaded users";
    const visited: [string, string][] = [
      ["ArrowLeft", all],
      ["ArrowRight", "Name"],
      ["ArrowRight", "plan"],
      ["End", "level"],
      ["ArrowRight", "level"],
      ["ArrowLeft", "plan"],
      ["Home", all],
      ["End", "level"],
    ];
    for (const [key, name] of visited) {
      press(opened, key);
      expect(current(opened)).toBe(name);
      await untilPasses(async () => expect(await tabStops(page).count()).toBe(1));
    }
    // Tab comes back to the heading that had the focus last.
    await untilPasses(async () => expect(await tabStops(page).textContent()).toBe("level"));
    expect(await page.locator("thead :is(a, button, input, [tabindex])").count()).toBe(4);
    expect(opened.errors).toEqual([]);
  });

  test("keep the focus when its column is moved or removed", async () => {
    await using opened = await openHeadings();
    const { page } = opened;
    focusTabStop(opened);
    press(opened, "ArrowRight");
    press(opened, "ArrowRight");
    expect(current(opened)).toBe("plan");
    opened.open("/users?fields=name,level,plan,city");
    await waitForHeadings(page, "Name", "level", "plan", "city");
    expect(current(opened)).toBe("plan");
    expect(await tabStops(page).allTextContents()).toEqual(["plan"]);
    opened.open("/users?fields=name,level,city");
    await waitForHeadings(page, "Name", "level", "city");
    await until(() => current(opened) === "level");
    expect(await tabStops(page).count()).toBe(1);
  });

  test("sort, and keep the focus while the list is loaded again", async () => {
    await using opened = await openHeadings();
    const { page, window } = opened;
    await button(page, "plan").click();
    await until(() => new URLSearchParams(window.location.search).get("sort") === "plan");
    await untilPasses(async () =>
      expect(await page.locator("th[data-field=plan]").getAttribute("aria-sort")).toBe("ascending"),
    );
    expect(current(opened)).toBe("plan");
  });

  test("change the width of their column with Shift and the arrow keys", async () => {
    await using opened = await openHeadings();
    const { window } = opened;
    const stored = () => JSON.parse(window.localStorage.getItem("roster-column-widths") ?? "[]");
    focusTabStop(opened);
    // The checkbox has no width.
    press(opened, "ArrowRight", true);
    expect(stored()).toEqual([]);
    press(opened, "End");
    press(opened, "ArrowRight", true);
    const [[field, width]] = await until(() => stored().length > 0 && stored());
    expect(field).toBe("level");
    press(opened, "ArrowRight", true);
    await until(() => stored()[0][1] === width + 16);
    press(opened, "ArrowLeft", true);
    await until(() => stored()[0][1] === width);
    press(opened, "Enter", true);
    await until(() => stored().length === 0);
    expect(current(opened)).toBe("level");
  });
});

describe("the widths of columns", () => {
  const widths = ({ window }: MountedConsole): [string, number][] =>
    JSON.parse(window.localStorage.getItem("roster-measured-widths") ?? "[]");

  test("are remembered when users have decided on them, and forgotten by a reset", async () => {
    await using opened = await open("/users?q=nobody");
    const { page } = opened;
    await page.getByRole("heading", { name: "No matching users" }).waitFor();
    expect(widths(opened)).toEqual([]);
    opened.open("/users?fields=name,plan");
    await until(() => widths(opened).length === 2);
    expect(widths(opened).map(([field]) => field)).toEqual(["name", "plan"]);
    await button(page, "Columns").click();
    await button(page, "Reset to default").click();
    await until(() => widths(opened).length === 6);
  });
});
