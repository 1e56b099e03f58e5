import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { User } from "../../../src/client/index.ts";
import { shownEmails } from "../../../src/console/users/detail/shown-emails.ts";
import { startService, type TestService } from "../../support/service.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

/** Creates a user by SCIM, as an identity provider does. */
async function provision(userName: string, emails: readonly object[]): Promise<number> {
  const response = await service.call("/scim/v2/Users", { method: "POST", json: { userName, emails } });
  expect(response.status).toBe(201);
  const created: unknown = await response.json();
  return Number(typeof created === "object" && created !== null && "id" in created && created.id);
}

const section = ({ page }: MountedConsole) => page.getByRole("region", { name: "All emails" });

describe("the page of a user", () => {
  test("shows all emails with their types, and which of them is the primary one", async () => {
    const id = await provision("ada", [
      { value: "ada@home.example", type: "home" },
      { value: "ada@example.com", type: "work", primary: true },
      { value: "ada@school.example", type: "School" },
    ]);
    await using opened = await mountConsole({ service, path: `/users/${id}` });
    await section(opened).waitFor();
    expect(await section(opened).locator("li").allTextContents()).toEqual([
      "ada@home.exampleHome",
      "ada@example.comWorkPrimary",
      "ada@school.exampleSchool",
    ]);
    expect(await section(opened).getByText("None of these").count()).toBe(0);
    expect(await opened.page.getByLabel("User name").inputValue()).toBe("ada");
    expect(await opened.page.getByLabel("Email", { exact: true }).inputValue()).toBe("ada@example.com");
    expect(opened.errors).toEqual([]);
  });

  test("marks an address that another user has as email, and leads to that user", async () => {
    const owner = await service.roster.users.create({ name: "Info desk", email: "info@example.com" });
    const id = await provision("grace", [
      { value: "Info@example.com", type: "work", primary: true },
      { value: "grace@example.com", type: "other" },
    ]);
    expect(await service.roster.users.get(id)).not.toHaveProperty("email");
    await using opened = await mountConsole({ service, path: `/users/${id}` });
    const { page, window } = opened;
    const [taken, own] = ["Info@example.com", "grace@example.com"];
    await section(opened).getByText("Another user has this address:").waitFor();
    const lines = await section(opened).locator("li").allTextContents();
    expect(lines).toEqual([
      `${taken}WorkPrimaryAnother user has this address: Open Info desk`,
      `${own}Other`,
    ]);
    await section(opened).getByText("None of these is the email of this user").waitFor();
    await page.getByRole("link", { name: "Open Info desk" }).click();
    await page.getByRole("heading", { name: "Info desk", level: 1 }).waitFor();
    expect(window.location.pathname).toBe(`/users/${owner.id}`);
    expect(opened.errors).toEqual([]);
  });

  test("has no list of emails for a user with one", async () => {
    const { id } = await service.roster.users.create({ name: "Alan", email: "alan@example.com" });
    await using opened = await mountConsole({ service, path: `/users/${id}` });
    await opened.page.getByRole("heading", { name: "Groups" }).waitFor();
    expect(await section(opened).count()).toBe(0);
  });
});

describe("the emails of a user", () => {
  const user: User = { id: 1, name: "Ada", version: 1, createdAt: "", updatedAt: "" };
  const addresses = (fields: Partial<User>) =>
    shownEmails({ ...user, ...fields }).map((each) => each.address);

  test("have the email in the entry without an address", () => {
    expect(shownEmails({ ...user, email: "a@x", emails: [{ type: "work" }, { value: "b@x" }] })).toEqual([
      { address: "a@x", type: "work", isPrimary: false },
      { address: "b@x", type: undefined, isPrimary: false },
    ]);
  });

  test("begin with an email that no entry has", () => {
    expect(addresses({ email: "a@x", emails: [{ value: "b@x" }] })).toEqual(["a@x", "b@x"]);
    expect(addresses({ email: "b@x", emails: [{ value: "b@x" }] })).toEqual(["b@x"]);
  });

  test("are none if the field has other data", () => {
    for (const emails of [undefined, null, "a@x", {}, ["a@x"], [{ value: 5 }], [{ type: "work" }], [null]]) {
      expect(addresses(emails === undefined ? {} : { emails })).toEqual([]);
    }
  });
});
