import { expect, test } from "bun:test";
import { mountConsole } from "./support/dom/mount-console.ts";
import { openUser } from "./support/undo.ts";
import { userDrawer } from "./support/user-form.ts";

test("the table says how many of its users no longer match after edits, until it is loaded again", async () => {
  await using opened = await mountConsole({ path: "/overview" });
  const { page, service, errors } = opened;
  await service.roster.users.import(["Ada", "Bob", "Cy"].map((name) => ({ name, plan: "pro" }))).summary();
  opened.open("/users?plan=pro");
  await page.getByRole("row", { name: /Cy/ }).waitFor();
  await page.getByRole("checkbox", { name: "Select all loaded users" }).check();
  await page.getByRole("region", { name: "Selected users" }).getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Field").fill("plan");
  await page.getByLabel("Value", { exact: true }).fill("free");
  await page.getByRole("button", { name: "Update 3 users" }).click();
  await page.getByText("3 users no longer match the list.").waitFor();
  expect(await page.getByRole("row", { name: /Cy/ }).count()).toBe(1);

  const { button, waitUntilClosed } = userDrawer(page);
  await openUser(opened, "Bob");
  await page.getByLabel("Value of plan").fill("pro");
  await button("Save").click();
  await waitUntilClosed();
  await page.getByText("2 users no longer match the list.").waitFor();

  await page.locator(".grid-foot").getByRole("button", { name: "Refresh" }).click();
  await page.getByRole("row", { name: /Cy/ }).waitFor({ state: "detached" });
  await page.getByText(/no longer match/).waitFor({ state: "detached" });
  expect(await page.getByRole("row", { name: /Bob/ }).count()).toBe(1);
  expect(errors).toEqual([]);
});
