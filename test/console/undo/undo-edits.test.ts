import { describe, expect, test } from "bun:test";
import type { Json } from "../../../src/client/index.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";
import { untilPasses } from "../../support/until.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";
import { isGone, isShown, openUser, pressDelete, pressUndo, toast, undoButton } from "../support/undo.ts";
import { everyType, statusErrors, userDrawer, userPage } from "../support/user-form.ts";

/** Runs with a console of a service with these users. */
async function withUsers(
  users: readonly { name: string; [field: string]: Json }[],
  work: (opened: MountedConsole) => Promise<void>,
  engine: Parameters<typeof startService>[1] = "sqlite",
): Promise<void> {
  const service = await startService({}, engine);
  try {
    await service.roster.users.import(users).summary();
    await using opened = await mountConsole({ service });
    await work(opened);
  } finally {
    await service.stop();
  }
}

/** The fields that callers write, of all users. */
async function recordsOf({ roster }: TestService): Promise<Record<string, unknown>[]> {
  const users = await roster.users.list().all();
  return users.map(
    ({ id: _id, version: _version, createdAt: _created, updatedAt: _updated, ...record }) => record,
  );
}

/** Renames a user in the drawer. */
async function rename(opened: MountedConsole, from: string, to: string): Promise<void> {
  const { name, button, waitUntilClosed } = userDrawer(opened.page);
  await openUser(opened, from);
  await name.fill(to);
  await button("Save").click();
  await waitUntilClosed();
  await isShown(opened, to);
}

const selectionBar = ({ page }: MountedConsole) => page.getByRole("region", { name: "Selected users" });
const button = ({ page }: MountedConsole, name: string) => page.getByRole("button", { name, exact: true });
const selectAll = ({ page }: MountedConsole) =>
  page.getByRole("checkbox", { name: "Select all loaded users" }).check();

/** Opens the form for the selected users, to set the field `plan` to `team`. */
async function fillPlan(opened: MountedConsole): Promise<void> {
  await selectionBar(opened).getByRole("button", { name: "Edit" }).click();
  await opened.page.getByLabel("Field").fill("plan");
  await opened.page.getByLabel("Value", { exact: true }).fill("team");
}

describe("an edit of one user", () => {
  test("can be undone with the toast and with Ctrl+Z, the last one first", async () => {
    const ada = { name: "Ada", ...everyType, object: { a: { b: null }, c: 1 } };
    await withUsers([ada], async (opened) => {
      const { service } = opened;
      await rename(opened, "Ada", "Ada King");
      await rename(opened, "Ada King", "Countess Ada");
      await toast(opened, "Countess Ada saved").waitFor();
      await toast(opened, "Ada King saved").waitFor({ state: "detached" });
      await undoButton(opened).click();
      await isShown(opened, "Ada King");
      await toast(opened, "Ada King as before").waitFor();
      pressUndo(opened);
      await toast(opened, "Ada as before").waitFor();
      await isGone(opened, "Ada King");
      expect(await recordsOf(service)).toEqual([ada]);
      expect((await service.roster.users.get(1)).version).toBe(5);
      pressUndo(opened);
      await toast(opened, "Nothing to undo").waitFor();
    });
  });

  test("can be undone after the delete that followed it", async () => {
    await withUsers([{ name: "Ada" }], async (opened) => {
      await rename(opened, "Ada", "Ada King");
      await pressDelete(opened, "Ada King");
      await toast(opened, "Ada King deleted").waitFor();
      pressUndo(opened);
      await isShown(opened, "Ada King");
      await toast(opened, "1 user restored").waitFor();
      pressUndo(opened);
      await toast(opened, "Ada as before").waitFor();
      expect(await recordsOf(opened.service)).toEqual([{ name: "Ada" }]);
    });
  });

  test("is undone on the page of the user, which shows it", async () => {
    await withUsers([{ name: "Ada", plan: { kept: [null] } }], async (opened) => {
      opened.open("/users/1");
      const { main, name, button, removeField, waitUntilSaved } = userPage(opened.page);
      await removeField("plan");
      await button("Save").click();
      await waitUntilSaved();
      await toast(opened, "Ada saved").waitFor();
      expect(await recordsOf(opened.service)).toEqual([{ name: "Ada" }]);
      // What is not saved is not lost to a key.
      await name.fill("Augusta");
      pressUndo(opened);
      await button("Discard changes").click();
      await waitUntilSaved();
      expect(await recordsOf(opened.service)).toEqual([{ name: "Ada" }]);
      pressUndo(opened);
      await toast(opened, "Ada as before").waitFor();
      await main.getByLabel("Value of plan").waitFor();
      expect(await recordsOf(opened.service)).toEqual([{ name: "Ada", plan: { kept: [null] } }]);
    });
  });

  test("is not undone if someone else has changed or deleted the user since", async () => {
    await withUsers([{ name: "Ada" }, { name: "Grace" }], async (opened) => {
      const { users } = opened.service.roster;
      await rename(opened, "Ada", "Ada King");
      await rename(opened, "Grace", "Grace Hopper");
      await users.update(1, { level: 3 });
      await users.delete(2);
      pressUndo(opened);
      await toast(opened, "Grace not changed back").waitFor();
      await toast(opened, "Someone else has deleted this user.").waitFor();
      pressUndo(opened);
      await toast(opened, "Ada not changed back").waitFor();
      await toast(opened, "Someone else has changed this user since. It stays as it is.").waitFor();
      expect(await recordsOf(opened.service)).toEqual([{ name: "Ada King", level: 3 }]);
      // Nothing is left: these undos cannot succeed later.
      pressUndo(opened);
      await toast(opened, "Nothing to undo").waitFor();
      expect(opened.errors).toEqual(statusErrors(404, 412));
    });
  });

  test("is not undone by keys that are for a field, a menu or a dialog", async () => {
    await withUsers([{ name: "Ada" }], async (opened) => {
      await rename(opened, "Ada", "Ada King");
      pressUndo(opened, "input[type=search]");
      await button(opened, "Filter").click();
      await opened.page.getByRole("combobox", { name: "Find a field" }).waitFor();
      pressUndo(opened);
      await button(opened, "Filter").click();
      await opened.page.locator(".popup").waitFor({ state: "detached" });
      opened.open("/users/new");
      await opened.page.getByRole("dialog", { name: "New user" }).waitFor();
      pressUndo(opened);
      await button(opened, "Cancel").click();
      await userDrawer(opened.page).waitUntilClosed();
      expect(await recordsOf(opened.service)).toEqual([{ name: "Ada King" }]);
      pressUndo(opened);
      await toast(opened, "Ada as before").waitFor();
    });
  });
});

describe("an edit of selected users", () => {
  const people = [
    { name: "Ada", plan: { old: [null], other: {} } },
    { name: "Grace", plan: null },
    { name: "Edsger" },
    { name: "Alan", plan: "team" },
  ];

  test("gives each user the value that it had", async () => {
    await withUsers(people, async (opened) => {
      const { service, errors } = opened;
      await isShown(opened, "Alan");
      const before = await recordsOf(service);
      await selectAll(opened);
      await fillPlan(opened);
      await button(opened, "Update 4 users").click();
      await toast(opened, "4 users updated").waitFor();
      expect((await recordsOf(service)).map(({ plan }) => plan)).toEqual(Array(4).fill("team"));
      await undoButton(opened).click();
      await toast(opened, "4 users as before").waitFor();
      expect(await recordsOf(service)).toEqual(before);
      // Only the user that had the value is as it was imported.
      expect((await service.roster.users.list().all()).map(({ version }) => version)).toEqual([3, 3, 3, 1]);
      await untilPasses(async () =>
        expect(await opened.page.getByRole("row", { name: /team/ }).count()).toBe(1),
      );
      expect(errors).toEqual([]);
    });
  });

  test("leaves users that someone else has changed or deleted since, and says how many", async () => {
    await withUsers(people, async (opened) => {
      const { service } = opened;
      const { users } = service.roster;
      await isShown(opened, "Alan");
      await selectAll(opened);
      await fillPlan(opened);
      await button(opened, "Update 4 users").click();
      await toast(opened, "4 users updated").waitFor();
      await users.update(2, { plan: "other" });
      await users.delete(3);
      pressUndo(opened);
      await toast(opened, "2 of 4 users as before").waitFor();
      const text =
        "Someone else has changed 1 user since. It stays as it is. Someone else has deleted 1 user.";
      await toast(opened, text).waitFor();
      const [first, , , last] = people;
      expect(await recordsOf(service)).toEqual([{ ...first }, { name: "Grace", plan: "other" }, { ...last }]);
      await isShown(opened, "Grace.*other");
    });
  });
});

describe("an edit of all users that match", () => {
  onEachEngine((engine) => {
    test("is undone with the old values of its events, and leaves out users that had the value", async () => {
      const people = Array.from({ length: 120 }, (_, index) => ({
        name: `User ${index + 1}`,
        ...(index < 20 ? { plan: "team" } : index % 2 === 0 ? { plan: { old: index } } : {}),
      }));
      const work = async (opened: MountedConsole) => {
        const { service, errors } = opened;
        // Events of others come before, between and after.
        await service.roster.users.create({ name: "Other" });
        opened.open("/users?filter=id le 120");
        await opened.page.getByRole("heading", { name: /Users ?120/ }).waitFor();
        await isShown(opened, "User 120");
        const before = await recordsOf(service);
        await selectAll(opened);
        await button(opened, "Select all 120 matching").click();
        await fillPlan(opened);
        expect(await opened.page.getByText("You can't undo this").count()).toBe(0);
        await button(opened, "Update 120 users").click();
        await toast(opened, "120 users updated").waitFor();
        expect((await recordsOf(service)).filter(({ plan }) => plan === "team")).toHaveLength(120);
        await service.roster.users.update(121, { plan: "team" });
        await service.roster.users.update(120, { level: 1 });
        await undoButton(opened).click();
        await toast(opened, "99 of 120 users as before").waitFor();
        const text =
          "Someone else has changed 1 user since. It stays as it is. No event says that 20 users changed. They stay as they are.";
        await toast(opened, text).waitFor();
        const after = await recordsOf(service);
        expect(after.slice(0, 119)).toEqual(before.slice(0, 119));
        expect(after.slice(119)).toEqual([
          { name: "User 120", plan: "team", level: 1 },
          { name: "Other", plan: "team" },
        ]);
        expect(errors).toEqual(statusErrors(412));
      };
      await withUsers(people, work, engine);
    });
  });

  test("can be undone although the users no longer match, and shows them again", async () => {
    const people = Array.from({ length: 110 }, (_, index) => ({ name: `User ${index + 1}`, plan: "free" }));
    await withUsers(people, async (opened) => {
      opened.open("/users?plan=free");
      await isShown(opened, "User 110");
      await opened.page.getByRole("heading", { name: /Users ?110/ }).waitFor();
      await selectAll(opened);
      await button(opened, "Select all 110 matching").click();
      await fillPlan(opened);
      await button(opened, "Update 110 users").click();
      await opened.page.getByText("No matching users").waitFor();
      pressUndo(opened);
      await toast(opened, "110 users as before").waitFor();
      await isShown(opened, "User 110");
      await opened.page.getByRole("heading", { name: /Users ?110/ }).waitFor();
    });
  });

  test("says before that more than 10,000 users cannot be changed back", async () => {
    const people = Array.from({ length: 10_001 }, (_, index) => ({ name: `User ${index + 1}` }));
    await withUsers(people, async (opened) => {
      await isShown(opened, "User 10001");
      await opened.page.getByRole("heading", { name: /Users ?10,001/ }).waitFor();
      await selectAll(opened);
      await button(opened, "Select all 10,001 matching").click();
      await fillPlan(opened);
      await opened.page.getByText("You can't undo this: it changes more than 10,000 users.").waitFor();
      await button(opened, "Update 10,001 users").click();
      await toast(opened, "10,001 users updated").waitFor();
      expect(await undoButton(opened).count()).toBe(0);
      pressUndo(opened);
      await toast(opened, "Nothing to undo").waitFor();
    });
  });
});
