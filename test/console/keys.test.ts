import { afterAll, beforeAll, expect, test } from "bun:test";
import { createClient } from "../../src/client/index.ts";
import type { Scope } from "../../src/contract/keys/key.ts";
import { openAs as signInAs } from "./support/dom/open-as.ts";
import { type ServiceWithKeys, startServiceWithKeys } from "./support/service-with-keys.ts";

let started: ServiceWithKeys;
beforeAll(async () => {
  started = await startServiceWithKeys();
});
afterAll(() => started?.[Symbol.asyncDispose]());

/** Signs in with a new key. */
const openAs = (scopes: readonly Scope[], path = "/keys") => signInAs(started, scopes, path);

test("a new key asks for the own key first, and offers the scopes that this key can grant", async () => {
  await using opened = await openAs(["users:read", "keys:manage"]);
  const { page } = opened;
  const dialog = page.getByRole("dialog").and(page.locator(".modal"));
  await page.getByRole("button", { name: "New key", exact: true }).click();
  expect(await dialog.getByLabel("Name", { exact: true }).count()).toBe(0);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("Enter your key.").waitFor();
  // Another key than that of the session may have more scopes.
  await dialog.getByLabel("Your key").fill(` ${started.key} `);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByLabel("Name", { exact: true }).fill("deploy");
  await dialog.getByRole("checkbox", { name: "Edit users" }).check();
  await dialog.getByRole("button", { name: "Create key" }).click();
  const secret = await dialog.getByText(/^roster_/).textContent();
  const made = createClient({ baseUrl: started.service.url, apiKey: secret });
  expect((await made.users.create({ name: "Ada" })).name).toBe("Ada");
  expect((await started.roster.keys.list().all()).at(-1)).toMatchObject({
    name: "deploy",
    scopes: ["users:read", "users:write"],
  });
});

const everyView = [
  "Overview",
  "Users",
  "Import",
  "Activity",
  "Deleted users",
  "Schema",
  "Keys",
  "Webhooks",
  "Provisioning",
  "Connect",
];
for (const [scopes, hidden] of [
  [["users:read"], ["Import", "Activity", "Keys", "Webhooks"]],
  [["users:write"], ["Overview", "Activity", "Deleted users", "Schema", "Keys", "Webhooks"]],
  [["keys:manage"], ["Overview", "Users", "Import", "Activity", "Deleted users", "Schema", "Webhooks"]],
  [
    ["schema:manage", "webhooks:manage"],
    ["Overview", "Users", "Import", "Activity", "Deleted users", "Keys"],
  ],
] as const) {
  test(`a key with ${scopes.join(" and ")} sees only the views that it can use`, async () => {
    await using opened = await openAs(scopes, "/connect");
    const links = opened.page.getByRole("navigation", { name: "Views" }).locator(".view-link");
    const shown = everyView.filter((name) => !hidden.some((each) => each === name));
    expect(await links.allTextContents()).toEqual([...shown, "API reference"]);
  });
}

test("the address of a view names the scope that it needs", async () => {
  await using opened = await openAs(["keys:manage"]);
  for (const [path, title, needed] of [
    ["/", "Overview", "users:read"],
    ["/users", "Users", "users:read or users:write"],
    ["/users/1", "Users", "users:read or users:write"],
    ["/import", "Import", "users:write or groups:write"],
    ["/activity", "Activity", "events:read"],
    ["/deleted", "Deleted users", "users:read"],
    ["/schema", "Schema", "users:read or schema:manage"],
    ["/webhooks/1", "Webhooks", "webhooks:manage"],
  ] as const) {
    opened.open(path);
    await opened.page.getByRole("heading", { name: title, level: 1 }).waitFor();
    await opened.page.getByText(`This needs a key with the scope ${needed}.`).waitFor();
  }
});
