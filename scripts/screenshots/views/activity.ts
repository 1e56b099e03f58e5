import type { View } from "./view.ts";

export const activityViews: Record<string, View> = {
  activity: {
    path: "/activity",
    async prepare(page) {
      await page.getByRole("button", { name: "Show details" }).first().click();
    },
  },
  "activity-filtered": { path: "/activity?type=user.updated&within=24h&subject=user%3A4993" },
  "activity-nothing": { path: "/activity?type=webhook.disabled" },
};
