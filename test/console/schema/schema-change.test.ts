import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../support/until.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";

let opened: MountedConsole;
beforeAll(async () => {
  opened = await mountConsole({ path: "/schema" });
});
afterAll(() => opened?.[Symbol.asyncDispose]());

test("while a person edits the schema, the form says at once that someone else saved another version", async () => {
  const { page, service, errors } = opened;
  await page.getByRole("button", { name: "Start empty" }).click();
  await page.getByRole("button", { name: "Discard changes" }).waitFor();
  await service.roster.schema.set({ properties: { plan: { type: "string" } } });
  const notice = page.locator(".others-change .warning");
  await notice.getByText(/saved version 1 of the schema/).waitFor();
  await notice.getByText(/Someone/).waitFor();
  await notice.getByRole("button", { name: "Load theirs" }).click();
  await notice.waitFor({ state: "detached" });
  await until(async () => (await page.locator(".view-title .count").count()) === 1);
  expect(await page.locator(".view-title .count").textContent()).toContain("1");
  expect(errors).toEqual([]);
});
