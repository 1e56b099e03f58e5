import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { until, untilPasses } from "../../support/until.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";
import { toast } from "../support/undo.ts";
import { statusErrors, userPage } from "../support/user-form.ts";

let opened: MountedConsole;
let id = 0;
beforeAll(async () => {
  opened = await mountConsole({ path: "/keys" });
  const { users, groups } = opened.service.roster;
  await users.create({ name: "Ada" });
  const probe = await groups.create({ name: "Probe" });
  opened.open(`/groups/${probe.id}/fields`);
  const { value } = userPage(opened.page);
  // Events are followed from the first one that the form shows without a request of its own.
  await until(async () => {
    await groups.update(probe.id, { tries: (await groups.get(probe.id)).version });
    return (await value("tries").count()) > 0;
  });
});
afterAll(() => opened?.[Symbol.asyncDispose]());
beforeEach(async () => {
  const { groups } = opened.service.roster;
  for (const group of await groups.list().all()) await groups.delete(group.id);
  // Fields that users have, too: for groups, they are custom fields like any other.
  ({ id } = await groups.create({ name: "Sales", region: "north", email: ["a@example.com"], active: "x" }));
  opened.open(`/groups/${id}/fields`);
  await userPage(opened.page).value("region").waitFor();
  opened.errors.length = 0;
});

const group = () => opened.service.roster.groups.get(id);

test("the fields of a group are edited, and fields that users have are custom fields", async () => {
  const { page, errors } = opened;
  const { name, value, button, waitUntilSaved } = userPage(page);
  await name.fill("Sales north");
  await value("region").fill("north-west");
  expect(await value("active").inputValue()).toBe("x");
  await button("Save").click();
  await waitUntilSaved();
  await toast(opened, "Sales north saved").waitFor();
  await page.getByRole("heading", { name: /^Sales north/, level: 1 }).waitFor();
  expect(await group()).toMatchObject({
    name: "Sales north",
    region: "north-west",
    email: ["a@example.com"],
    active: "x",
    version: 2,
  });
  expect(errors).toEqual([]);
});

test("what SCIM clients keep in a group is shown, and stays when the group is saved", async () => {
  const { page, errors } = opened;
  const { main, name, button, waitUntilSaved } = userPage(page);
  const scim = { extensions: { "urn:example:2.0:Group": { owner: "Ada" } } };
  await opened.service.roster.groups.update(id, { scim });
  const data = main.locator(".scim-data code");
  await data.waitFor({ state: "attached" });
  expect(JSON.parse(await data.textContent())).toEqual(scim);
  await name.fill("Sales north");
  await button("Save").click();
  await waitUntilSaved();
  expect(await group()).toMatchObject({ name: "Sales north", scim });
  expect(errors).toEqual([]);
});

test("a field that Roster sets, or that groups cannot have, is refused at the field", async () => {
  const { page, errors } = opened;
  const { button } = userPage(page);
  await button("Add field").click();
  const added = page.locator(".custom-field-name").last();
  await added.fill("memberCount");
  await button("Save").click();
  await page.getByText("Roster sets this field. Choose another name.").waitFor();
  await added.fill("members");
  await button("Save").click();
  await page.locator(".custom-field .field-error").waitFor();
  await untilPasses(async () => expect(errors).toEqual(statusErrors(422)));
  expect((await group()).version).toBe(1);
});

test("a change by someone else is shown at once, and both changes are saved", async () => {
  const { page } = opened;
  const { name, value, button, waitUntilSaved } = userPage(page);
  await name.fill("Sales north");
  const notice = page.locator(".others-change .warning");
  const { groups } = opened.service.roster;
  await groups.update(id, { region: "south" });
  await notice.waitFor();
  expect(await notice.textContent()).toMatch(/^Someone.* changed this group at .+: region north → south/);
  await button("Take over their changes").click();
  expect(await value("region").inputValue()).toBe("south");
  await button("Save").click();
  await waitUntilSaved();
  expect(await group()).toMatchObject({ name: "Sales north", region: "south" });
});

test("a change of members by someone else does not get in the way", async () => {
  const { page } = opened;
  const { value, button, waitUntilSaved } = userPage(page);
  await value("region").fill("west");
  await opened.service.roster.groups.add(id, [1]);
  await button("Save").click();
  await waitUntilSaved();
  expect(await group()).toMatchObject({ region: "west", memberCount: 1 });
});

test("a group that someone else deletes during an edit is created again", async () => {
  const { page, window } = opened;
  const { value, button } = userPage(page);
  await value("region").fill("west");
  await opened.service.roster.groups.delete(id);
  await page.getByText(/deleted this group/).waitFor();
  await button("Create again").click();
  await untilPasses(async () => expect(window.location.pathname).toBe(`/groups/${id + 1}/fields`));
  expect(await opened.service.roster.groups.get(id + 1)).toMatchObject({ name: "Sales", region: "west" });
});

test("the history has the changes of the group and of its members", async () => {
  const { page } = opened;
  const { groups } = opened.service.roster;
  await groups.update(id, { region: "east" });
  await groups.add(id, [1]);
  await page.getByRole("link", { name: "History" }).click();
  const sentences = () => page.locator(".event-sentence").allTextContents();
  await untilPasses(async () =>
    expect(await sentences()).toEqual([
      expect.stringContaining("Ada"),
      expect.stringContaining("region north → east"),
      expect.stringContaining("created"),
    ]),
  );
  await groups.remove(id, [1]);
  await untilPasses(async () => expect((await sentences()).length).toBe(4));
  expect(opened.window.document.title).toBe("Sales · Roster");
});
