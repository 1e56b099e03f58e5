import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startService, type TestService } from "../../support/service.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";
import {
  exists,
  isGone,
  isShown,
  openUser,
  pressDelete,
  pressUndo,
  toast,
  undoButton,
} from "../support/undo.ts";
import { statusErrors, userDrawer, userPage } from "../support/user-form.ts";

const names = ["Ada", "Grace", "Edsger"];

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

/** The ids of Ada, Grace and Edsger. */
let [ada, grace, edsger] = [0, 0, 0];
beforeEach(async () => {
  const { users } = service.roster;
  for (const { id } of await users.list().all()) await users.delete(id, { purge: true });
  const created = [];
  for (const name of names) created.push((await users.create({ name })).id);
  [ada = 0, grace = 0, edsger = 0] = created;
});

const open = (path?: string) => mountConsole({ service, ...(path && { path }) });
const showsCount = ({ page }: MountedConsole, count: number) =>
  page.getByRole("heading", { name: new RegExp(`Users ?${count}`) }).waitFor();
const usersNow = async () => (await service.roster.users.list().all()).map(({ name }) => name);

describe("deleting a user", () => {
  test("sends the request at once, and Undo restores the user", async () => {
    await using opened = await open();
    await pressDelete(opened, "Grace");
    await isGone(opened, "Grace");
    expect(await exists(opened, grace)).toBe(false);
    await showsCount(opened, 2);
    await toast(opened, "Grace deleted").waitFor();
    await undoButton(opened).click();
    await isShown(opened, "Grace");
    await showsCount(opened, 3);
    await toast(opened, "Grace deleted").waitFor({ state: "detached" });
    await toast(opened, "1 user restored").waitFor();
    expect(await usersNow()).toEqual(names);
    expect(opened.errors).toEqual([]);
  });

  test("can't be undone after the user was restored in the view of deleted users", async () => {
    await using opened = await open();
    await pressDelete(opened, "Grace");
    await toast(opened, "Grace deleted").waitFor();
    opened.open("/deleted");
    const { page } = opened;
    await page.getByRole("button", { name: "Actions for Grace" }).click();
    await page.getByRole("menuitem", { name: "Restore" }).click();
    await toast(opened, "Grace restored").waitFor();
    await toast(opened, "Grace deleted").waitFor({ state: "detached" });
    pressUndo(opened);
    await toast(opened, "Nothing to undo").waitFor();
  });

  test("can be undone with Ctrl+Z in another view, also when the toast is closed", async () => {
    await using opened = await open();
    await pressDelete(opened, "Grace");
    await toast(opened, "Grace deleted").waitFor();
    await opened.page.locator(".toast").getByLabel("Close").click();
    await toast(opened, "Grace deleted").waitFor({ state: "detached" });
    opened.open("/activity");
    await opened.page.getByRole("heading", { name: "Activity", level: 1 }).waitFor();
    pressUndo(opened);
    await toast(opened, "1 user restored").waitFor();
    expect(await exists(opened, grace)).toBe(true);
    pressUndo(opened);
    await toast(opened, "Nothing to undo").waitFor();
  });

  test("shares one toast for several users, and Undo restores all of them", async () => {
    await using opened = await open();
    await isShown(opened, "Ada");
    // Nobody waits for a response between two keys, and one more press on the same user does nothing.
    for (const name of ["Grace", "Ada", "Grace"]) await pressDelete(opened, name);
    await toast(opened, "2 users deleted").waitFor();
    await toast(opened, "Grace deleted").waitFor({ state: "detached" });
    expect(await usersNow()).toEqual(["Edsger"]);
    await undoButton(opened).click();
    await isShown(opened, "Grace");
    await isShown(opened, "Ada");
    expect(await usersNow()).toEqual(names);
    expect(opened.errors).toEqual([]);
  });

  test("works in the drawer and on the page of the user", async () => {
    await using opened = await open();
    await isShown(opened, "Grace");
    const drawer = userDrawer(opened.page);
    await openUser(opened, "Grace");
    await drawer.button("Delete").click();
    await drawer.waitUntilClosed();
    await isGone(opened, "Grace");
    await toast(opened, "Grace deleted").waitFor();
    opened.open(`/users/${edsger}`);
    await userPage(opened.page).button("Delete").click();
    await toast(opened, "2 users deleted").waitFor();
    await showsCount(opened, 1);
    expect(await usersNow()).toEqual(["Ada"]);
    expect(opened.errors).toEqual([]);
  });

  test("shows the current version if someone else changed the user", async () => {
    await using opened = await open();
    await isShown(opened, "Grace");
    await service.roster.users.update(grace, { name: "Grace Hopper" });
    await pressDelete(opened, "Grace");
    await toast(opened, "Grace was not deleted").waitFor();
    await isShown(opened, "Grace Hopper");
    expect(await exists(opened, grace)).toBe(true);
    expect(opened.errors).toEqual(statusErrors(412));
  });

  test("leaves the drawer open if someone else changed the user, with the current version", async () => {
    await using opened = await open();
    await isShown(opened, "Grace");
    const { drawer, name, button } = userDrawer(opened.page);
    await openUser(opened, "Grace");
    await button("Delete").waitFor();
    await service.roster.users.update(grace, { name: "Grace Hopper" });
    await button("Delete").click();
    await toast(opened, "Grace was not deleted").waitFor();
    await drawer.getByText("Grace Hopper").first().waitFor();
    expect(await name.inputValue()).toBe("Grace Hopper");
  });

  test("succeeds if the user was already deleted, which is not undone", async () => {
    await using opened = await open();
    await isShown(opened, "Grace");
    await service.roster.users.delete(grace);
    await pressDelete(opened, "Grace");
    await isGone(opened, "Grace");
    await toast(opened, "Grace deleted").waitFor();
    expect(await undoButton(opened).count()).toBe(0);
    expect(opened.errors).toEqual(statusErrors(404));
  });

  test("says which user could not be restored", async () => {
    await service.roster.users.update(grace, { email: "grace@example.com" });
    await using opened = await open();
    await pressDelete(opened, "Grace");
    await toast(opened, "Grace deleted").waitFor();
    await service.roster.users.create({ name: "Other", email: "grace@example.com" });
    pressUndo(opened);
    await toast(opened, "1 user not restored").waitFor();
    expect(await exists(opened, ada)).toBe(true);
    expect(await exists(opened, grace)).toBe(false);
  });
});

describe("a service that does not keep deleted users", () => {
  const openThere = async (work: (opened: MountedConsole) => Promise<void>) => {
    const forgetful = await startService({ deletedDays: 0 });
    try {
      await forgetful.roster.users.create({ name: "Grace" });
      await using opened = await mountConsole({ service: forgetful });
      await work(opened);
    } finally {
      await forgetful.stop();
    }
  };

  test("asks before it deletes a user, and offers no Undo", async () => {
    await openThere(async (opened) => {
      const question = opened.page.getByRole("alertdialog");
      await pressDelete(opened, "Grace");
      await question.getByText("Delete Grace for good?").waitFor();
      await question.getByRole("button", { name: "Cancel" }).click();
      await question.waitFor({ state: "detached" });
      expect(await exists(opened, 1)).toBe(true);
      await pressDelete(opened, "Grace");
      await question.getByRole("button", { name: "Delete for good" }).click();
      await toast(opened, "Grace deleted").waitFor();
      expect(await exists(opened, 1)).toBe(false);
      expect(await undoButton(opened).count()).toBe(0);
      pressUndo(opened);
      await toast(opened, "Nothing to undo").waitFor();
    });
  });

  test("asks over the drawer, which closes after the delete", async () => {
    await openThere(async (opened) => {
      await isShown(opened, "Grace");
      const { button, drawer, waitUntilClosed } = userDrawer(opened.page);
      const question = opened.page.getByRole("alertdialog");
      await openUser(opened, "Grace");
      await button("Delete").click();
      await question.getByRole("button", { name: "Cancel" }).click();
      await question.waitFor({ state: "detached" });
      expect(await drawer.count()).toBe(1);
      await button("Delete").click();
      await question.getByRole("button", { name: "Delete for good" }).click();
      await waitUntilClosed();
      await isGone(opened, "Grace");
    });
  });

  test("says so before it deletes selected users", async () => {
    await openThere(async (opened) => {
      const { page } = opened;
      await page.getByRole("checkbox", { name: "Select Grace" }).check();
      await page
        .getByRole("region", { name: "Selected users" })
        .getByRole("button", { name: "Delete" })
        .click();
      await page.getByRole("alertdialog").getByText("This service does not keep deleted users.").waitFor();
      await page.getByRole("button", { name: "Delete 1 user" }).click();
      await toast(opened, "1 user deleted").waitFor();
      expect(await undoButton(opened).count()).toBe(0);
    });
  });
});
