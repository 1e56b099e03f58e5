import type { View } from "./view.ts";

export const schemaViews: Record<string, View> = {
  schema: { path: "/schema" },
  "schema-check": {
    path: "/schema",
    async prepare(page) {
      await page.getByRole("listitem", { name: "plan" }).getByLabel("Required").check();
      await page.getByRole("button", { name: "Check and save" }).click();
      await page.getByText("would not conform").waitFor();
    },
  },
  "schema-json": { path: "/schema", prepare: (page) => page.getByText("JSON", { exact: true }).click() },
  versions: {
    path: "/schema",
    async prepare(page) {
      await page.getByRole("button", { name: "Show versions" }).click();
      await page.getByRole("list", { name: "Versions of the schema" }).scrollIntoViewIfNeeded();
    },
  },
  violations: {
    path: "/schema",
    async prepare(page) {
      await page.getByRole("button", { name: "Find users" }).click();
      await page.getByRole("list", { name: "Users that do not conform" }).scrollIntoViewIfNeeded();
    },
  },
};
