import { chooseAction } from "../../../test/console/support/console.ts";
import type { View } from "./view.ts";

export const keysViews: Record<string, View> = {
  keys: { path: "/keys" },
  "new-key": { path: "/keys", prepare: (page) => page.getByRole("button", { name: "New key" }).click() },
  "key-usage": {
    path: "/keys",
    async prepare(page) {
      await chooseAction(page, "Billing", "Usage");
      await page.getByRole("dialog").getByRole("img").waitFor();
    },
  },
  "revoke-key": {
    path: "/keys",
    prepare: (page) => chooseAction(page, "Billing", "Revoke"),
  },
};
