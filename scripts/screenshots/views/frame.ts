import type { View } from "./view.ts";

export const frameViews: Record<string, View> = {
  connect: { path: "/connect" },
  overview: { path: "/", prepare: (page) => page.getByRole("img").last().waitFor() },
  palette: {
    path: "/users",
    async prepare(page) {
      await page.locator("tbody tr").first().waitFor();
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("combobox", { name: "Find a user, a view or an action" }).fill("an");
      await page.getByRole("option").first().waitFor();
    },
  },
  "sign-in": { path: "/users", as: "nobody" },
};
