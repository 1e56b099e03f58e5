import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { outcome } from "../support/service.ts";
import { until } from "../support/until.ts";
import { chooseAction, entryOf, openConsole, press, waitForToast } from "./support/console.ts";
import { expectAccessible, openSharedPage, type SharedPage } from "./support/shared-page.ts";

setDefaultTimeout(120_000);

let shared: SharedPage;
beforeAll(async () => {
  shared = await openSharedPage("/deleted", { deletedDays: 3 });
}, 120_000);
afterAll(() => shared[Symbol.asyncDispose]());

const item = (name: string) => entryOf(shared.page, name);
/** When the service erases a user that is deleted now, as the list shows the date. */
const erasureDay = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "long" });

async function deleteUser(name: string, email: string): Promise<number> {
  const { users } = shared.roster;
  const { id } = await users.create({ name, email, department: "sales" });
  await users.delete(id);
  return id;
}

test("offers the users view while no user is deleted", async () => {
  const { page } = shared;
  await page.getByText("Users that you delete appear here for 3 days").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Go to users" }).waitFor();
});

test("says who deleted a user and how long it is kept, finds it, and restores it", async () => {
  const { page, roster, errors } = shared;
  const id = await deleteUser("Ada Lovelace", "ada@example.com");
  await deleteUser("Bob", "bob@example.com");
  await shared.open("/deleted");
  await item("Ada Lovelace").getByText("first", { exact: true }).waitFor();
  const { deletedAt } = await roster.deletedUsers.read(id);
  const day = erasureDay.format(Date.parse(deletedAt) + 3 * 86_400_000);
  const erasure = item("Ada Lovelace").locator("time", { hasText: day });
  expect(await erasure.getAttribute("title")).toBe("in 3 days");
  await press(page, "Details of Ada Lovelace");
  await page.getByRole("cell", { name: "sales" }).waitFor();
  await expectAccessible(page);
  await page.getByLabel("Search by name or email").fill("ada");
  await item("Bob").waitFor({ state: "detached" });
  await chooseAction(page, "Ada Lovelace", "Restore");
  await waitForToast(page, "Ada Lovelace restored");
  expect(await roster.users.get(id)).toMatchObject({ email: "ada@example.com", version: 2 });
  await page.getByText("No matching deleted users").waitFor();
  expect(errors).toEqual([]);
});

test("asks for another email if another user has it now", async () => {
  const { page, roster } = shared;
  const id = await deleteUser("Carol", "carol@example.com");
  await roster.users.create({ name: "Other Carol", email: "carol@example.com" });
  await shared.open("/deleted");
  await chooseAction(page, "Carol", "Restore");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Another user has the email carol@example.com now.").waitFor();
  await dialog.getByLabel("Email").fill("nobody");
  await dialog.getByRole("button", { name: "Restore" }).click();
  await dialog.getByText("Enter a valid email address").waitFor();
  await dialog.getByLabel("Email").fill("carol.2@example.com");
  await page.keyboard.press("Enter");
  await waitForToast(page, "Carol restored");
  expect((await roster.users.get(id)).email).toBe("carol.2@example.com");
});

test("asks for another user name, too, if other users have both now", async () => {
  const { page, roster } = shared;
  const { users } = roster;
  const { id } = await users.create({ name: "Erin", email: "erin@example.com", userName: "erin" });
  await users.delete(id);
  await users.create({ name: "Other Erin", email: "erin@example.com", userName: "other" });
  await users.create({ name: "Third Erin", userName: "ERIN" });
  await shared.open("/deleted");
  await chooseAction(page, "Erin", "Restore");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Another user has the email erin@example.com now.").waitFor();
  expect(await dialog.getByLabel("User name").count()).toBe(0);
  await dialog.getByLabel("Email").fill("erin.2@example.com");
  await dialog.getByRole("button", { name: "Restore" }).click();
  await dialog.getByText("Another user has the user name erin now.").waitFor();
  expect(await dialog.getByLabel("Email").inputValue()).toBe("erin.2@example.com");
  await dialog.getByLabel("User name").fill("");
  await dialog.getByRole("button", { name: "Restore" }).click();
  await waitForToast(page, "Erin restored");
  const restored = await users.get(id);
  expect(restored.email).toBe("erin.2@example.com");
  expect(restored).not.toHaveProperty("userName");
});

test("asks for another email if it is the user name of another user now", async () => {
  const { page, roster } = shared;
  const id = await deleteUser("Fay", "fay@example.com");
  await roster.users.create({ name: "Other Fay", userName: "FAY@example.com" });
  await shared.open("/deleted");
  await chooseAction(page, "Fay", "Restore");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Another user has the user name fay@example.com now.").waitFor();
  await dialog.getByLabel("Email").fill("fay.2@example.com");
  await page.keyboard.press("Enter");
  await waitForToast(page, "Fay restored");
  expect((await roster.users.get(id)).email).toBe("fay.2@example.com");
});

test("erases a user for good after its id is typed", async () => {
  const { page, roster } = shared;
  const id = await deleteUser("Dave", "dave@example.com");
  await shared.open("/deleted");
  await chooseAction(page, "Dave", "Erase for good");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Erase for good" }).click();
  await dialog.getByText(`Type ${id}.`).waitFor();
  expect((await roster.deletedUsers.read(id)).name).toBe("Dave");
  await dialog.getByLabel(`Type the ID ${id} to confirm`).fill(String(id));
  await page.keyboard.press("Enter");
  await waitForToast(page, "Dave erased");
  await until(async () => (await outcome(roster.deletedUsers.read(id))) === "404 user-not-found");
  await item("Dave").waitFor({ state: "detached" });
});

test("restores the selected users, names those that it can't restore, and erases them for good", async () => {
  const { page, roster } = shared;
  const ids = [];
  for (const name of ["Team one", "Team two", "Team three"]) {
    ids.push(await deleteUser(name, `${name.replace(" ", ".")}@example.com`));
  }
  await roster.users.create({ name: "Other", email: "team.two@example.com" });
  await shared.open("/deleted?q=team");
  await page.getByLabel("Select Team two").check();
  await page.keyboard.press("Escape");
  await page.getByRole("region", { name: "Selected deleted users" }).waitFor({ state: "detached" });
  await page.getByLabel("Select all").check();
  await expectAccessible(page);
  const bar = page.getByRole("region", { name: "Selected deleted users" });
  await bar.getByText("3 selected").waitFor();
  await bar.getByRole("button", { name: "Restore" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 of 3 users restored").waitFor();
  await dialog
    .getByRole("listitem")
    .filter({ hasText: `User ${ids[1]}` })
    .waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await waitForToast(page, "2 users restored");
  await item("Team one").waitFor({ state: "detached" });
  await bar.getByText("1 selected").waitFor();
  await bar.getByRole("button", { name: "Erase for good" }).click();
  await dialog.getByRole("button", { name: "Erase 1 user" }).click();
  await dialog.getByText("Type 1.").waitFor();
  await dialog.getByLabel("Type the number of users, 1, to confirm").fill("1");
  await page.keyboard.press("Enter");
  await waitForToast(page, "1 user erased");
  await bar.waitFor({ state: "detached" });
  expect(await Promise.all(ids.map((id) => outcome(roster.users.get(id))))).toEqual([
    "done",
    "404 user-not-found",
    "done",
  ]);
  expect(await outcome(roster.deletedUsers.read(ids[1] ?? 0))).toBe("404 user-not-found");
});

test("shows no actions that the key does not allow", async () => {
  const { browser, service, roster } = shared;
  const { key } = await roster.keys.create({ name: "reader", scopes: ["users:read"] });
  await using opened = await openConsole(browser, { service, path: "/deleted", key });
  await opened.page.getByText("sign in with a key that has the scope users:write").waitFor();
  const { page } = opened;
  expect(await page.getByRole("checkbox").count()).toBe(0);
  await page
    .getByRole("button", { name: /^Actions for/ })
    .first()
    .click();
  expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Copy ID", "Copy email"]);
});
