import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { verifyWebhook } from "../../src/client/verify-webhook.ts";
import { startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { until } from "../support/until.ts";
import { type Receiver, startReceiver } from "../webhooks/support/receiver.ts";
import { chooseAction, openConsole, press, waitForToast } from "./support/console.ts";
import { findSecret } from "./support/service-with-keys.ts";
import { expectAccessible, openSharedPage, type SharedPage } from "./support/shared-page.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();

let shared: SharedPage;
let receiver: Receiver;
beforeAll(async () => {
  receiver = startReceiver();
  // PostgreSQL: deliveries depend on leases in the database.
  shared = await openSharedPage("/webhooks", { webhookPrivate: "allow" }, "postgres");
}, 120_000);
afterAll(async () => {
  await shared[Symbol.asyncDispose]();
  await receiver.stop();
});

const dialog = () => shared.page.getByRole("dialog");
const deliveries = () => shared.page.getByRole("grid", { name: "Deliveries" }).locator("tbody > tr");

test("creates a webhook, shows its secret once, and sends events signed with it", async () => {
  const { page, key, roster, errors } = shared;
  await page.getByText("No webhooks yet").waitFor();
  await press(page, "New webhook");
  await dialog().getByRole("button", { name: "Create webhook" }).click();
  await dialog().getByText("Enter a URL").waitFor();
  await dialog().getByLabel("URL").fill(receiver.url);
  await dialog().getByLabel("Description").fill("The CRM");
  await dialog().getByLabel("Only some types").check();
  await dialog().getByLabel("User changed").check();
  await expectAccessible(page);
  await dialog().getByLabel("Your key").fill(key);
  await page.keyboard.press("Enter");
  await dialog()
    .getByText(/^whsec_/)
    .waitFor();
  const secret =
    (await dialog()
      .getByText(/^whsec_/)
      .textContent()) ?? "";
  await dialog().getByRole("button", { name: "I've saved it" }).click();
  await page.waitForURL(/\/webhooks\/1$/);
  expect(await findSecret(page, secret)).toEqual([]);
  await page.getByText("Nothing was sent in the last 7 days.").waitFor();

  await roster.users.create({ name: "Ada" });
  await deliveries().getByText("User created").waitFor();
  await deliveries().getByText("Status 204").waitFor();
  const [delivery] = receiver.received;
  if (!delivery) throw new Error("Nothing was delivered.");
  const { body, headers } = delivery;
  expect((await verifyWebhook({ body, headers }, secret)).type).toBe("user.created");
  await expectAccessible(page);
  expect(errors).toEqual([]);
});

test("tests a webhook, and shows the attempts of a delivery that fails", async () => {
  const { page, roster } = shared;
  await press(page, "Send test");
  await page.getByText("The receiver accepted the test.").waitFor();
  receiver.respond = () => new Response(null, { status: 503 });
  await press(page, "Send test");
  await page.getByText("The test failed.").waitFor();
  await roster.users.update(1, { level: 1 });
  const failing = deliveries().filter({ hasText: "User changed" });
  await failing.getByText("Status 503").first().waitFor();
  await failing.getByText("Waiting").waitFor();
  await failing.getByText(/^in |^now$/).waitFor();
  await failing.getByRole("button", { name: "Details of User changed · User 1" }).press("Enter");
  await page.getByRole("cell", { name: "The receiver answered 503." }).first().waitFor();
  await page.getByRole("heading", { name: "Response" }).waitFor();
  await expectAccessible(page);
  receiver.respond = () => new Response(null, { status: 204 });
});

test("sends one event again, and all events of a time range", async () => {
  const { page } = shared;
  const countOf = (type: string) =>
    receiver.received.filter(({ body }) => body.startsWith(`{"type":"${type}"`)).length;
  await chooseAction(page, "User created · User 1", "Send again");
  await waitForToast(page, "The event is sent again");
  await until(() => countOf("user.created") === 2);
  await press(page, "Send events again");
  await dialog().getByRole("button", { name: "Send again" }).click();
  await waitForToast(page, "Events are being sent again");
  await until(() => countOf("user.created") === 3);
});

test("changes, disables, activates, rotates and deletes a webhook", async () => {
  const { page, key, roster } = shared;
  await press(page, "Edit");
  await dialog().getByRole("radio", { name: "All user events" }).check();
  expect(await dialog().getByLabel("Your key").count()).toBe(0);
  await dialog().getByRole("button", { name: "Save" }).click();
  await waitForToast(page, "Webhook saved");
  await press(page, "Disable");
  await page.getByText("This webhook is disabled").waitFor();
  expect(await roster.webhooks.get(1)).toMatchObject({ active: false, types: ["user.*"] });
  await press(page, "Activate");
  await waitForToast(page, "Webhook activated");
  await press(page, "Rotate secret");
  await dialog().getByLabel("Your key").fill(key);
  await dialog().getByRole("button", { name: "Rotate secret" }).click();
  await dialog()
    .getByText(/^whsec_/)
    .waitFor();
  await dialog().getByRole("button", { name: "I've saved it" }).click();
  await page.getByText("Deliveries are signed with the old secret too").waitFor();
  await press(page, "Delete");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No webhooks yet").waitFor();
  expect(await roster.webhooks.list().all()).toEqual([]);
});

test("names the missing scope", async () => {
  const { browser, service, roster } = shared;
  const { key } = await roster.keys.create({ name: "reader", scopes: ["users:read"] });
  await using opened = await openConsole(browser, { service, path: "/webhooks", key });
  await opened.page.getByText("This needs a key with the scope webhooks:manage.").waitFor();
});
