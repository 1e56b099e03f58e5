import type { View } from "./view.ts";

export const webhooksViews: Record<string, View> = {
  webhooks: { path: "/webhooks" },
  "new-webhook": {
    path: "/webhooks",
    async prepare(page) {
      await page.getByRole("button", { name: "New webhook" }).click();
      await page.getByLabel("Only some types").check();
    },
  },
  webhook: {
    path: "/webhooks/1",
    async prepare(page) {
      await page.getByRole("button", { name: "Send test" }).click();
      await page.getByRole("status").filter({ hasText: "test" }).waitFor();
    },
  },
  "webhook-failing": {
    path: "/webhooks/2",
    prepare: (page) =>
      page
        .getByRole("button", { name: /^Details of/ })
        .first()
        .click(),
  },
};
