import { expect, test } from "bun:test";
import { mountConsole } from "../support/dom/mount-console.ts";

test("users that do not conform are listed by name, with how many of them have each problem", async () => {
  await using opened = await mountConsole({ path: "/overview" });
  const { page, service, errors } = opened;
  const users = [
    { name: "Ada", plan: "gold", level: "high" },
    { name: "Bob", plan: "gold" },
    { name: "Cy", plan: "free" },
  ];
  for (const user of users) await service.roster.users.create(user);
  await service.roster.schema.set({ properties: { plan: { enum: ["free"] }, level: { type: "integer" } } });
  opened.open("/schema");
  await page.getByRole("button", { name: "Find users" }).click();
  await page.getByRole("link", { name: "Ada" }).waitFor();
  await page.getByRole("link", { name: "Bob" }).waitFor();
  const problems = page.getByRole("list", { name: "Problems" }).getByRole("listitem");
  const shown = await problems.allTextContents();
  expect(shown.map((text) => [text.split(" ")[0], text.slice(text.search(/\d+ users?$/))])).toEqual([
    ["plan", "2 users"],
    ["level", "1 user"],
  ]);
  // All users are checked: these are not only the first.
  expect(await page.getByText(/^The first/).count()).toBe(0);
  expect(errors).toEqual([]);
});
