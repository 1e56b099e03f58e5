import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Group } from "../../../src/client/index.ts";
import { startService, type TestService } from "../../support/service.ts";
import { untilPasses } from "../../support/until.ts";
import type { DomLocator } from "../support/dom/locator.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";
import { openAs } from "../support/dom/open-as.ts";
import { startServiceWithKeys } from "../support/service-with-keys.ts";

let service: TestService;
const groups = new Map<string, Group>();
const idOf = (name: string) => groups.get(name)?.id ?? 0;

beforeAll(async () => {
  service = await startService();
  for (const name of ["Ada", "Bob", "Cem", "Dee"]) await service.roster.users.create({ name });
  for (const [name, members] of [
    ["Sales", [1, 2]],
    ["Support", [2, 3]],
    ["Guests", []],
  ] as const) {
    const group = await service.roster.groups.create({ name });
    groups.set(name, group);
    await service.roster.groups.add(group.id, members);
  }
});
afterAll(() => service?.stop());

const open = (path = "/users") => mountConsole({ service, path });
const queryOf = ({ window }: MountedConsole) => new URLSearchParams(window.location.search);
const button = (page: DomLocator, name: string) => page.getByRole("button", { name, exact: true });
const waitForCount = (page: DomLocator, count: number) =>
  page.getByText(count === 1 ? "1 of 1" : `1–${count} of ${count}`, { exact: true }).waitFor();
const untilChips = (page: DomLocator, expected: readonly string[]) =>
  untilPasses(async () => expect(await page.locator(".chip-label").allTextContents()).toEqual([...expected]));
const lines = (page: DomLocator) => page.locator(".value-choice .check-line").allTextContents();

async function chooseGroupField(page: DomLocator): Promise<void> {
  await button(page, "Filter").click();
  await page.getByRole("combobox", { name: "Find a field" }).fill("group");
  await page.locator(".popup").getByRole("option", { name: "Group" }).click();
  await page.getByLabel("Condition").waitFor();
}

describe("a filter by groups", () => {
  test("offers the groups by name with their members, and lists the members of any of the chosen ones", async () => {
    await using opened = await open();
    const { page, errors } = opened;
    await chooseGroupField(page);
    await untilPasses(async () => expect(await lines(page)).toEqual(["Guests0", "Sales2", "Support2"]));
    await page.getByRole("checkbox", { name: "Sales" }).check();
    await page.getByRole("checkbox", { name: "Support" }).check();
    await button(page, "Apply").click();
    await waitForCount(page, 3);
    expect(queryOf(opened).getAll("group")).toEqual([String(idOf("Sales")), String(idOf("Support"))]);
    await untilChips(page, ["Group is any of Sales or Support"]);
    // Groups are not a column of the table.
    expect(await page.getByRole("columnheader").allTextContents()).not.toContain("groups");
    expect(errors).toEqual([]);
  });

  test("finds a group by the words of its name, and takes the only one that is found", async () => {
    await using opened = await open();
    const { page } = opened;
    await chooseGroupField(page);
    await page.getByLabel("Value", { exact: true }).fill("supp");
    await untilPasses(async () => expect(await lines(page)).toEqual(["Support2"]));
    await button(page, "Apply").click();
    await untilChips(page, ["Group is Support"]);
    await waitForCount(page, 2);
  });

  test("asks for a group if the typed words find none", async () => {
    await using opened = await open();
    const { page } = opened;
    await chooseGroupField(page);
    await page.getByLabel("Value", { exact: true }).fill("Marketing");
    await untilPasses(async () => expect(await lines(page)).toEqual([]));
    await button(page, "Apply").click();
    await page.getByText("Choose at least one value.").waitFor();
  });

  test("is edited in its chip, and keeps the groups that were chosen before", async () => {
    await using opened = await open(`/users?group=${idOf("Sales")}`);
    const { page } = opened;
    await button(page, "Group is Sales").click();
    await page.getByRole("checkbox", { name: "Sales", checked: true }).waitFor();
    await page.getByRole("checkbox", { name: "Guests" }).check();
    await button(page, "Apply").click();
    await untilChips(page, ["Group is any of Sales or Guests"]);
    await waitForCount(page, 2);
  });

  test("leaves out the members of a group, or of all groups", async () => {
    await using opened = await open();
    const { page } = opened;
    await chooseGroupField(page);
    await page.getByLabel("Condition").selectOption("is not");
    await button(page, "Apply").click();
    await page.getByText("Choose at least one value.").waitFor();
    await page.getByRole("checkbox", { name: "Support" }).check();
    await page.getByRole("checkbox", { name: "Sales" }).check();
    await button(page, "Apply").click();
    await untilChips(page, ["Group is not Sales"]);
    await waitForCount(page, 2);
    expect(queryOf(opened).get("filter")).toBe(`groups ne ${idOf("Sales")}`);
    opened.open("/users?filter=not (groups pr)");
    await untilChips(page, ["Group has no value"]);
    await waitForCount(page, 1);
  });

  test("stays when all other filters become an expression", async () => {
    await using opened = await open(`/users?group=${idOf("Sales")}&group=${idOf("Support")}&name=Ada`);
    const { page } = opened;
    await button(page, "Filter").click();
    await button(page, "Filter expression").click();
    const expression = page.locator("textarea");
    expect(await expression.inputValue()).toBe('name eq "Ada"');
    await expression.fill('groups.name eq "sales" and not (name eq "Ada")');
    await button(page, "Apply expression").click();
    await untilChips(page, [
      "Group is any of Sales or Support",
      'groups.name eq "sales" and not (name eq "Ada")',
    ]);
    await waitForCount(page, 1);
  });

  test("says that a group is deleted, and can be removed", async () => {
    const { id } = await service.roster.groups.create({ name: "Interns" });
    await service.roster.groups.delete(id);
    await using opened = await open(`/users?group=${id}`);
    const { page, errors } = opened;
    await untilChips(page, [`Group is ${id} (deleted)`]);
    await page.getByText("No matching users").waitFor();
    await button(page, `Remove filter Group is ${id} (deleted)`).click();
    await waitForCount(page, 4);
    expect(errors).toEqual([]);
  });

  test("shows an address without the id of a group as it is", async () => {
    await using opened = await open("/users?group=sales");
    const { page, errors } = opened;
    await untilChips(page, ["Group is sales"]);
    await page.getByText("No matching users").waitFor();
    expect(errors).toEqual([]);
  });

  test("is described when the list is exported", async () => {
    await using opened = await open(`/users?group=${idOf("Sales")}`);
    const { page } = opened;
    await waitForCount(page, 2);
    await button(page, "Export").click();
    await page
      .getByText("The 2 users where Group is Sales. Sorted like the table, with all fields.")
      .waitFor();
  });
});

test("a key without groups:read is not offered groups, and an address with one says what is missing", async () => {
  await using started = await startServiceWithKeys();
  await started.roster.users.create({ name: "Ada" });
  await using opened = await openAs(started, ["users:read"], "/users");
  const { page } = opened;
  await button(page, "Filter").click();
  await page.locator(".popup").getByRole("option", { name: "Email" }).waitFor();
  expect(await page.locator(".popup").getByRole("option", { name: "Group" }).count()).toBe(0);
  opened.open("/users?group=7");
  await page.getByText("Your key doesn't allow this").waitFor();
  await button(page, "Remove filter Group is 7").click();
  await waitForCount(page, 1);
});
