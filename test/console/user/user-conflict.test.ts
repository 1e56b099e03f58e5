import { describe, expect, test } from "bun:test";
import type { DomLocator } from "../support/dom/locator.ts";
import { mountConsole } from "../support/dom/mount-console.ts";
import { ada, createAda, statusErrors, userPage } from "../support/user-form.ts";

const choose = (page: DomLocator, field: string, side: string) =>
  page.getByRole("group", { name: field }).getByRole("radio", { name: side }).check();

describe("a user that someone else changed", () => {
  for (const [all, expected] of [
    ["Keep all yours", { name: "Ada King", department: "engines" }],
    ["Keep all theirs", { name: "Augusta Ada", department: "poetry" }],
  ] as const) {
    test(`can be resolved with "${all}"`, async () => {
      await using opened = await mountConsole({ path: "/users/1", before: createAda });
      const { page, service } = opened;
      const { name, button, waitUntilSaved } = userPage(page);
      await name.fill("Ada King");
      await service.roster.users.update(1, { name: "Augusta Ada", department: "poetry" });
      await button("Save").click();
      await button(all).click();
      await button("Save choices").click();
      await waitUntilSaved();
      expect(await service.roster.users.get(1)).toMatchObject(expected);
      expect(await name.inputValue()).toBe(expected.name);
    });
  }

  test("shows both versions again after another change", async () => {
    await using opened = await mountConsole({ path: "/users/1", before: createAda });
    const { page, service, errors } = opened;
    const { main, name, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.update(1, { name: "Augusta Ada" });
    await button("Save").click();
    await choose(page, "Name", "Yours");
    await service.roster.users.update(1, { name: "Countess Ada", level: 8 });
    await button("Save choices").click();
    await main.getByText("Countess Ada", { exact: true }).waitFor();
    await main.getByText("Before: Augusta Ada").waitFor();
    expect(await main.getByText("Ada King").isVisible()).toBe(true);
    await choose(page, "Name", "Yours");
    await button("Save choices").click();
    await waitUntilSaved();
    expect(await service.roster.users.get(1)).toMatchObject({ name: "Ada King", level: 8, version: 4 });
    expect(errors).toEqual(statusErrors(412, 412));
  });

  test("is saved without a question if both changes are equal", async () => {
    await using opened = await mountConsole({ path: "/users/1", before: createAda });
    const { page, service } = opened;
    const { name, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.update(1, { name: "Ada King" });
    await button("Save").click();
    await waitUntilSaved();
    expect((await service.roster.users.get(1)).version).toBe(2);
  });

  test("can be edited further", async () => {
    await using opened = await mountConsole({ path: "/users/1", before: createAda });
    const { page, service } = opened;
    const { name, email, main, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.update(1, { level: 8 });
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
    expect(await service.roster.users.get(1)).toMatchObject(expected);
  });

  test("or deleted can be created again from the input", async () => {
    await using opened = await mountConsole({ path: "/users/1", before: createAda });
    const { page, service, errors } = opened;
    const { main, name, button, waitUntilSaved } = userPage(page);
    await name.fill("Ada King");
    await service.roster.users.delete(1);
    await button("Save").click();
    await main.getByText("Someone deleted Ada Lovelace").waitFor();
    await button("Create again").click();
    await waitUntilSaved();
    await page.getByText("Ada King created").waitFor();
    expect(await service.roster.users.list().all()).toMatchObject([{ ...ada, id: 2, name: "Ada King" }]);
    // The count is requested twice, and the first request is aborted.
    expect(errors.filter((error) => !error.endsWith("count=true"))).toEqual(statusErrors(404));
  });
});
