import { chooseAction } from "../../../test/console/support/console.ts";
import type { View } from "./view.ts";

export const deletedViews: Record<string, View> = {
  deleted: { path: "/deleted" },
  "deleted-selection": {
    path: "/deleted",
    async prepare(page) {
      for (const row of [0, 2])
        await page
          .getByRole("row")
          .getByRole("checkbox")
          .nth(row + 1)
          .check();
    },
  },
  erase: {
    path: "/deleted",
    prepare: (page) => chooseAction(page, "Alan Turing", "Erase for good"),
  },
  restore: {
    path: "/deleted",
    prepare: (page) => chooseAction(page, "Alan Turing", "Restore"),
  },
};
