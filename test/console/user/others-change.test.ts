import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { until } from "../../support/until.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";
import { ada, userDrawer, userPage } from "../support/user-form.ts";

let opened: MountedConsole;
beforeAll(async () => {
  opened = await mountConsole({ path: "/keys" });
  const { users } = opened.service.roster;
  const probe = await users.create({ name: "Probe 0" });
  opened.open(`/users/${probe.id}`);
  const { name } = userPage(opened.page);
  await name.waitFor();
  // Events are followed from the first one that the form shows without a request of its own.
  await until(async () => {
    await users.update(probe.id, { name: `Probe ${(await users.get(probe.id)).version}` });
    return (await name.inputValue()) !== "Probe 0";
  });
});
afterAll(() => opened?.[Symbol.asyncDispose]());

let id: number;
beforeEach(async () => {
  const { users } = opened.service.roster;
  for (const each of await users.list().all()) await users.delete(each.id, { purge: true });
  ({ id } = await users.create(ada));
  opened.open(`/users/${id}`);
  await userPage(opened.page).name.waitFor();
});

const notice = () => opened.page.locator(".others-change .warning");

describe("while a person edits a user, and someone else changes it", () => {
  test("the form says at once who changed which field, and takes over changes of other fields", async () => {
    const { page, service } = opened;
    const { name, value, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.update(id, { level: 8 });
    await notice().waitFor();
    expect(await notice().textContent()).toMatch(
      /^Someone( else| without a key) changed this user at .+: level 7 → 8/,
    );
    await notice().getByText("Your changes are in other fields.").waitFor();
    await button("Take over their changes").click();
    await notice().waitFor({ state: "detached" });
    expect([await name.inputValue(), await value("level").inputValue()]).toEqual(["Ada King", "8"]);
    await button("Save").click();
    await waitUntilSaved();
    expect(await service.roster.users.get(id)).toMatchObject({ name: "Ada King", level: 8, version: 3 });
  });

  test("the form names the fields that both changed, and compares both versions", async () => {
    const { page, service } = opened;
    const { main, name, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.update(id, { name: "Augusta Ada", department: "poetry" });
    await notice().getByText("You have changed Name, too.").waitFor();
    expect(await button("Take over their changes").count()).toBe(0);
    await button("Compare").click();
    await main.getByText("Before: Ada Lovelace").waitFor();
    await page.getByRole("group", { name: "Name" }).getByRole("radio", { name: "Yours" }).check();
    await button("Save choices").click();
    await waitUntilSaved();
    expect(await service.roster.users.get(id)).toMatchObject({ name: "Ada King", department: "poetry" });
  });

  test("the form says nothing if both made the same change", async () => {
    const { page, service } = opened;
    const { name, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.update(id, { name: "Ada King" });
    await waitUntilSaved();
    expect(await notice().count()).toBe(0);
    expect(await name.inputValue()).toBe("Ada King");
  });

  test("the drawer says so, too", async () => {
    const { page, service } = opened;
    opened.open("/users");
    await page.getByRole("row", { name: /Ada/ }).click();
    const { name, button, waitUntilClosed } = userDrawer(page);
    await name.fill("Ada King");
    await service.roster.users.update(id, { level: 8 });
    await button("Take over their changes").click();
    await button("Save").click();
    await waitUntilClosed();
    expect(await service.roster.users.get(id)).toMatchObject({ name: "Ada King", level: 8 });
  });

  test("a form without unsaved changes shows their version", async () => {
    const { page, service } = opened;
    const { name } = userPage(page);
    await service.roster.users.update(id, { name: "Augusta Ada" });
    await until(async () => (await name.inputValue()) === "Augusta Ada");
    expect(await notice().count()).toBe(0);
  });
});

describe("while a person edits a user, and someone else deletes it", () => {
  test("the form restores the user, and keeps the input", async () => {
    const { page, service } = opened;
    const { name, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.delete(id);
    await notice()
      .getByText(/deleted this user/)
      .waitFor();
    await button("Restore user").click();
    await notice().waitFor({ state: "detached" });
    expect(await name.inputValue()).toBe("Ada King");
    await button("Save").click();
    await waitUntilSaved();
    expect(await service.roster.users.get(id)).toMatchObject({ ...ada, name: "Ada King" });
  });

  test("the form creates the user again", async () => {
    const { page, service } = opened;
    const { name, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.delete(id);
    await button("Create again").click();
    await waitUntilSaved();
    expect(await service.roster.users.list().all()).toMatchObject([{ ...ada, id: id + 1, name: "Ada King" }]);
  });

  test("a form without unsaved changes says that the user is gone", async () => {
    const { page, service } = opened;
    await service.roster.users.delete(id);
    await page.getByText("User not found").waitFor();
  });
});
