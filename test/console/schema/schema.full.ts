import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chooseAction, openConsole, press, waitForToast } from "../support/console.ts";
import { errorStatuses } from "../support/service-with-keys.ts";
import { expectAccessible, openSharedPage, type SharedPage } from "../support/shared-page.ts";

setDefaultTimeout(120_000);

let shared: SharedPage;
beforeAll(async () => {
  shared = await openSharedPage("/schema");
  const { users } = shared.roster;
  await users.create({ name: "Ada", department: "sales", level: 3, active: true });
  await users.create({ name: "Bob", department: "garden" });
}, 120_000);
afterAll(() => shared[Symbol.asyncDispose]());

const field = (name: string) => shared.page.getByRole("listitem", { name, exact: true });
/** Opens the line of a field. */
const openField = async (name: string) => {
  await field(name).getByRole("button", { name, expanded: false }).click();
  return field(name);
};
const dialog = () => shared.page.getByRole("dialog");

test("starts from the fields of the users, and shows who would not conform before it saves", async () => {
  const { page, roster, errors } = shared;
  await press(page, "Start from your users");
  await field("level").waitFor();
  expect(await field("active").count()).toBe(0);
  const lines = page.locator(".schema-line");
  expect(await lines.first().evaluate((line) => line.getBoundingClientRect().height)).toBe(40);
  const department = await openField("department");
  await department.getByLabel("Allowed values", { exact: true }).fill("sales,support");
  await department.getByLabel("Description").fill("Where the person works");
  const level = await openField("level");
  expect(await level.getByLabel("Type").inputValue()).toBe("number");
  await level.getByLabel("Required").check();
  await level.getByLabel("At least").fill("1");
  await press(page, "Add field");
  await page.locator("input:focus").waitFor();
  await page.keyboard.type("badge");
  await field("badge").getByLabel("Unique").check();
  await field("badge").getByLabel("Pattern").fill("^(B");
  await expectAccessible(page);
  await press(page, "Check and save");
  // The service's error is at its input.
  await field("badge").getByLabel("Pattern").and(page.locator("[aria-invalid=true]")).waitFor();
  await field("badge").getByLabel("Pattern").fill("^B");
  await department.getByRole("button", { name: "department", expanded: true }).click();
  await department.getByText("sales, support · Where the person works").waitFor();
  await press(page, "Check and save");
  await dialog().getByText("1 of 2 users would not conform.").waitFor();
  await dialog().getByRole("link", { name: "Bob" }).waitFor();
  expect((await roster.schema.get()).version).toBe(0);
  await dialog().getByRole("button", { name: "Save anyway" }).click();
  await waitForToast(page, "Schema saved as version 1");
  expect((await roster.schema.get()).schema).toEqual({
    properties: {
      department: { type: "string", enum: ["sales", "support"], description: "Where the person works" },
      level: { type: "number", minimum: 1 },
      badge: { type: "string", pattern: "^B", "x-unique": true },
    },
    required: ["level"],
  });
  expect(errorStatuses(errors)).toEqual(["422"]);
});

test("lists the users that do not conform, with links to them", async () => {
  const { page } = shared;
  await press(page, "Find users");
  await page.getByText("The value must be one of").waitFor();
  await page.getByRole("link", { name: "Bob" }).click();
  await page.waitForURL(/\/users\/2$/);
});

test("keeps keywords that the form does not show, and the draft while another view is open", async () => {
  const { page, roster } = shared;
  const schema = {
    title: "Staff",
    properties: {
      department: { type: "string", maxLength: 20, examples: ["sales"] },
      address: { $ref: "#/$defs/address" },
    },
    additionalProperties: false,
    $defs: { address: { type: "object", properties: { city: { type: "string" } } } },
  };
  await roster.schema.set(schema);
  await shared.open("/schema");
  const department = await openField("department");
  await department.getByText("Also has examples.").waitFor();
  expect(await department.getByLabel("Most characters").inputValue()).toBe("20");
  await department.getByLabel("Required").check();
  const address = await openField("address");
  await address.getByText("Also has $ref.").waitFor();
  await page.getByLabel("Users can have other fields too").check();
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("link", { name: "Schema", exact: true }).click();
  await page.getByText("JSON", { exact: true }).click();
  const { additionalProperties: _removed, ...rest } = schema;
  expect(JSON.parse(await page.getByLabel("Schema as JSON").inputValue())).toEqual({
    ...rest,
    required: ["department"],
  });
});

test("offers both versions if someone else has saved one", async () => {
  const { page, roster } = shared;
  await roster.schema.set({ properties: { level: { type: "integer" } } });
  await press(page, "Check and save");
  await dialog().getByRole("button", { name: /^Save/ }).click();
  await dialog().getByText("Version 3 was saved while you were editing.").waitFor();
  await dialog().getByRole("button", { name: "Load theirs" }).click();
  await field("level").waitFor();
  expect((await roster.schema.get()).version).toBe(3);
});

test("lists the versions with who saved them, and restores one after a check of all users", async () => {
  const { page, roster } = shared;
  await press(page, "Show versions");
  const versions = page.getByRole("grid", { name: "Versions of the schema" });
  await versions.getByText("first", { exact: true }).nth(2).waitFor();
  await press(page, "Details of Version 2");
  await versions.getByText('"maxLength": 20').waitFor();
  await expectAccessible(page);
  await chooseAction(page, "Version 2", "Restore this version");
  await dialog().getByText("1 of 2 users would not conform.").waitFor();
  await dialog().getByRole("button", { name: "Save anyway" }).click();
  await waitForToast(page, "Schema saved as version 4");
  await field("address").waitFor();
  expect((await roster.schema.get()).schema).toMatchObject({ title: "Staff" });
});

test("shows the place of an error that the service finds in JSON", async () => {
  const { page } = shared;
  await page.getByText("JSON", { exact: true }).click();
  await page.getByLabel("Schema as JSON").fill('{"properties": {"level": {"type": "integer", }}}');
  await press(page, "Check and save");
  await page.getByText("Line 1, column").waitFor();
  await page.getByLabel("Schema as JSON").fill('{"properties": {"level": {"if": true}}}');
  await press(page, "Check and save");
  await page.getByRole("alert").getByText("/properties/level/if").waitFor();
  await press(page, "Discard changes");
});

test("deletes the schema, and is read-only without the scope", async () => {
  const { page, roster, browser, service } = shared;
  const { key } = await roster.keys.create({ name: "reader", scopes: ["users:read"] });
  await using opened = await openConsole(browser, { service, path: "/schema", key });
  await opened.page.getByText("sign in with a key that has the scope schema:manage").waitFor();
  expect(await opened.page.getByRole("button", { name: "Check and save" }).count()).toBe(0);
  await press(page, "Delete schema");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete schema" }).click();
  await page.getByText("No schema yet").waitFor();
  expect((await roster.schema.get()).schema).toEqual({});
});

test("saves without a check, and says so, with a key that may not read users", async () => {
  const { roster, browser, service } = shared;
  const { version } = await roster.schema.get();
  const { key } = await roster.keys.create({ name: "manager", scopes: ["schema:manage"] });
  await using opened = await openConsole(browser, { service, path: "/schema", key });
  const { page, errors } = opened;
  await press(page, "Start empty");
  expect(await page.getByRole("button", { name: "Start from your users" }).count()).toBe(0);
  await page
    .getByRole("listitem", { name: "New field" })
    .getByRole("textbox", { name: "Field", exact: true })
    .fill("nickname");
  await press(page, "Save");
  const saving = page.getByRole("dialog");
  await saving.getByText("Users are not checked: your key lacks the scope users:read.").waitFor();
  await expectAccessible(page);
  await saving.getByRole("button", { name: "Save schema" }).click();
  await waitForToast(page, `Schema saved as version ${version + 1}`);
  await page.getByText("Versions", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Find users" }).count()).toBe(0);
  expect((await roster.schema.get()).schema).toMatchObject({ properties: { nickname: { type: "string" } } });
  // The service requires a key before the sign-in.
  expect(errorStatuses(errors)).toEqual(["401"]);
});

test("is the form of users, on a phone too", async () => {
  const { page, roster, open } = shared;
  await roster.schema.set({
    properties: {
      department: { enum: ["sales", "support"], title: "Department", description: "Where the person works." },
      level: { type: "integer", minimum: 1, maximum: 9 },
      started: { type: "string", format: "date" },
      lastLogin: { type: "string", format: "date-time" },
      remote: { type: "boolean" },
      skills: { type: "array", items: { type: "string" } },
      address: { type: "object" },
    },
    required: ["department"],
  });
  await open("/users/new");
  const form = page.getByRole("dialog");
  await form.getByLabel("skills", { exact: true }).fill("maths, poetry,");
  await form.getByRole("button", { name: "Create user" }).click();
  await form.getByText("This field is required.").waitFor();
  await expectAccessible(page);
  await form.getByRole("textbox", { name: "Name", exact: true }).fill("Grace");
  await form.getByLabel("Department").selectOption("sales");
  await form.getByLabel("started").fill("2026-02-03");
  // With the keyboard alone: the switch, and the last of the tags.
  await form.getByRole("switch", { name: "remote" }).press("Space");
  await form.getByLabel("skills", { exact: true }).press("Backspace");
  await form.getByRole("button", { name: "Create user" }).click();
  await waitForToast(page, "Grace created");
  const [grace] = await roster.users.list({ sort: "-id" }).all();
  expect(grace).toMatchObject({
    department: "sales",
    started: "2026-02-03",
    remote: true,
    skills: ["maths"],
  });
  await open(`/users/${grace?.id}`);
  await page.getByRole("button", { name: "Clear started" }).waitFor();
  await expectAccessible(page);
});

test("Ctrl+Enter checks the schema from any field, and the bar that says so covers no field with the focus", async () => {
  const { page, roster, open } = shared;
  const names = Array.from({ length: 30 }, (_, index) => `field${index}`);
  await roster.schema.set({
    properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  });
  await open("/schema");
  await (await openField("field0")).getByLabel("Required").check();
  const bar = page.locator(".save-bar");
  await bar.getByRole("button", { name: "Check and save" }).waitFor();
  const top = (element: Element) => element.getBoundingClientRect().top;
  expect(await bar.evaluate((element) => element.getBoundingClientRect().bottom)).toBeLessThanOrEqual(
    page.viewportSize()?.height ?? 0,
  );
  for (const _ of names) await page.keyboard.press("Tab");
  const focused = page.locator(".schema-line:focus");
  expect(await focused.evaluate((element) => element.getBoundingClientRect().bottom)).toBeLessThanOrEqual(
    await bar.evaluate(top),
  );
  const description = field("field0").getByLabel("Description");
  await description.focus();
  await page.keyboard.press("Control+Enter");
  await dialog().getByRole("button", { name: /^Save/ }).waitFor();
  await dialog().getByRole("button", { name: "Cancel" }).click();
  await press(page, "Discard changes");
  await bar.waitFor({ state: "detached" });
});
