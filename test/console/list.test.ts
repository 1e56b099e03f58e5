import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startService, type TestService } from "../support/service.ts";
import type { DomLocator } from "./support/dom/locator.ts";
import { type MountedConsole, mountConsole } from "./support/dom/mount-console.ts";
import { pressKeys } from "./support/dom/press-key.ts";

setDefaultTimeout(60_000);

let service: TestService;
beforeAll(async () => {
  service = await startService();
  for (const name of ["Ada", "Bob", "Carol"]) {
    const { id } = await service.roster.users.create({ name, level: 3 });
    await service.roster.users.delete(id);
  }
});
afterAll(() => service?.stop());

const openList = () => mountConsole({ service, path: "/deleted" });
const lines = (page: DomLocator) => page.locator("tbody > tr[data-index]");
const press = ({ window }: MountedConsole, name: string, key: string, shiftKey = false) =>
  pressKeys(window, { key, shiftKey }, "tbody > tr[data-index]", name);
const focused = ({ window }: MountedConsole) =>
  window.document.activeElement?.querySelector(".list-name")?.textContent;

test("a list has a heading for each column, and a line with a menu for each entry", async () => {
  await using mounted = await openList();
  const { page } = mounted;
  await page.getByRole("row", { name: /Carol/ }).waitFor();
  expect(await page.getByRole("columnheader").allTextContents()).toEqual([
    "Select all",
    "Name",
    "Email",
    "ID",
    "Deleted",
    "Deleted by",
    "Erasure",
  ]);
  expect(await lines(page).count()).toBe(3);
  expect(await page.locator(".view-title .count").textContent()).toBe("3");
  await page.getByRole("button", { name: "Actions for Bob" }).click();
  expect(await page.getByRole("menuitem").allTextContents()).toEqual([
    "Restore",
    "Copy ID",
    "Erase for good",
  ]);
  expect(mounted.errors).toEqual([]);
});

test("the arrow keys move through the lines, Enter opens the details, and Space selects", async () => {
  await using mounted = await openList();
  const { page } = mounted;
  await page.getByRole("row", { name: /Carol/ }).waitFor();
  press(mounted, "Carol", "ArrowDown");
  expect(focused(mounted)).toBe("Bob");
  press(mounted, "Bob", "End");
  expect(focused(mounted)).toBe("Ada");
  press(mounted, "Ada", "ArrowDown");
  expect(focused(mounted)).toBe("Ada");
  press(mounted, "Ada", "Enter");
  await page.getByRole("row", { name: "level 3" }).waitFor();
  press(mounted, "Ada", "Enter");
  await page.getByRole("row", { name: "level 3" }).waitFor({ state: "detached" });
  press(mounted, "Ada", " ");
  await page.getByText("1 selected").waitFor();
  await page.getByRole("checkbox", { name: "Select all" }).check();
  await page.getByText("3 selected").waitFor();
  // The arrow keys reach the other lines.
  expect(await page.locator("tbody > tr[tabindex='0']").count()).toBe(1);
});

test("Shift and the arrow keys select a range of lines, which the next key changes", async () => {
  await using mounted = await openList();
  const { page } = mounted;
  await page.getByRole("row", { name: /Carol/ }).waitFor();
  press(mounted, "Carol", "ArrowDown", true);
  expect(focused(mounted)).toBe("Bob");
  await page.getByText("2 selected").waitFor();
  press(mounted, "Bob", "ArrowDown", true);
  await page.getByText("3 selected").waitFor();
  press(mounted, "Ada", "ArrowUp", true);
  await page.getByText("2 selected").waitFor();
  press(mounted, "Bob", "ArrowDown");
  await page.getByText("2 selected").waitFor();
});

test("Shift-F10 and a right click open the menu of a line", async () => {
  await using mounted = await openList();
  const { page, window } = mounted;
  await page.getByRole("row", { name: /Carol/ }).waitFor();
  press(mounted, "Bob", "F10", true);
  await page.getByRole("menuitem", { name: "Restore" }).waitFor();
  pressKeys(window, { key: "Escape" }, "[role=menu]");
  await page.getByRole("menu").waitFor({ state: "detached" });
  window.document
    .querySelector("tbody > tr")
    ?.dispatchEvent(new window.MouseEvent("contextmenu", { bubbles: true, cancelable: true }));
  await page.getByRole("menuitem", { name: "Restore" }).waitFor();
});
