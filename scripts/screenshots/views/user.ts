import type { View } from "./view.ts";

export const userViews: Record<string, View> = {
  user: { path: "/users/4993", prepare: (page) => page.getByText("created this user").waitFor() },
  "user-edited": {
    path: "/users/4993",
    prepare: (page) => page.getByRole("textbox", { name: "Name", exact: true }).fill("Somebody Else"),
  },
  "no-user": { path: "/users/99999" },
  history: {
    path: "/users/4993",
    async prepare(page) {
      await page.getByRole("button", { name: "Show details" }).first().click();
      await page.getByRole("button", { name: "Hide details" }).scrollIntoViewIfNeeded();
    },
  },
};
