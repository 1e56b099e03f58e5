import { afterAll, beforeAll, expect, test } from "bun:test";
import { databaseOn } from "../support/engines.ts";
import { recordDelivery } from "../support/record-delivery.ts";
import { startServiceOn, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { type Receiver, startReceiver } from "../webhooks/support/receiver.ts";
import { mountConsole } from "./support/dom/mount-console.ts";

let database: Awaited<ReturnType<typeof databaseOn>>;
let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  database = await databaseOn("sqlite");
  service = await startServiceOn(database.url, { webhookPrivate: "allow", webhookStoreResponses: "on" });
  receiver = startReceiver();
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
  await database.drop();
});

test("an open delivery shows the request, and the response as text, never as HTML", async () => {
  const { users, webhooks } = service.roster;
  const { id: userId } = await users.create({ name: "Ada Lovelace" });
  const { id } = await webhooks.create({ url: "https://hooks.example.com/", types: ["*"], active: false });
  const body = "<img src=x onerror=alert(1)>\n<b>Upgrading</b>";
  await recordDelivery(database.url, { webhookId: id, userId, body });
  await using opened = await mountConsole({ service, path: `/webhooks/${id}` });
  const { page, window, errors } = opened;
  await page.getByText("Ada Lovelace").waitFor();
  await page.getByRole("button", { name: /^Details of/ }).click();
  await page.getByRole("heading", { name: "Response" }).waitFor();
  const texts = await page.locator(".delivery-text > pre").allTextContents();
  expect(texts[0]).toStartWith('{\n  "type": "user.created",');
  expect(texts[0]).toContain('"name": "Ada Lovelace"');
  expect(texts[1]).toBe(body);
  expect(window.document.querySelectorAll(".delivery-text img, .delivery-text b")).toHaveLength(0);
  await page.getByText("Status 500").first().waitFor();
  await page.getByText("Only the first 4 KiB are stored.").waitFor();
  // The attempt was not made by this service.
  await page.getByText(/^Something has changed since the attempt/).waitFor();
  expect(errors).toEqual([]);
});

test("deliveries are filtered by state, and a waiting one can be sent now", async () => {
  const { users, webhooks } = service.roster;
  const { id } = await webhooks.create({ url: receiver.url, types: ["user.*"] });
  const { id: userId } = await users.create({ name: "Grace Hopper" });
  await until(() => receiver.received.length === 1);
  receiver.respond = () => new Response("secret of the network", { status: 503 });
  await users.update(userId, { level: 1 });
  await until(async () => (await webhooks.deliveries(id, { state: "waiting" }).all()).length === 1);
  await until(async () => (await webhooks.deliveries(id, { state: "delivered" }).all()).length === 1);
  await using opened = await mountConsole({ service, path: `/webhooks/${id}` });
  const { page, window, errors } = opened;
  await page.getByText("User created").waitFor();
  await page.getByText("50% of 2 attempts accepted").first().waitFor();
  // Tab reaches the links of one line.
  expect(await page.locator("tbody a").count()).toBe(2);
  expect(await page.locator("tbody a[tabindex='0']").count()).toBe(1);
  await page.getByLabel("State").selectOption("Waiting");
  expect(window.location.search).toBe("?state=waiting");
  await page.getByText("User created").waitFor({ state: "detached" });
  await page.getByText("Grace Hopper").waitFor();
  await page.getByRole("button", { name: /^Details of/ }).click();
  await page.getByText("As it was sent, without traceparent.").waitFor();
  await page.getByText(/^No response is stored\./).waitFor();
  receiver.respond = () => new Response(null, { status: 204 });
  await page.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Send now" }).click();
  await page.getByText("The event is sent now").first().waitFor();
  await until(async () => (await webhooks.deliveries(id, { state: "delivered" }).all()).length === 2);
  await page.getByText("67% of 3 attempts accepted").first().waitFor();
  expect(errors).toEqual([]);
});

test("a user who is purged is shown by the id", async () => {
  const { users, webhooks } = service.roster;
  const { id } = await webhooks.create({ url: "https://hooks.example.com/", types: ["*"], active: false });
  const { id: userId } = await users.create({ name: "Edsger Dijkstra" });
  await recordDelivery(database.url, { webhookId: id, userId, body: "Edsger" });
  await users.delete(userId, { purge: true });
  await using opened = await mountConsole({ service, path: `/webhooks/${id}` });
  const { page } = opened;
  await page.getByText(`User ${userId}`).waitFor();
  await page.getByRole("button", { name: /^Details of/ }).click();
  await page.getByText(/A purge of the user erases them\.$/).waitFor();
  expect(await page.getByText(/Edsger/).count()).toBe(0);
});
