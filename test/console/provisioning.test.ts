import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createClient } from "../../src/client/index.ts";
import { type Scope, scopeGroups } from "../../src/contract/keys/key.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { type MountedConsole, mountConsole } from "./support/dom/mount-console.ts";
import { openAs as signInAs } from "./support/dom/open-as.ts";
import { type ServiceWithKeys, startServiceWithKeys } from "./support/service-with-keys.ts";

let started: ServiceWithKeys;
beforeAll(async () => {
  started = await startServiceWithKeys();
});
afterAll(() => started?.[Symbol.asyncDispose]());

const path = "/provisioning";
const openAs = (granted: readonly Scope[]) => signInAs(started, granted, path);
const baseUrl = ({ page }: Pick<MountedConsole, "page">) => page.locator(".connect-address code");
const rows = ({ page }: Pick<MountedConsole, "page">) =>
  page.getByRole("grid", { name: "Keys for provisioning" }).locator("tr[data-index] .list-name");

describe("the view of provisioning", () => {
  test("creates a key with the scopes of SCIM and shows it once, then its use", async () => {
    await using opened = await openAs(["users:read", "keys:manage"]);
    const { page } = opened;
    await rows(opened).first().waitFor();
    await page.getByRole("tab", { name: "Okta" }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog").and(page.locator(".modal"));
    await dialog.getByLabel("Your key").fill(started.key);
    await dialog.getByRole("button", { name: "Continue" }).click();
    expect(await dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("Okta");
    await dialog.getByRole("checkbox", { name: "Edit groups", checked: true }).waitFor();
    await dialog.getByRole("button", { name: "Create key" }).click();
    const secret = await dialog.getByText(/^roster_/).textContent();
    const created = (await started.roster.keys.list().all()).at(-1);
    expect(created).toMatchObject({ name: "Okta", scopes: [...scopeGroups.scim] });

    const response = await started.service.call("/scim/v2/Users", {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(response.status).toBe(200);
    await dialog.getByRole("button", { name: "I've saved it" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByText(secret).count()).toBe(0);
    // The key with all scopes can provision, too.
    expect(await rows(opened).allTextContents()).toEqual(["Okta", "first"]);
  });

  test("lists the active keys that can provision, with their use and links to them", async () => {
    const { keys } = started.roster;
    const entra = await keys.create({ name: "Entra", scopes: [...scopeGroups.scim] });
    await keys.create({ name: "No groups", scopes: ["users:read", "users:write"] });
    const old = await keys.create({ name: "Old provider", scopes: [...scopeGroups.scim] });
    await keys.revoke(old.id);
    await createClient({ baseUrl: started.service.url, apiKey: entra.key }).users.list().page();
    // The use of a key is stored after the response, and the view reads it once.
    await until(async () => (await keys.get(entra.id)).lastUsedAt !== null);
    await using opened = await openAs(["users:read", "users:write", "keys:manage"]);
    const { page, window } = opened;
    const row = page.getByRole("row", { name: "Entra" });
    await row.getByText("1 request in the last 30 days").waitFor();
    const shown = await rows(opened).allTextContents();
    expect(shown).toContain("Entra");
    expect(shown).not.toContain("No groups");
    expect(shown).not.toContain("Old provider");
    await row.getByRole("button", { name: "Actions for Entra" }).click();
    await page.getByRole("menuitem", { name: "Usage" }).click();
    await page.getByRole("dialog", { name: "Usage of Entra" }).getByRole("button", { name: "Close" }).click();
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
    expect(window.location.search).toBe(`?q=${entra.prefix}`);
    await page.getByRole("grid", { name: "Keys" }).locator(".list-name").first().waitFor();
    const keyNames = page.getByRole("grid", { name: "Keys" }).locator(".list-name");
    expect(await keyNames.allTextContents()).toEqual(["Entra"]);
    await page.getByRole("searchbox").fill("first");
    await until(async () => (await keyNames.allTextContents()).join() === "first");
    expect(window.location.search).toBe(`?q=${entra.prefix}`);
  });

  test("says which scopes the own key cannot grant", async () => {
    const own = await started.roster.keys.create({ name: "own", scopes: ["users:read", "keys:manage"] });
    await using opened = await openAs(["keys:manage"]);
    const { page } = opened;
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog").and(page.locator(".modal"));
    await dialog.getByLabel("Your key").fill(own.key);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByText("Provisioning needs the scopes to read and edit users and groups.").waitFor();
  });

  test("shows where to enter what at each provider", async () => {
    await using opened = await openAs(["users:read"]);
    const { page, service } = opened;
    await page.getByText("use the command on the machine").waitFor();
    expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
    for (const [provider, address, token] of [
      ["Entra ID", "Tenant URL", "Secret Token"],
      ["Okta", "SCIM connector base URL", "Authorization"],
      ["OneLogin", "SCIM Base URL", "SCIM Bearer Token"],
      ["JumpCloud", "Base URL", "Token Key"],
      ["Other", "Base URL", "Token"],
    ] as const) {
      await page.getByRole("tab", { name: provider }).click();
      const panel = page.getByRole("tabpanel", { name: provider });
      await panel.waitFor();
      const labels = await panel.locator("dt").allTextContents();
      expect(labels[0]).toBe(address);
      expect(labels).toContain(token);
      expect(await panel.locator("dd code").first().textContent()).toBe(`${service.url}/scim/v2`);
    }
  });

  test("has a command that asks for a user that does not exist", async () => {
    await using opened = await openAs(["users:read"]);
    const command = await opened.page.locator('[data-snippet="scim"] code').textContent();
    expect(command).toContain(`${started.service.url}/scim/v2/Users`);
    expect(command).not.toContain(opened.key);
    const env = { ...process.env, ROSTER_API_KEY: opened.key };
    const child = Bun.spawn(["sh", "-c", `${command} -sS`], { env, stdout: "pipe" });
    expect(await new Response(child.stdout).json()).toMatchObject({ totalResults: 0 });
  });
});

describe("the base URL", () => {
  test("is that of the public URL, with no warning if it has https", async () => {
    const service = await startService({ publicUrl: "https://roster.example" });
    await using opened = await mountConsole({ service, path });
    await baseUrl(opened).waitFor();
    expect(await baseUrl(opened).textContent()).toBe("https://roster.example/scim/v2");
    expect(await opened.page.locator(".warning").count()).toBe(0);
    expect(opened.errors).toEqual([]);
    await service.stop();
  });

  test("comes with a warning if it is not encrypted, or only for this machine", async () => {
    const service = await startService({ publicUrl: "http://roster.example" });
    await using opened = await mountConsole({ service, path });
    await opened.page.getByText("This address is not encrypted").waitFor();
    await service.stop();
    await using local = await openAs(["users:read"]);
    await local.page.getByText("Only programs on this machine reach this address.").waitFor();
  });
});

test("without a key, the view asks for a first key with every scope", async () => {
  await using opened = await mountConsole({ path });
  const { page } = opened;
  expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
  await page.getByRole("link", { name: "Create the first key" }).click();
  const dialog = page.getByRole("dialog", { name: "New key" });
  await dialog.getByRole("checkbox", { name: "Manage keys", checked: true }).waitFor();
  expect(opened.errors).toEqual([]);
});

test("with authentication off, the view warns, and has the command that creates a key", async () => {
  const service = await startService({ auth: "off" });
  await using opened = await mountConsole({ service, path });
  await opened.page.getByText("This service requires no key").waitFor();
  await opened.page.getByText("roster keys create --name entra --scope scim").waitFor();
  expect(opened.errors).toEqual([]);
  await service.stop();
});

test("with SCIM off, the view says so, and how to turn it on", async () => {
  const service = await startService({ scim: "off" });
  await using opened = await mountConsole({ service, path });
  await opened.page.getByRole("heading", { name: "SCIM is turned off" }).waitFor();
  await opened.page.getByText("Start it without ROSTER_SCIM=off.").waitFor();
  expect(await opened.page.getByRole("tab", { name: "Okta" }).count()).toBe(0);
  await service.stop();
});
