import { afterAll, beforeAll, expect, test } from "bun:test";
import { untilPasses } from "../../support/until.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";

let opened: MountedConsole;
beforeAll(async () => {
  opened = await mountConsole({ path: "/keys" });
  const { users } = opened.service.roster;
  const ada = await users.create({ name: "Ada", level: 3, plan: "free" });
  await users.update(ada.id, { level: 4 });
  await users.update(ada.id, { level: null, city: "Rome" });
  await users.update(ada.id, { level: 1, plan: "pro", city: "" });
  await users.delete(ada.id);
  await users.import(Array.from({ length: 60 }, (_, index) => ({ name: `User ${index}` }))).summary();
});
afterAll(() => opened?.[Symbol.asyncDispose]());

const who = "Someone without a key";
const feed = () => opened.page.getByRole("region", { name: "Events" });
const entries = () =>
  opened.page.locator(".feed-list > .event > .event-row .event-sentence").allTextContents();
const waitForEntries = (...expected: string[]) =>
  untilPasses(async () => expect(await entries()).toEqual(expected));

const ofAda = [
  `${who} deleted Ada`,
  `${who} changed Ada: plan free → pro and 2 more fields`,
  `${who} changed Ada: level 4 → not set and city not set → Rome`,
  `${who} changed Ada: level 3 → 4`,
  `${who} created Ada`,
];

test("folds a burst in the overview, too", async () => {
  const { page, errors } = opened;
  opened.open("/");
  const recent = () => page.locator(".overview-event").allTextContents();
  await untilPasses(async () => expect(await recent()).toEqual([`${who} created 50+ users`]));
  expect(errors).toEqual([]);
});

test("folds a burst, which grows with the next page and opens step by step", async () => {
  const { page, errors } = opened;
  opened.open("/activity");
  await waitForEntries(`${who} created 50+ users`);
  await feed().getByRole("button", { name: "Show 50 events" }).click();
  await feed().getByText("created User 59").waitFor();
  await page.getByRole("button", { name: "Show older events" }).click();
  await waitForEntries(`${who} created 60 users`, ...ofAda);
  expect(await page.locator(".burst-events .event").count()).toBe(50);
  await feed().getByRole("button", { name: "Show 10 more" }).click();
  await feed().getByText("created User 0").waitFor();
  expect(await page.locator(".burst-events .event").count()).toBe(60);
  expect(errors).toEqual([]);
});

test("folds new events with those that are shown, and says what all of them have in common", async () => {
  const { page, service } = opened;
  const { users } = service.roster;
  opened.open("/activity?type=user.updated");
  await waitForEntries(...ofAda.slice(1, 4));
  const named = await users.list({ limit: 6 }).page();
  const ids = named.users.map(({ id }) => id);
  await users.bulk({ ids, patch: { plan: "pro" } }).summary();
  await page.getByRole("button", { name: "Show 6 new events" }).click();
  await untilPasses(async () =>
    expect((await entries())[0]).toBe(`${who} changed 6 users: plan not set → pro`),
  );
});

test("names the fields that Roster defines as forms do", async () => {
  const { page, service } = opened;
  const { users } = service.roster;
  const bob = await users.create({ name: "Bob", userName: "bob" });
  await users.update(bob.id, { userName: "builder", name: "Bob B." });
  opened.open(`/activity?type=user.updated&subject=user:${bob.id}`);
  await waitForEntries(`${who} changed Bob B.: Name Bob → Bob B. and User name bob → builder`);
  await feed().getByRole("button", { name: "Show details" }).click();
  expect(await page.locator(".event-details th[scope=row]").allTextContents()).toEqual(["Name", "User name"]);
});
