import type { Page } from "playwright-core";
import type { View } from "./view.ts";

const csv = `Full name;E-mail;Department;Start
Grace Hopper;grace@example.com;Compilers;1952
"Hamilton, Margaret";margaret@;Guidance;1963
Katherine Johnson;katherine@example.com;Trajectories;n/a
;dorothy@example.com;Computing;1943
Annie Easley;annie@example.com;Rockets;1955
${Array.from({ length: 235 }, (_, index) => `Member ${index};member${index}@example.com;Rockets;${1960 + (index % 9)}\n`).join("")}`;

const chooseCsv = (page: Page) =>
  page
    .locator("input[type=file]")
    .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });

export const importViews: Record<string, View> = {
  import: { path: "/import" },
  "import-columns": { path: "/import", prepare: chooseCsv },
  "import-check": {
    path: "/import",
    async prepare(page) {
      await chooseCsv(page);
      await page.getByRole("button", { name: "Check 240 rows" }).click();
      await page.getByRole("heading", { name: /can be imported/ }).waitFor();
    },
  },
};
