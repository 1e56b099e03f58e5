import { expect, test } from "bun:test";
import { mountConsole } from "../support/dom/mount-console.ts";

test("a schema that starts from users makes dates of texts only if no user has another text", async () => {
  await using opened = await mountConsole({ path: "/overview" });
  const { page, service, errors } = opened;
  await service.roster.users.create({ name: "Ada", started: "2026-01-31", due: "0 days", skills: ["maths"] });
  const others = Array.from({ length: 100 }, (_, index) => ({
    name: `User ${index}`,
    started: "2026-02-28",
    due: "2026-02-28",
  }));
  await service.roster.users.import(others).summary();
  opened.open("/schema");
  await page.getByRole("button", { name: "Start from your users" }).click();
  await page.getByRole("radio", { name: "JSON" }).click();
  const text = await page.getByLabel("Schema as JSON").inputValue();
  expect(JSON.parse(text).properties).toMatchObject({
    started: { type: "string", format: "date" },
    due: { type: "string" },
  });
  expect(JSON.parse(text).properties.due).not.toHaveProperty("format");
  expect(errors).toEqual([]);
});
