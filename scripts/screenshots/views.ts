import type { Page } from "playwright-core";
import { chooseAction } from "../../test/console/support/console.ts";

export interface View {
  readonly path: string;
  /** Steps before the screenshot. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  readonly signedOut?: boolean;
}

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

/** The views, by the name of their pictures. */
export const views: Record<string, View> = {
  users: { path: "/users", prepare: (page) => page.locator("tbody tr").nth(5).waitFor() },
  search: {
    path: "/users?q=an&plan=team&sort=name",
    prepare: (page) => page.locator("tbody tr").nth(1).waitFor(),
  },
  "no-matches": {
    path: "/users?q=nobody%20at%20all",
    prepare: (page) => page.getByText("No matching users").waitFor(),
  },
  "filter-fields": {
    path: "/users",
    async prepare(page) {
      await page.getByRole("button", { name: "Filter", exact: true }).click();
      await page.getByRole("option", { name: "plan" }).waitFor();
    },
  },
  "filter-values": {
    path: "/users?plan=team",
    async prepare(page) {
      await page.getByRole("button", { name: "plan is team", exact: true }).click();
      await page.getByRole("checkbox", { name: "team", checked: true }).waitFor();
    },
  },
  "filter-expression": {
    path: "/users",
    async prepare(page) {
      await page.getByRole("button", { name: "Filter", exact: true }).click();
      await page.getByRole("button", { name: "Filter expression" }).click();
      await page.getByRole("textbox", { name: "Filter expression" }).fill("plan is team");
      await page.getByRole("button", { name: "Apply expression" }).click();
      await page.getByText("The invalid part is marked").waitFor();
    },
  },
  "saved-lists": {
    path: "/users?plan=team&sort=name",
    async prepare(page) {
      await page.getByRole("button", { name: "Lists" }).click();
      await page.getByRole("menuitem", { name: "Save current list" }).click();
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Team plan by name");
      await page.getByRole("button", { name: "Save list" }).click();
      await page.getByRole("button", { name: "List: Team plan by name" }).click();
    },
  },
  user: { path: "/users/4993", prepare: (page) => page.getByText("created this user").waitFor() },
  "user-edited": {
    path: "/users/4993",
    prepare: (page) => page.getByRole("textbox", { name: "Name", exact: true }).fill("Somebody Else"),
  },
  "no-user": { path: "/users/99999" },
  "user-drawer": {
    path: "/users",
    async prepare(page) {
      await page.locator("tbody tr").nth(2).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "new-user": { path: "/users/new", prepare: (page) => page.getByRole("dialog").waitFor() },
  selection: {
    path: "/users",
    async prepare(page) {
      for (const row of [1, 2, 4]) await page.locator("tbody tr").nth(row).getByRole("checkbox").check();
    },
  },
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
  activity: {
    path: "/activity",
    async prepare(page) {
      await page.getByRole("button", { name: "Show details" }).first().click();
    },
  },
  "activity-filtered": { path: "/activity?type=user.updated&within=24h&subject=user%3A4993" },
  "activity-nothing": { path: "/activity?type=webhook.disabled" },
  history: {
    path: "/users/4993",
    async prepare(page) {
      await page.getByRole("button", { name: "Show details" }).first().click();
      await page.getByRole("button", { name: "Hide details" }).scrollIntoViewIfNeeded();
    },
  },
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
  "sign-in": { path: "/users", signedOut: true },
};
