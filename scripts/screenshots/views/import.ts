import type { Page } from "playwright-core";
import type { View } from "./view.ts";

const head = "Full name;E-mail;Department;Start\n";
const members = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join("");
const cleanRows = (count: number) =>
  members(count, (index) => `Member ${index};member${index}@example.com;Rockets;${1960 + (index % 9)}\n`);

const csv = `${head}Grace Hopper;grace@example.com;Compilers;1952
"Hamilton, Margaret";margaret@;Guidance;1963
Katherine Johnson;katherine@example.com;Trajectories;n/a
;dorothy@example.com;Computing;1943
Annie Easley;annie@example.com;Rockets;1955
${cleanRows(235)}`;
const cleanCsv = head + cleanRows(240);
/** Several requests. */
const longCsv = head + cleanRows(9000);
const json = JSON.stringify([
  {
    name: "Grace Hopper",
    email: "grace@example.com",
    languages: ["COBOL"],
    address: { city: "Arlington" },
    rank: 1,
  },
  { name: "Annie Easley", email: "annie@example.com", rank: "second", languages: null },
  { email: "nobody@example.com", rank: 3 },
]);
const wideCsv = `first_name,last name,Mail,Password,Date of the last payment that was received,,${members(14, (index) => `Custom column ${index},`)}id
Grace,Hopper,grace@example.com,secret,31.12.2025,x,${members(14, () => "A value that is somewhat longer than its column,")}1
Annie,Easley,annie@example.com,secret,30.11.2025,,${members(14, (index) => (index % 3 ? "yes," : "12.5,"))}2
`;

const memberCsv = `Group,E-mail,Since
Research,imogen.1.9389@harbour.example,2026
Sales,4993,2025
Marketing,4993,2025
Support,nobody@example.com,2024
`;
const chooseMemberships = (page: Page) => page.getByRole("radio", { name: "Memberships" }).check();

/** Imports. The address of a check has parameters. */
const IMPORT = "**/api/users/import";

const choose = (page: Page, content: string, name = "people.csv") =>
  page
    .locator("input[type=file]")
    .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(content) });

async function check(page: Page, content: string, result = /can be imported/): Promise<void> {
  await choose(page, content);
  await page.getByRole("button", { name: /^Check [\d,]+ rows$/ }).click();
  await page.getByRole("heading", { name: result }).waitFor();
}

/** Checks the rows. Returns the results, a line for each row, with the ids that an import adds. */
async function checkResults(page: Page, content: string): Promise<string[]> {
  const response = page.waitForResponse("**/api/users/import*");
  await check(page, content);
  const text = await (await response).text();
  return text.trimEnd().replaceAll('"status":201', '"status":201,"id":1').split("\n");
}

interface Answers {
  /** How many requests get a response. */
  readonly answered?: number;
  /** Runs before each response. */
  readonly before?: () => Promise<void>;
}

/** Starts an import that imports nothing: its requests get the results of the check. */
async function startImport(page: Page, content: string, answers: Answers = {}): Promise<void> {
  const { answered = Number.POSITIVE_INFINITY, before } = answers;
  const results = await checkResults(page, content);
  let requests = 0;
  await page.route(IMPORT, async (route) => {
    if (requests++ >= answered) return;
    await before?.();
    const body = `${results.splice(0, 2000).join("\n")}\n`;
    await route.fulfill({ contentType: "application/x-ndjson", body });
  });
  await confirm(page);
}

/** Starts an import whose requests fail. */
async function startInterruptedImport(page: Page): Promise<void> {
  await check(page, cleanCsv);
  await page.route(IMPORT, (route) => route.abort());
  await confirm(page);
  await page.getByRole("heading", { name: "Interrupted" }).waitFor();
}

const confirm = (page: Page) => page.getByRole("button", { name: /^Import [\d,]+/ }).click();

async function runLongImport(page: Page): Promise<void> {
  await startImport(page, longCsv, { answered: 2 });
  await page.getByText("4,000", { exact: true }).waitFor();
}

/** The pictures that follow begin with no import. */
const forget = (page: Page) => page.evaluate(() => localStorage.removeItem("roster.unfinished-import"));

/** Leaves a running import, and comes back. */
async function leave(page: Page): Promise<void> {
  await runLongImport(page);
  await page.reload();
  await page.getByRole("heading", { name: /was not finished/ }).waitFor();
}

export const importViews: Record<string, View> = {
  import: { path: "/import" },
  "import-drop": {
    path: "/import",
    prepare: (page) => page.evaluate(() => dispatchEvent(new DragEvent("dragover", { cancelable: true }))),
  },
  "import-spreadsheet": { path: "/import", prepare: (page) => choose(page, "PK\u0003\u0004", "people.xlsx") },
  "import-empty-file": { path: "/import", prepare: (page) => choose(page, "name,email\n") },
  "import-damaged-json": {
    path: "/import",
    prepare: (page) => choose(page, '[{ "name": "Grace" }, { "name": ', "people.json"),
  },
  "import-reader": { path: "/import", as: "reader" },
  "import-columns-loading": {
    path: "/import",
    hold: "**/api/fields*",
    prepare: (page) => choose(page, csv),
  },
  "import-columns": { path: "/import", prepare: (page) => choose(page, csv) },
  "import-columns-json": { path: "/import", prepare: (page) => choose(page, json, "people.json") },
  "import-user-names": {
    path: "/import",
    async prepare(page) {
      await choose(page, "Full name,E-mail,Login,groups\nGrace Hopper,grace@example.com,ghopper,navy\n");
      await page.getByLabel("If a user exists").selectOption("Update the user");
      await page.getByLabel("Find users by").selectOption("User name");
    },
  },
  "import-columns-wide": { path: "/import", prepare: (page) => choose(page, wideCsv) },
  "import-preview": {
    path: "/import",
    async prepare(page) {
      await choose(page, wideCsv);
      await page.getByRole("heading", { name: "Preview" }).evaluate((heading) => heading.scrollIntoView());
    },
  },
  "import-columns-invalid": {
    path: "/import",
    async prepare(page) {
      await choose(page, csv);
      await page.getByLabel("Field for Department").fill("a field");
      await page.getByLabel("Full name", { exact: true }).selectOption("skip");
    },
  },
  "import-misfits": {
    path: "/import",
    async prepare(page) {
      await choose(page, csv);
      await page.getByLabel("Type of Start").selectOption("date");
    },
  },
  "import-update": {
    path: "/import",
    async prepare(page) {
      await choose(page, csv);
      await page.getByLabel("If a user exists").selectOption("update");
    },
  },
  "import-checking": {
    path: "/import",
    hold: "**/api/users/import*",
    async prepare(page) {
      await choose(page, csv);
      await page.getByRole("button", { name: "Check 240 rows" }).click();
      await page.locator("main").getByText("40%").first().waitFor();
    },
  },
  "import-check-interrupted": {
    path: "/import",
    async prepare(page) {
      await page.route("**/api/users/import*", (route) => route.abort());
      await check(page, csv, /interrupted/);
    },
  },
  "import-check": { path: "/import", prepare: (page) => check(page, csv) },
  "import-check-errors": {
    path: "/import",
    async prepare(page) {
      await check(page, csv);
      for (const kind of await page.locator(".import-kind > summary").all()) {
        if (await kind.locator("..").evaluate((details) => !details.hasAttribute("open"))) await kind.click();
      }
      await page.locator(".import-kind").last().scrollIntoViewIfNeeded();
    },
  },
  "import-memberships": {
    path: "/import",
    async prepare(page) {
      await chooseMemberships(page);
      await choose(page, memberCsv, "members.csv");
    },
  },
  "import-memberships-check": {
    path: "/import",
    async prepare(page) {
      await chooseMemberships(page);
      await check(page, memberCsv);
    },
  },
  "import-check-clean": { path: "/import", prepare: (page) => check(page, cleanCsv) },
  "import-check-nothing": {
    path: "/import",
    prepare: (page) =>
      check(page, head + members(3, (index) => `Member ${index};member${index}@;Rockets;1960\n`)),
  },
  "import-check-trial": {
    path: "/import",
    prepare: (page) => check(page, head + members(50_001, () => "A;a@;B;1\n"), /are rejected/),
  },
  "import-running": {
    path: "/import",
    async prepare(page) {
      await runLongImport(page);
      await forget(page);
    },
  },
  "import-stopping": {
    path: "/import",
    async prepare(page) {
      await runLongImport(page);
      await page.getByRole("button", { name: "Stop" }).click();
      await forget(page);
    },
  },
  "import-paused": {
    path: "/import",
    async prepare(page) {
      await startImport(page, longCsv, {
        before: () => page.getByRole("button", { name: "Pause" }).click(),
      });
      await page.getByRole("heading", { name: "Paused" }).waitFor();
      await forget(page);
    },
  },
  "import-interrupted": {
    path: "/import",
    async prepare(page) {
      await startInterruptedImport(page);
      await forget(page);
    },
  },
  "import-finished": {
    path: "/import",
    async prepare(page) {
      await startImport(page, cleanCsv);
      await page.getByRole("heading", { name: "Import finished" }).waitFor();
    },
  },
  "import-finished-with-errors": {
    path: "/import",
    async prepare(page) {
      await startImport(page, csv);
      await page.getByRole("heading", { name: "Import finished" }).waitFor();
    },
  },
  "import-stopped": {
    path: "/import",
    async prepare(page) {
      await startInterruptedImport(page);
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByRole("heading", { name: "Import stopped" }).waitFor();
    },
  },
  "import-left": {
    path: "/import",
    async prepare(page) {
      await leave(page);
      await forget(page);
    },
  },
  "import-left-other-file": {
    path: "/import",
    async prepare(page) {
      await leave(page);
      await choose(page, csv, "others.csv");
      await page.getByText("This is another file").waitFor();
      await forget(page);
    },
  },
};
