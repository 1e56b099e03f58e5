/**
 * Takes screenshots of the console's views in three sizes, in light and dark, into dist/screenshots. With `--docs`, updates the
 * pictures in docs/images instead. With names of views, takes only these.
 */
import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Page } from "playwright-core";
import { scopes } from "../src/contract/keys/key.ts";
import { signIn } from "../test/console/support/console.ts";
import { openBrowser } from "../test/support/browser.ts";
import { animationsFinished } from "../test/support/browser-page.ts";
import { databaseOn } from "../test/support/engines.ts";
import { startServiceOn } from "../test/support/service.ts";
import { startReceiver } from "../test/webhooks/support/receiver.ts";
import { createData } from "./screenshots/data.ts";
import { views } from "./screenshots/views/index.ts";
import type { View } from "./screenshots/views/view.ts";

const root = join(import.meta.dir, "..");

const sizes = {
  desktop: { width: 1440, height: 900 },
  tablet: { width: 1024, height: 768 },
  phone: { width: 360, height: 780 },
} as const;
type Size = keyof typeof sizes;
const schemes = ["light", "dark"] as const;
type Scheme = (typeof schemes)[number];

/** The screenshots in the docs. */
const docsPictures: readonly (readonly [view: string, size: Size, scheme: Scheme])[] = [
  ["overview", "desktop", "light"],
  ["users", "desktop", "light"],
  ["user", "desktop", "dark"],
  ["group", "desktop", "light"],
  ["import-check", "desktop", "light"],
];

const names = Bun.argv.slice(2).filter((name) => !name.startsWith("--"));
const forDocs = Bun.argv.includes("--docs");
const folder = forDocs ? join(root, "docs", "images") : join(root, "dist", "screenshots");
mkdirSync(folder, { recursive: true });
const wanted = forDocs
  ? docsPictures
  : (names.length > 0 ? names : Object.keys(views)).flatMap((view) =>
      (["desktop", "tablet", "phone"] as const).flatMap((size) =>
        schemes.map((scheme) => [view, size, scheme] as const),
      ),
    );

const database = await databaseOn("sqlite");
const service = await startServiceOn(database.url, { webhookPrivate: "allow" });
const emptyDatabase = await databaseOn("sqlite");
const emptyService = await startServiceOn(emptyDatabase.url);
const receiver = startReceiver();
receiver.respond = ({ path }) => new Response(null, { status: path.endsWith("/failing") ? 503 : 204 });
const browser = await openBrowser();
const pages = new Map<string, Page>();
try {
  const keys = await createData(service, database.url, receiver.url);
  const { key: emptyKey } = await emptyService.roster.keys.create({ name: "Console", scopes: [...scopes] });
  for (const [name, size, scheme] of wanted) {
    const view = views[name];
    if (!view) throw new Error(`There is no view ${name}.`);
    const { url } = view.onEmptyService ? emptyService : service;
    const ownKeys = view.onEmptyService ? { administrator: emptyKey } : keys;
    const page = await openPage(url, size, scheme, { ...ownKeys, nobody: undefined }, view);
    await takePicture(
      page,
      url,
      view,
      join(folder, forDocs ? `${name}.png` : `${name}-${size}-${scheme}.png`),
    );
  }
} finally {
  await browser.close();
  await emptyService.stop();
  await service.stop();
  await receiver.stop();
  await emptyDatabase.drop();
  await database.drop();
}

async function takePicture(page: Page, url: string, view: View, path: string): Promise<void> {
  const { hold, fail } = view;
  if (hold) await page.route(hold, () => undefined);
  if (fail) await page.route(fail, (route) => route.fulfill({ status: 500 }));
  await page.goto(url + view.path);
  if (!hold) await loaded(page);
  await view.prepare?.(page);
  if (!hold) await loaded(page);
  await animationsFinished(page);
  await page.screenshot({ path });
  // Requests that are held never reach the service.
  await page.goto("about:blank");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  console.log(relative(root, path));
}

/** One page for each service, size, theme and key. */
async function openPage(
  url: string,
  size: Size,
  scheme: Scheme,
  keys: Readonly<Record<string, string | undefined>>,
  { as = "administrator" }: View,
): Promise<Page> {
  const name = `${url} ${size} ${scheme} ${as}`;
  const open = pages.get(name);
  if (open) return open;
  const context = await browser.newContext({
    viewport: sizes[size],
    colorScheme: scheme,
    // Sharp on high-resolution screens. The files of the docs stay small.
    deviceScaleFactor: forDocs ? 1.5 : 2,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  pages.set(name, page);
  await page.goto(`${url}/users`);
  const key = keys[as];
  if (key !== undefined) await signIn(page, key);
  return page;
}

/** Views that follow changes always have a request under way: wait for the spinners instead. */
async function loaded(page: Page): Promise<void> {
  await page.waitForFunction(() => !document.querySelector(".spinner") && document.querySelector("h1"));
}
