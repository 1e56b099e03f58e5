import { afterAll, beforeAll, expect, test } from "bun:test";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";

let opened: MountedConsole;
beforeAll(async () => {
  opened = await mountConsole({ path: "/groups" });
});
afterAll(() => opened?.[Symbol.asyncDispose]());

test("an empty list says what groups are for, and creates the first one", async () => {
  const { page, errors, window } = opened;
  await page.getByRole("heading", { name: "No groups yet" }).waitFor();
  await page.getByRole("button", { name: "New group" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Sales");
  await page.getByRole("button", { name: "Create group" }).click();
  await page.getByRole("heading", { name: /^Sales/ }).waitFor();
  expect(window.location.pathname).toBe("/groups/1");
  await page.getByRole("heading", { name: "No members yet" }).waitFor();
  expect(errors).toEqual([]);
});
