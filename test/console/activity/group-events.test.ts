import { afterAll, beforeAll, expect, test } from "bun:test";
import { untilPasses } from "../../support/until.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";

let opened: MountedConsole;
beforeAll(async () => {
  opened = await mountConsole({ path: "/keys" });
  const { call, roster } = opened.service;
  const ids = Array.from({ length: 25 }, (_, index) => index + 1);
  await roster.users.import(ids.map((id) => ({ name: `User ${id}` }))).summary();
  const patch = (json: object) => call("/api/groups/1/members", { method: "PATCH", json });
  await call("/api/groups", { method: "POST", json: { name: "Sales" } });
  await patch({ add: ids });
  await patch({ add: [], remove: [3] });
  await patch({ add: [3], remove: [1, 2] });
});
afterAll(() => opened?.[Symbol.asyncDispose]());

const who = "Someone without a key";
const sentences = () => opened.page.locator(".feed-list .event-sentence").allTextContents();

test("says how many members a change added and removed, and links to them", async () => {
  const { page, errors } = opened;
  opened.open("/activity?type=group.members_changed");
  await untilPasses(async () =>
    expect(await sentences()).toEqual([
      `${who} changed the members of the group Sales: 1 added, 2 removed`,
      `${who} changed the members of the group Sales: 1 removed`,
      `${who} changed the members of the group Sales: 25 added`,
    ]),
  );
  const cells = () => page.locator(".event-details table.values td").allTextContents();
  await page.getByRole("button", { name: "Show details" }).first().click();
  await untilPasses(async () => expect(await cells()).toEqual(["user 3", "user 1, user 2"]));
  expect(await page.getByRole("link", { name: "user 3" }).getAttribute("href")).toBe("/users/3");
  await page.getByRole("button", { name: "Hide details" }).click();
  await page.getByRole("button", { name: "Show details" }).last().click();
  await untilPasses(async () => expect((await cells()).join()).toEndWith("user 20 and 5 more"));
  expect(errors).toEqual([]);
});

test("tells in the history of a user that it became a member, and is not one any more", async () => {
  const { page, errors } = opened;
  opened.open("/users/2");
  await untilPasses(async () =>
    expect(await sentences()).toEqual([
      `${who} removed this user from the group Sales`,
      `${who} added this user to the group Sales`,
      `${who} created this user`,
    ]),
  );
  await page.getByRole("button", { name: "Show details" }).first().click();
  await untilPasses(async () =>
    expect(await page.locator(".event-details table.values td").allTextContents()).toEqual([
      "user 3",
      "user 1, user 2",
    ]),
  );
  expect(errors).toEqual([]);
});
