/**
 * Takes screenshots of the console's views in desktop and phone size, in light and dark, into dist/screenshots. With
 * `--docs`, updates the pictures in docs/images instead.
 */
import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Browser, Page } from "playwright-core";
import { SampleUsers } from "../src/cli/sample-users/sample-users.ts";
import { createClient } from "../src/client/index.ts";
import { scopes } from "../src/contract/keys/key.ts";
import { signIn } from "../test/console/support/console.ts";
import { openBrowser } from "../test/support/browser.ts";
import { animationsFinished } from "../test/support/browser-page.ts";
import { startService, type TestService } from "../test/support/service.ts";

const root = join(import.meta.dir, "..");
const USERS = 5000;

const sizes = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
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
  "sign-in": { path: "/users", signedOut: true },
};

/** The screenshots in the docs. */
const docsPictures: readonly (readonly [view: string, size: Size, scheme: (typeof schemes)[number]])[] = [
  ["users", "desktop", "light"],
  ["user", "desktop", "dark"],
  ["import-preview", "desktop", "light"],
];

const forDocs = Bun.argv.includes("--docs");
const folder = forDocs ? join(root, "docs", "images") : join(root, "dist", "screenshots");
mkdirSync(folder, { recursive: true });

const service = await startService();
// The packaged fonts lack most scripts. The names of the sample users need the fonts of the machine.
const browser = await openBrowser("machine");
try {
  const key = await createData(service);
  const pictures = forDocs
    ? docsPictures
    : Object.keys(views).flatMap((view) =>
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
  return key;
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
  await page.goto(service.url);
  if (!view.signedOut) {
    await signIn(page, key);
    await page.getByRole("grid").waitFor();
  }
  await page.goto(service.url + view.path);
  await page.waitForLoadState("networkidle");
  await view.prepare?.(page);
  await page.waitForLoadState("networkidle");
  await animationsFinished(page);
  await page.screenshot({ path });
  await context.close();
}
