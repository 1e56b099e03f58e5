import type { Page } from "playwright-core";
import { problem, respond, respondJson } from "./responses.ts";
import type { View } from "./view.ts";

const showDetails = (page: Page, sentence: string | RegExp) =>
  page
    .getByRole("listitem")
    .filter({ hasText: sentence })
    .last()
    .getByRole("button", { name: "Show details" })
    .click();

const newEvent = {
  type: "user.created",
  subject: { type: "user", id: 1 },
  actor: { type: "key", id: 2, name: "Console" },
  version: 1,
  changes: {},
  record: { name: "Ada Lovelace" },
  requestId: null,
};

export const activityViews: Record<string, View> = {
  activity: {
    path: "/activity",
    async prepare(page) {
      await page.getByRole("button", { name: "Show details" }).first().click();
    },
  },
  "activity-list": { path: "/activity" },
  "activity-change": {
    path: "/activity?subject=user%3A4993",
    prepare: (page) => showDetails(page, "changed"),
  },
  "activity-deleted": {
    path: "/activity?type=user.deleted",
    async prepare(page) {
      const events = page.getByRole("button", { name: /^Show [\d,]+ events$/ });
      await page
        .getByRole("button", { name: /^Show (details|[\d,]+ events)$/ })
        .first()
        .waitFor();
      if (await events.first().isVisible()) await events.first().click();
      await page.getByRole("button", { name: "Show details" }).first().click();
    },
  },
  "activity-burst": {
    path: "/activity?type=user.created",
    async prepare(page) {
      await page
        .getByRole("button", { name: /^Show [\d,]+ events$/ })
        .first()
        .click();
      await page.getByRole("button", { name: "Hide events" }).scrollIntoViewIfNeeded();
    },
  },
  "activity-end": {
    path: "/activity",
    prepare: (page) => page.locator(".feed-rest").scrollIntoViewIfNeeded(),
  },
  "activity-filtered": { path: "/activity?type=user.updated&within=24h&subject=user%3A4993" },
  "activity-days": {
    path: "/activity?from=2026-01-01",
    prepare: (page) => page.getByRole("heading", { level: 1 }).waitFor(),
  },
  "activity-user": {
    path: "/activity",
    prepare: (page) => page.getByLabel("User", { exact: true }).fill("grace"),
  },
  "activity-nothing": { path: "/activity?type=webhook.disabled" },
  "activity-empty": {
    path: "/activity",
    async prepare(page) {
      await respondJson(page, "GET", "**/api/events?*", []);
      await page.reload();
      await page.getByRole("heading", { level: 2 }).waitFor();
    },
  },
  "activity-new": {
    path: "/activity",
    async prepare(page) {
      const time = new Date().toISOString();
      await page.route("**/api/events?*wait=*", (route) =>
        route.request().url().includes("zzzzzzzzz")
          ? undefined
          : route.fulfill({
              json: [1, 2, 3].map((number) => ({ ...newEvent, id: `zzzzzzzzzz${number}`, time })),
            }),
      );
      await page.reload();
      await page.getByRole("button", { name: /new events/ }).waitFor();
    },
  },
  "activity-stopped": {
    path: "/activity",
    async prepare(page) {
      const response = problem(410, "events-expired", "Events have expired", "They are no longer kept.");
      await respond(page, "GET", "**/api/events?*wait=*", response);
      await page.reload();
      await page.getByRole("button", { name: "Refresh" }).waitFor();
    },
  },
  "activity-loading": {
    path: "/activity",
    hold: "**/api/events?*",
    prepare: (page) => page.getByRole("status").first().waitFor({ state: "attached" }),
  },
  "activity-error": { path: "/activity", fail: "**/api/events?*" },
};
