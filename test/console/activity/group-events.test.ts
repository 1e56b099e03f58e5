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

test("names a user that a change added or removed, and says how many others, and links to them", async () => {
  const { page, errors } = opened;
  opened.open("/activity?type=group.members_changed");
  await untilPasses(async () =>
    expect(await sentences()).toEqual([
      `${who} changed the members of the group Sales: 1 added, 2 removed`,
      `${who} removed User 3 from the group Sales`,
      `${who} added User 1 and 24 others to the group Sales`,
    ]),
  );
  const cells = () => page.locator(".event-details table.values td").allTextContents();
  await page.getByRole("button", { name: "Show details" }).first().click();
  await untilPasses(async () => expect(await cells()).toEqual(["User 3", "User 1, User 2"]));
  expect(
    await page.locator(".event-details").getByRole("link", { name: "User 3" }).getAttribute("href"),
  ).toBe("/users/3");
  expect(await page.getByRole("link", { name: "Open group" }).getAttribute("href")).toBe("/groups/1");
  await page.getByRole("button", { name: "Hide details" }).click();
  await page.getByRole("button", { name: "Show details" }).last().click();
  await untilPasses(async () => expect((await cells()).join()).toEndWith("User 20 and 5 more"));
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
      "User 3",
      "User 1, User 2",
    ]),
  );
  expect(errors).toEqual([]);
});

test("names members and groups in the overview, too", async () => {
  const { page, errors } = opened;
  opened.open("/");
  await untilPasses(async () =>
    expect((await page.locator(".overview-event").allTextContents()).slice(0, 3)).toEqual([
      `${who} changed the members of the group Sales: 1 added, 2 removed`,
      `${who} removed User 3 from the group Sales`,
      `${who} added User 1 and 24 others to the group Sales`,
    ]),
  );
  expect(errors).toEqual([]);
});

test("finds the events of a group by its name", async () => {
  const { page, window, errors } = opened;
  opened.open("/activity");
  const field = page.getByLabel("User or group");
  await field.fill("sal");
  await page.locator('option[value="Sales (group 1)"]').waitFor({ state: "attached" });
  await field.fill("Sales (group 1)");
  await untilPasses(async () =>
    expect(new URLSearchParams(window.location.search).get("subject")).toBe("group:1"),
  );
  await page.getByRole("button", { name: "Remove filter the group Sales" }).waitFor();
  await untilPasses(async () => expect((await sentences()).at(-1)).toBe(`${who} created the group Sales`));
  expect(errors).toEqual([]);
});

test("says how many users a burst added to one group", async () => {
  const { page } = opened;
  const { roster } = opened.service;
  const { id } = await roster.groups.create({ name: "Support" });
  for (const user of [1, 2, 3, 4, 5]) await roster.groups.add(id, [user]);
  opened.open(`/activity?subject=group:${id}`);
  const entries = page.locator(".feed-list > .event > .event-row .event-sentence");
  await untilPasses(async () =>
    expect(await entries.allTextContents()).toEqual([
      `${who} added 5 users to the group Support`,
      `${who} created the group Support`,
    ]),
  );
});

test("does not name a user that was erased", async () => {
  const { page } = opened;
  const { roster } = opened.service;
  const { id } = await roster.groups.create({ name: "Guests" });
  const user = await roster.users.create({ name: "Zora" });
  await roster.groups.add(id, [user.id]);
  await roster.users.delete(user.id, { purge: true });
  opened.open(`/activity?subject=group:${id}`);
  await untilPasses(async () =>
    expect(await sentences()).toContain(`${who} added user ${user.id} to the group Guests`),
  );
  expect(await page.getByText("Zora").count()).toBe(0);
});
