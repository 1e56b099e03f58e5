import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { until, untilPasses } from "../../support/until.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";
import { pressKeys } from "../support/dom/press-key.ts";
import { userDrawer } from "../support/user-form.ts";

let opened: MountedConsole;
beforeAll(async () => {
  opened = await mountConsole({ path: "/connect" });
});
afterAll(() => opened?.[Symbol.asyncDispose]());

let id: number;
beforeEach(async () => {
  const { users } = opened.service.roster;
  for (const each of await users.list().all()) await users.delete(each.id, { purge: true });
  ({ id } = await users.create({ name: "Ada", email: "ada@example.com" }));
});

const palette = () => opened.page.locator(".palette");
/** The headings and commands of the palette. */
async function openPalette(): Promise<Map<string, string[]>> {
  pressKeys(opened.window, { key: "k", ctrlKey: true });
  await palette().getByRole("option").first().waitFor();
  const groups = new Map<string, string[]>();
  for (const group of opened.window.document.querySelectorAll(".palette-group")) {
    const names = [...group.querySelectorAll(".palette-name")].map(({ textContent }) => textContent);
    groups.set(group.querySelector(".palette-label")?.textContent ?? "", names);
  }
  return groups;
}
const choose = async (command: string) => {
  await palette().getByText(command, { exact: true }).click();
  await palette().waitFor({ state: "detached" });
};
const title = (name: string) => opened.page.getByRole("heading", { name, level: 1 });

describe("the palette begins with what a person can do here", () => {
  test("with a user on a page", async () => {
    opened.open(`/users/${id}`);
    await title("Ada").waitFor();
    const [[heading, commands] = []] = await openPalette();
    expect([heading, commands]).toEqual(["This user", ["Copy ID", "Copy email", "Copy link", "Delete user"]]);
    await choose("Delete user");
    await until(() => opened.window.location.pathname === "/users");
    expect(await opened.service.roster.users.list().all()).toEqual([]);
    // The change can be undone from anywhere.
    await openPalette();
    await choose("Undo the last change");
    await untilPasses(async () => expect(await opened.service.roster.users.list().all()).toHaveLength(1));
  });

  test("with a user over the list, and asks before unsaved changes are lost", async () => {
    opened.open("/users");
    await opened.page.getByRole("button", { name: "Refresh" }).click();
    await opened.page.locator(`a[href="/users/${id}"]`).waitFor();
    await opened.page.getByRole("row", { name: /Ada/ }).click();
    const { name } = userDrawer(opened.page);
    await name.fill("Ada King");
    const groups = await openPalette();
    expect([...groups.keys()].slice(0, 2)).toEqual(["This user", "Users"]);
    expect(groups.get("Users")).toEqual(["Export users", "New user"]);
    await choose("Open as page");
    const question = opened.page.getByRole("alertdialog");
    await question.getByRole("button", { name: "Discard" }).click();
    await title("Ada").waitFor();
  });

  test("with selected users", async () => {
    opened.open("/users");
    await opened.page.getByRole("button", { name: "Refresh" }).click();
    await opened.page.locator(`a[href="/users/${id}"]`).waitFor();
    await opened.page.getByRole("checkbox", { name: "Select Ada" }).check();
    await opened.page.getByRole("button", { name: "Edit" }).waitFor();
    const groups = await openPalette();
    expect(groups.get("Selected users")).toEqual([
      "Edit selected users",
      "Export selected users",
      "Add selected users to a group",
      "Remove selected users from a group",
      "Delete selected users",
      "Clear the selection",
    ]);
    await choose("Delete selected users");
    await opened.page.getByRole("alertdialog").getByRole("button", { name: "Delete 1 user" }).click();
    await until(async () => (await opened.service.roster.users.list().all()).length === 0);
  });

  test("finds groups by their names beside users, and opens their pages", async () => {
    const { roster } = opened.service;
    const group = await roster.groups.create({ name: "Adams" });
    await roster.groups.add(group.id, [id]);
    opened.open("/connect");
    await title("Connect").waitFor();
    await openPalette();
    await palette().getByRole("combobox").fill("ada");
    await palette().getByRole("option", { name: "Adams" }).waitFor();
    await palette().getByRole("option", { name: "ada@example.com" }).waitFor();
    await palette().getByText("1 member", { exact: true }).waitFor();
    await choose("Adams");
    expect(opened.window.location.pathname).toBe(`/groups/${group.id}`);
    await roster.groups.delete(group.id);
  });

  test("in the view of provisioning", async () => {
    opened.open("/provisioning");
    await opened.page.getByRole("tab", { name: "Okta" }).waitFor();
    const [[heading, commands] = []] = await openPalette();
    // Without a key, the first one is for a person.
    expect([heading, commands]).toEqual(["Provisioning", ["Copy base URL"]]);
    await choose("New key");
    const dialog = opened.page.getByRole("dialog", { name: "New key" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  test("opens the forms for keys and webhooks from anywhere", async () => {
    opened.open("/connect");
    await title("Connect").waitFor();
    const groups = await openPalette();
    expect(groups.get("Actions")).toContain("New webhook");
    await choose("New key");
    const dialog = opened.page.getByRole("dialog", { name: "New key" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    const [[heading, commands] = []] = await openPalette();
    expect([heading, commands]).toEqual(["Keys", ["New key"]]);
    await choose("New key");
    await dialog.waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
  });

  test("with a webhook", async () => {
    const webhook = await opened.service.roster.webhooks.create({
      url: "https://example.com/hook",
      types: ["user.*"],
    });
    opened.open(`/webhooks/${webhook.id}`);
    await opened.page.getByRole("button", { name: "Send test" }).waitFor();
    const [[heading, commands] = []] = await openPalette();
    expect(heading).toBe("This webhook");
    expect(commands).toEqual([
      "Send test event",
      "Edit webhook",
      "Rotate secret",
      "Disable webhook",
      "Delete webhook",
    ]);
    await choose("Delete webhook");
    await opened.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await title("Webhooks").waitFor();
  });
});
