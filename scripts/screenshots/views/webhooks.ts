import type { Page } from "playwright-core";
import type { Delivery, DeliveryDetails, Webhook, WebhookWithSecret } from "../../../src/client/index.ts";
import { press } from "../../../test/console/support/console.ts";
import { problem, respond, respondJson } from "./responses.ts";
import type { View } from "./view.ts";

const MINUTE_MS = 60_000;
const at = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS).toISOString();

const webhook: Webhook = {
  id: 1,
  version: 1,
  url: "https://hooks.example.com/crm/roster/events",
  types: ["user.created", "user.updated", "key.*"],
  filter: 'department eq "sales"',
  description: "Keeps the CRM up to date",
  active: true,
  disabledReason: null,
  failingSince: null,
  createdAt: at(-60_000),
  updatedAt: at(-60_000),
  previousSecretUntil: null,
};

const deliveries: readonly Delivery[] = [
  {
    id: "00000000009",
    type: "user.updated",
    subject: { type: "user", id: 4993 },
    state: "waiting",
    attempts: [],
    nextAttemptAt: null,
  },
  {
    id: "00000000008",
    type: "user.updated",
    subject: { type: "user", id: 4993 },
    state: "waiting",
    attempts: [
      { time: at(-12), status: 503, durationMs: 81, error: "The receiver answered 503." },
      { time: at(-7), status: null, durationMs: 10_000, error: "The receiver did not answer in time." },
    ],
    nextAttemptAt: at(23),
  },
  {
    id: "00000000007",
    type: "key.created",
    subject: { type: "key", id: 5 },
    state: "waiting",
    attempts: [],
    nextAttemptAt: at(120),
  },
  {
    id: "00000000006",
    type: "user.created",
    subject: { type: "user", id: 4994 },
    state: "delivered",
    attempts: [{ time: at(-58), status: 204, durationMs: 12, error: null }],
    nextAttemptAt: null,
  },
  {
    id: "00000000005",
    type: "user.deleted",
    subject: { type: "user", id: 48 },
    state: "failed",
    attempts: Array.from({ length: 10 }, (_, index) => ({
      time: at(-5000 + index * 480),
      status: index === 9 ? 410 : 500,
      durationMs: 40 + index,
      error: index === 9 ? "The receiver answered 410." : "The receiver answered 500.",
    })),
    nextAttemptAt: null,
  },
];

async function showWebhook(page: Page, changes: Partial<Webhook> = {}): Promise<void> {
  await respondJson(page, "GET", "**/api/webhooks/1", { ...webhook, ...changes });
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
}

async function showDeliveries(page: Page): Promise<void> {
  await respondJson(page, "GET", "**/api/webhooks/1/deliveries?*", deliveries);
  await page.reload();
  await page.getByText("After an earlier event").waitFor();
}

/** Opens the details of a delivery that is not sent yet, failed or was delivered. */
async function showDelivery(page: Page, position: number, details: Partial<DeliveryDetails>): Promise<void> {
  const delivery = deliveries[position];
  await respondJson(page, "GET", "**/api/webhooks/1/deliveries/*", {
    ...delivery,
    request: null,
    response: null,
    storesResponses: true,
    ...details,
  });
  await showDeliveries(page);
  const button = page.getByRole("button", { name: /^Details of/ }).nth(position);
  await button.click();
  await button.evaluate((element) => element.scrollIntoView({ block: "start" }));
}

const request = {
  url: webhook.url,
  headers: {
    "content-type": "application/json",
    "user-agent": "Roster/1.0",
    "webhook-id": "00000000006",
    "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  },
  body: JSON.stringify({ type: "user.created", data: { id: 4994, name: "Ada Lovelace", tags: ["a", "b"] } }),
  exact: true,
};

const withSecret: WebhookWithSecret = { ...webhook, secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" };

async function createWebhook(page: Page): Promise<void> {
  await respondJson(page, "POST", "**/api/webhooks", withSecret);
  await press(page, "New webhook");
  await page.getByLabel("URL").fill(webhook.url);
  await page.getByLabel("Your key").fill("roster_key");
  await press(page, "Create webhook");
  await page.getByText(withSecret.secret).waitFor();
}

async function test(page: Page, result: object): Promise<void> {
  await respondJson(page, "POST", "**/api/webhooks/1/test", result);
  await press(page, "Send test");
  await page.getByRole("status").filter({ hasText: "test" }).waitFor();
}

const scrollTo = (page: Page, heading: string) =>
  page
    .getByRole("heading", { name: heading })
    .evaluate((element) => element.scrollIntoView({ block: "start" }));

const listViews: Record<string, View> = {
  webhooks: { path: "/webhooks" },
  "webhooks-menu": {
    path: "/webhooks",
    prepare: (page) =>
      page
        .getByRole("button", { name: /^Actions for / })
        .first()
        .click(),
  },
  "webhooks-empty": { path: "/webhooks", onEmptyService: true },
  "webhooks-loading": {
    path: "/webhooks",
    hold: "**/api/webhooks?*",
    prepare: (page) => page.getByRole("heading", { level: 1 }).waitFor(),
  },
  "webhooks-error": { path: "/webhooks", fail: "**/api/webhooks?*" },
};

const formViews: Record<string, View> = {
  "new-webhook": {
    path: "/webhooks",
    async prepare(page) {
      await page.getByRole("button", { name: "New webhook" }).click();
      await page.getByLabel("Only some types").check();
    },
  },
  "new-webhook-plain": { path: "/webhooks", prepare: (page) => press(page, "New webhook") },
  "new-webhook-missing": {
    path: "/webhooks",
    async prepare(page) {
      await press(page, "New webhook");
      await page.getByLabel("Only some types").check();
      await page.getByLabel("User created").uncheck();
      await press(page, "Create webhook");
      await page.getByText("Enter a URL").waitFor();
    },
  },
  "new-webhook-invalid": {
    path: "/webhooks",
    async prepare(page) {
      const rejection = problem(422, "invalid-webhook", "The webhook is not valid", "See `errors`.");
      const errors = [
        { pointer: "/url", detail: "Enter an https: URL, like https://hooks.example.com/roster." },
        { pointer: "/filter", detail: "Expected an operator such as eq at character 12." },
      ];
      await respond(page, "POST", "**/api/webhooks", {
        ...rejection,
        body: JSON.stringify({ ...JSON.parse(rejection.body), errors }),
      });
      await press(page, "New webhook");
      await page.getByLabel("URL").fill("ftp://hooks.example.com");
      await page.getByLabel("Filter").fill("department sales");
      await page.getByLabel("Your key").fill("roster_key");
      await press(page, "Create webhook");
      await page.getByText("Expected an operator").waitFor();
    },
  },
  "new-webhook-key": {
    path: "/webhooks",
    async prepare(page) {
      await press(page, "New webhook");
      await page.getByLabel("URL").fill(webhook.url);
      await press(page, "Create webhook");
      await page.getByText("Enter your key.").waitFor();
    },
  },
  "new-webhook-error": {
    path: "/webhooks",
    fail: "**/api/webhooks",
    async prepare(page) {
      await press(page, "New webhook");
      await page.getByLabel("URL").fill(webhook.url);
      await page.getByLabel("Your key").fill("roster_key");
      await press(page, "Create webhook");
      await page.getByRole("alert").waitFor();
    },
  },
  "edit-webhook": { path: "/webhooks/1", prepare: (page) => press(page, "Edit") },
  "webhook-secret": { path: "/webhooks", prepare: createWebhook },
  "webhook-secret-ask": {
    path: "/webhooks",
    async prepare(page) {
      await createWebhook(page);
      await page.keyboard.press("Escape");
      await page.getByRole("alertdialog").waitFor();
    },
  },
  "rotate-secret": { path: "/webhooks/1", prepare: (page) => press(page, "Rotate secret") },
  "rotate-secret-again": {
    path: "/webhooks/1",
    async prepare(page) {
      await showWebhook(page, { previousSecretUntil: at(600) });
      await press(page, "Rotate secret");
    },
  },
  "webhook-rotated": {
    path: "/webhooks/1",
    async prepare(page) {
      await respondJson(page, "POST", "**/api/webhooks/1/rotate*", withSecret);
      await press(page, "Rotate secret");
      await page.getByLabel("Your key").fill("roster_key");
      await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
      await page.getByText(withSecret.secret).waitFor();
    },
  },
  "delete-webhook": { path: "/webhooks/1", prepare: (page) => press(page, "Delete") },
  replay: { path: "/webhooks/1", prepare: (page) => press(page, "Send events again") },
  "replay-times": {
    path: "/webhooks/1",
    async prepare(page) {
      await press(page, "Send events again");
      await page.getByLabel("Time range").selectOption("Choose…");
      await press(page, "Send again");
      await page.getByText("Choose a time.").waitFor();
    },
  },
};

const pageViews: Record<string, View> = {
  webhook: {
    path: "/webhooks/1",
    async prepare(page) {
      await page.getByRole("button", { name: "Send test" }).click();
      await page.getByRole("status").filter({ hasText: "test" }).waitFor();
    },
  },
  "webhook-test-failed": {
    path: "/webhooks/1",
    prepare: (page) =>
      test(page, {
        delivered: false,
        status: null,
        durationMs: 10_000,
        error: "The receiver did not answer in time.",
      }),
  },
  "webhook-long": { path: "/webhooks/1", prepare: (page) => showWebhook(page) },
  "webhook-warning": {
    path: "/webhooks/1",
    prepare: (page) =>
      showWebhook(page, { failingSince: at(-1500), previousSecretUntil: at(600), filter: null }),
  },
  "webhook-disabled": { path: "/webhooks/3" },
  "webhook-gone": {
    path: "/webhooks/1",
    prepare: (page) => showWebhook(page, { active: false, disabledReason: "gone" }),
  },
  "no-webhook": { path: "/webhooks/999" },
  "webhook-loading": {
    path: "/webhooks/1",
    hold: "**/api/webhooks/1",
    prepare: (page) => page.getByRole("heading", { level: 1 }).waitFor(),
  },
  "webhook-error": { path: "/webhooks/1", fail: "**/api/webhooks/1" },
  "webhook-parts-loading": {
    path: "/webhooks/1",
    hold: "**/api/webhooks/1/*",
    prepare: (page) => page.getByRole("heading", { name: "Deliveries" }).scrollIntoViewIfNeeded(),
  },
  "webhook-parts-error": {
    path: "/webhooks/1",
    fail: "**/api/webhooks/1/*",
    prepare: (page) => scrollTo(page, "Success rate"),
  },
};

const deliveryViews: Record<string, View> = {
  "webhook-failing": {
    path: "/webhooks/2",
    prepare: (page) =>
      page
        .getByRole("button", { name: /^Details of/ })
        .first()
        .click(),
  },
  "success-rate": {
    path: "/webhooks/2",
    async prepare(page) {
      await page.getByLabel("Period").selectOption("Last 24 hours");
      await page.getByText("Show as table").click();
      await scrollTo(page, "Success rate");
    },
  },
  deliveries: {
    path: "/webhooks/1",
    async prepare(page) {
      await showDeliveries(page);
      await scrollTo(page, "Deliveries");
    },
  },
  "deliveries-menu": {
    path: "/webhooks/1",
    async prepare(page) {
      await showDeliveries(page);
      await scrollTo(page, "Deliveries");
      await page
        .getByRole("button", { name: /^Actions for / })
        .nth(1)
        .click();
    },
  },
  "deliveries-none": {
    path: "/webhooks/1",
    async prepare(page) {
      await page.getByLabel("State").selectOption("Failed");
      await page.getByText("No delivery is in this state.").scrollIntoViewIfNeeded();
    },
  },
  "deliveries-empty": {
    path: "/webhooks/3",
    async prepare(page) {
      await respondJson(page, "GET", "**/api/webhooks/3/deliveries?*", []);
      await page.reload();
      await page.getByText("Nothing was sent").scrollIntoViewIfNeeded();
    },
  },
  "delivery-waiting": { path: "/webhooks/1", prepare: (page) => showDelivery(page, 0, {}) },
  "delivery-retried": {
    path: "/webhooks/1",
    prepare: (page) => showDelivery(page, 1, { request: { ...request, exact: false } }),
  },
  "delivery-delivered": {
    path: "/webhooks/1",
    prepare: (page) =>
      showDelivery(page, 3, {
        request,
        response: { time: deliveries[3]?.attempts[0]?.time ?? "", body: '{"ok":true}', cut: true },
      }),
  },
  "delivery-response": {
    path: "/webhooks/1",
    async prepare(page) {
      await showDelivery(page, 3, {
        request,
        response: { time: deliveries[3]?.attempts[0]?.time ?? "", body: '{"ok":true}', cut: true },
      });
      await page.getByRole("heading", { name: "Response" }).scrollIntoViewIfNeeded();
      await page.getByText("Only the first 4 KiB").scrollIntoViewIfNeeded();
    },
  },
  "delivery-failed": { path: "/webhooks/1", prepare: (page) => showDelivery(page, 4, {}) },
  "delivery-error": {
    path: "/webhooks/1",
    async prepare(page) {
      await showDelivery(page, 3, {});
      await page.route("**/api/webhooks/1/deliveries/*", (route) => route.fulfill({ status: 500 }));
      await showDeliveries(page);
      await page
        .getByRole("button", { name: /^Details of/ })
        .nth(3)
        .click();
      await page.getByRole("alert").scrollIntoViewIfNeeded();
    },
  },
};

export const webhooksViews: Record<string, View> = {
  ...listViews,
  ...formViews,
  ...pageViews,
  ...deliveryViews,
};
