/**
 * Takes screenshots of the console's views in desktop and phone size, in light and dark, into dist/screenshots. With
 * `--docs`, updates the pictures in docs/images instead. With names of views, takes only these.
 */
import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Browser, Page } from "playwright-core";
import { SampleUsers } from "../src/cli/sample-users/sample-users.ts";
import { type Client, createClient } from "../src/client/index.ts";
import { scopes } from "../src/contract/keys/key.ts";
import { signIn } from "../test/console/support/console.ts";
import { openBrowser } from "../test/support/browser.ts";
import { animationsFinished } from "../test/support/browser-page.ts";
import { startService, type TestService } from "../test/support/service.ts";
import { startReceiver } from "../test/webhooks/support/receiver.ts";

const root = join(import.meta.dir, "..");
const USERS = 5000;

const sizes = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 360, height: 780 },
} as const;
const schemes = ["light", "dark"] as const;
type Size = keyof typeof sizes;

interface View {
  readonly path: string;
  /** Steps before the screenshot. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  readonly signedOut?: boolean;
}

const csv = `Full name;E-mail;Department;Start
Grace Hopper;grace@example.com;Compilers;1952
"Hamilton, Margaret";margaret@example;Guidance;1963
Katherine Johnson;katherine@example.com;Trajectories;1953
;dorothy@example.com;Computing;1943
Annie Easley;annie@example.com;Rockets;1955
`;

const views: Record<string, View> = {
  users: { path: "/users", prepare: (page) => page.locator("tbody tr").nth(5).waitFor() },
  search: {
    path: "/users?q=an&plan=team&sort=name",
    prepare: (page) => page.locator("tbody tr").nth(1).waitFor(),
  },
  "no-matches": {
    path: "/users?q=nobody%20at%20all",
    prepare: (page) => page.getByText("No matching users").waitFor(),
  },
  user: { path: "/users/4993", prepare: (page) => page.getByRole("dialog").waitFor() },
  "new-user": { path: "/users/new", prepare: (page) => page.getByRole("dialog").waitFor() },
  selection: {
    path: "/users",
    async prepare(page) {
      for (const row of [1, 2, 4]) await page.locator("tbody tr").nth(row).getByRole("checkbox").check();
    },
  },
  import: { path: "/import" },
  "import-preview": {
    path: "/import",
    prepare: (page) =>
      page
        .locator("input[type=file]")
        .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) }),
  },
  keys: { path: "/keys" },
  "new-key": { path: "/keys", prepare: (page) => page.getByRole("button", { name: "New key" }).click() },
  connect: { path: "/connect" },
  overview: { path: "/", prepare: (page) => page.getByRole("img").last().waitFor() },
  palette: {
    path: "/users",
    async prepare(page) {
      await page.keyboard.press("ControlOrMeta+k");
      await page.keyboard.type("an");
      await page.getByRole("option").nth(2).waitFor();
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
      await page.getByRole("button", { name: "History" }).click();
      await page.getByRole("button", { name: "Show details" }).first().click();
      await page.getByRole("button", { name: "Hide details" }).scrollIntoViewIfNeeded();
    },
  },
  deleted: { path: "/deleted" },
  erase: {
    path: "/deleted",
    prepare: (page) =>
      page
        .getByRole("button", { name: /^Erase/ })
        .first()
        .click(),
  },
  restore: {
    path: "/deleted",
    prepare: (page) => page.getByRole("button", { name: "Restore Alan Turing" }).click(),
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
    prepare: (page) => page.getByRole("button", { name: "Show attempts" }).first().click(),
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
  violations: {
    path: "/schema",
    async prepare(page) {
      await page.getByRole("button", { name: "Find users" }).click();
      await page.getByRole("list", { name: "Users that do not conform" }).scrollIntoViewIfNeeded();
    },
  },
  "sign-in": { path: "/users", signedOut: true },
};

/** The screenshots in the docs. */
const docsPictures: readonly (readonly [view: string, size: Size, scheme: (typeof schemes)[number]])[] = [
  ["users", "desktop", "light"],
  ["user", "desktop", "dark"],
  ["import-preview", "desktop", "light"],
];

const only = Bun.argv.slice(2).filter((name) => !name.startsWith("--"));
const forDocs = Bun.argv.includes("--docs");
const folder = forDocs ? join(root, "docs", "images") : join(root, "dist", "screenshots");
mkdirSync(folder, { recursive: true });

const service = await startService({ webhookPrivate: "allow" });
const receiver = startReceiver();
receiver.respond = ({ path }) => new Response(null, { status: path.endsWith("/failing") ? 503 : 204 });
// The packaged fonts lack most scripts. The names of the sample users need the fonts of the machine.
const browser = await openBrowser("machine");
try {
  const key = await createData(service);
  const pictures = forDocs
    ? docsPictures
    : (only.length > 0 ? only : Object.keys(views)).flatMap((view) =>
        (["desktop", "phone"] as const).flatMap((size) =>
          schemes.map((scheme) => [view, size, scheme] as const),
        ),
      );
  for (const [view, size, scheme] of pictures) {
    const file = join(folder, forDocs ? `${view}.png` : `${view}-${size}-${scheme}.png`);
    await take(browser, key, view, size, scheme, file);
    console.log(relative(root, file));
  }
} finally {
  await browser.close();
  await service.stop();
  await receiver.stop();
}

/** Creates users and keys of several kinds. Returns a key with all scopes. */
async function createData({ roster, url }: TestService): Promise<string> {
  const sampleUsers = new SampleUsers(1);
  await roster.users
    .import(Array.from({ length: USERS }, (_, index) => sampleUsers.create(index + 1)))
    .summary();
  const { key } = await roster.keys.create({ name: "Console", scopes: [...scopes] });
  const { keys } = createClient({ baseUrl: url, apiKey: key });
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString();
  const billing = await keys.create({ name: "Billing", scopes: ["users:read"], quota: 400 });
  await keys.create({ name: "Nightly sync", scopes: ["users:read", "users:write"], expiresAt: soon });
  await keys.create({ name: "Intranet", scopes: ["users:read"], rateLimit: { requests: 50, seconds: 1 } });
  const caller = createClient({ baseUrl: url, apiKey: billing.key });
  for (let id = 1; id <= 290; id++) await caller.users.get(id);
  await createChanges(createClient({ baseUrl: url, apiKey: key }));
  return key;
}

/** Creates webhooks, events, deleted users and a schema. */
async function createChanges({ users, webhooks, schema }: Client): Promise<void> {
  await webhooks.create({
    url: `${receiver.url}/crm`,
    types: ["user.*"],
    description: "Keeps the CRM up to date",
  });
  await webhooks.create({ url: `${receiver.url}/failing`, types: ["user.created", "user.deleted"] });
  const off = await webhooks.create({
    url: `${receiver.url}/old`,
    types: ["*"],
    description: "Old intranet",
  });
  await webhooks.update(off.id, { active: false });
  for (const id of [12, 48, 77]) await users.delete(id);
  await users.create({ name: "Grace Hopper", email: "grace@example.com", department: "compilers" });
  const alan = { name: "Alan Turing", email: "alan@example.com" };
  await users.delete((await users.create(alan)).id);
  await users.create({ ...alan, name: "Alan M. Turing" });
  await schema.set({
    properties: {
      department: { type: "string", description: "Where the person works" },
      plan: {
        type: "string",
        enum: ["free", "team", "enterprise"],
        description: "What the customer pays for",
      },
      seats: { type: "integer", minimum: 1, maximum: 500 },
    },
    required: ["department"],
  });
  await users.update(4993, { plan: "team" });
  await users.update(4993, { plan: "enterprise", department: "research", seats: 12 });
  await users.delete(1234);
}

async function take(
  browser: Browser,
  key: string,
  name: string,
  size: Size,
  colorScheme: (typeof schemes)[number],
  path: string,
): Promise<void> {
  const view = views[name];
  if (!view) throw new Error(`There is no view ${name}.`);
  const context = await browser.newContext({
    viewport: sizes[size],
    colorScheme,
    // Sharp on high-resolution screens.
    deviceScaleFactor: 2,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(`${service.url}/users`);
  if (!view.signedOut) {
    await signIn(page, key);
  }
  await page.goto(service.url + view.path);
  await loaded(page);
  await view.prepare?.(page);
  await loaded(page);
  await animationsFinished(page);
  await page.screenshot({ path });
  await context.close();
}

/** Views that follow changes always have a request under way: wait for the spinners instead. */
async function loaded(page: Page): Promise<void> {
  await page.waitForFunction(() => !document.querySelector(".spinner") && document.querySelector("h1"));
}
