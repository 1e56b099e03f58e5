import { expect, test } from "bun:test";
import { mountConsole } from "./support/dom/mount-console.ts";

test("a saved list that is changed keeps its name, says that it is edited, and is updated in one step", async () => {
  await using opened = await mountConsole({ path: "/users?plan=pro" });
  const { page, service, window, errors } = opened;
  await service.roster.users.create({ name: "Ada", plan: "pro", level: 1 });
  const lists = (name: string) => page.getByRole("button", { name, exact: true });
  await lists("Lists").click();
  await page.getByRole("menuitem", { name: "Save current list…" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Pro plan");
  await page.getByRole("button", { name: "Save list" }).click();
  await lists("List: Pro plan").waitFor();

  opened.open("/users?plan=pro&fields=name,level");
  await lists("List: Pro plan (edited)").click();
  await page.getByRole("menuitem", { name: "Update “Pro plan”" }).click();
  await lists("List: Pro plan").waitFor();
  expect(JSON.parse(window.localStorage.getItem("roster-lists") ?? "")).toEqual([
    { name: "Pro plan", query: "?plan=pro&fields=name,level" },
  ]);

  opened.open("/users?plan=pro&sort=name&fields=name,level");
  await lists("List: Pro plan (edited)").click();
  await page.getByRole("menuitemradio", { name: "All users" }).click();
  await lists("Lists").waitFor();
  expect(errors).toEqual([]);
});
