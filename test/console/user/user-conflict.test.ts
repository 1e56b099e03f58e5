import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { DomLocator } from "../support/dom/locator.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";
import { ada, statusErrors, userPage } from "../support/user-form.ts";

const choose = (page: DomLocator, field: string, side: string) =>
  page.getByRole("group", { name: field }).getByRole("radio", { name: side }).check();

let opened: MountedConsole;
beforeAll(async () => {
  opened = await mountConsole();
});
afterAll(() => opened?.[Symbol.asyncDispose]());

let id: number;
beforeEach(async () => {
  const { users } = opened.service.roster;
  for (const each of await users.list().all()) await users.delete(each.id, { purge: true });
  ({ id } = await users.create(ada));
  opened.errors.length = 0;
  opened.open(`/users/${id}`);
});

describe("a user that someone else changed", () => {
  for (const [all, expected] of [
    ["Keep all yours", { name: "Ada King", department: "engines" }],
    ["Keep all theirs", { name: "Augusta Ada", department: "poetry" }],
  ] as const) {
    test(`can be resolved with "${all}"`, async () => {
      const { page, service } = opened;
      const { name, button, waitUntilSaved } = userPage(page);
      await name.fill("Ada King");
      await service.roster.users.update(id, { name: "Augusta Ada", department: "poetry" });
      await button("Save").click();
      await button(all).click();
      await button("Save choices").click();
      await waitUntilSaved();
      expect(await service.roster.users.get(id)).toMatchObject(expected);
      expect(await name.inputValue()).toBe(expected.name);
    });
  }

  test("shows both versions again after another change", async () => {
    const { page, service, errors } = opened;
    const { main, name, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.update(id, { name: "Augusta Ada" });
    await button("Save").click();
    await choose(page, "Name", "Yours");
    await service.roster.users.update(id, { name: "Countess Ada", level: 8 });
    await button("Save choices").click();
    await main.getByText("Countess Ada", { exact: true }).waitFor();
    await main.getByText("Before: Augusta Ada").waitFor();
    expect(await main.getByText("Ada King").isVisible()).toBe(true);
    await choose(page, "Name", "Yours");
    await button("Save choices").click();
    await waitUntilSaved();
    expect(await service.roster.users.get(id)).toMatchObject({ name: "Ada King", level: 8, version: 4 });
    expect(errors).toEqual(statusErrors(412, 412));
  });

  test("is saved without a question if both changes are equal", async () => {
    const { page, service } = opened;
    const { name, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.update(id, { name: "Ada King" });
    await button("Save").click();
    await waitUntilSaved();
    expect((await service.roster.users.get(id)).version).toBe(2);
  });

  test("can be edited further", async () => {
    const { page, service } = opened;
    const { name, email, main, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.update(id, { level: 8 });
    await service.roster.users.create({ name: "Grace", email: "grace@example.com" });
    await button("Save").click();
    await button("Back to editing").click();
    expect(await name.inputValue()).toBe("Ada King");
    // If the chosen values are rejected, the form shows them with the error.
    await email.fill("grace@example.com");
    await button("Save").click();
    await button("Save choices").click();
    await main.getByRole("link", { name: "Open Grace" }).waitFor();
    await email.fill("king@example.com");
    await button("Save").click();
    await waitUntilSaved();
    const expected = { name: "Ada King", email: "king@example.com", level: 8 };
    expect(await service.roster.users.get(id)).toMatchObject(expected);
  });

  test("or deleted can be created again from the input", async () => {
    const { page, service, errors } = opened;
    const { main, name, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.delete(id);
    await button("Save").click();
    await main.getByText("Someone deleted Ada Lovelace").waitFor();
    await button("Create again").click();
    await waitUntilSaved();
    await page.getByText("Ada King created").waitFor();
    expect(await service.roster.users.list().all()).toMatchObject([{ ...ada, id: id + 1, name: "Ada King" }]);
    // The count is requested twice, and the first request is aborted.
    // Where events tell of the delete first, the form reads the user once more.
    const answers = new Set(errors.filter((error) => !error.endsWith("count=true")));
    expect([...answers]).toEqual(statusErrors(404));
  });
});
