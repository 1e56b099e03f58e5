/**
 * Takes screenshots of the console's views in desktop and phone size, in light and dark, into dist/screenshots. With
 * `--docs`, updates the pictures in docs/images instead. With names of views, takes only these.
 */
import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Page } from "playwright-core";
import { signIn } from "../test/console/support/console.ts";
import { openBrowser } from "../test/support/browser.ts";
import { animationsFinished } from "../test/support/browser-page.ts";
import { databaseOn } from "../test/support/engines.ts";
import { startServiceOn } from "../test/support/service.ts";
import { startReceiver } from "../test/webhooks/support/receiver.ts";
import { createData } from "./screenshots/data.ts";
import { views } from "./screenshots/views.ts";

const root = join(import.meta.dir, "..");

const sizes = {
  desktop: { width: 1280, height: 800 },
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
  ["import-check", "desktop", "light"],
];

const names = Bun.argv.slice(2).filter((name) => !name.startsWith("--"));
const forDocs = Bun.argv.includes("--docs");
const folder = forDocs ? join(root, "docs", "images") : join(root, "dist", "screenshots");
mkdirSync(folder, { recursive: true });
const wanted = forDocs
  ? docsPictures
  : (["desktop", "phone"] as const).flatMap((size) =>
      schemes.flatMap((scheme) =>
        (names.length > 0 ? names : Object.keys(views)).map((view) => [view, size, scheme] as const),
      ),
    );

const database = await databaseOn("sqlite");
const service = await startServiceOn(database.url, { webhookPrivate: "allow" });
const receiver = startReceiver();
receiver.respond = ({ path }) => new Response(null, { status: path.endsWith("/failing") ? 503 : 204 });
const browser = await openBrowser();
const pages = new Map<string, Page>();
try {
  const key = await createData(service, database.url, receiver.url);
  for (const [name, size, scheme] of wanted) {
    const view = views[name];
    if (!view) throw new Error(`There is no view ${name}.`);
    const page = await openPage(size, scheme, view.signedOut ? undefined : key);
    await page.goto(service.url + view.path);
    await loaded(page);
    await view.prepare?.(page);
    await loaded(page);
    await animationsFinished(page);
    const path = join(folder, forDocs ? `${name}.png` : `${name}-${size}-${scheme}.png`);
    await page.screenshot({ path });
    console.log(relative(root, path));
  }
} finally {
  await browser.close();
  await service.stop();
  await receiver.stop();
  await database.drop();
}

/** One page for each size and theme. */
async function openPage(size: Size, scheme: Scheme, key: string | undefined): Promise<Page> {
  const name = `${size} ${scheme} ${key !== undefined}`;
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
  await page.goto(`${service.url}/users`);
  if (key !== undefined) await signIn(page, key);
  return page;
}

/** Views that follow changes always have a request under way: wait for the spinners instead. */
async function loaded(page: Page): Promise<void> {
  await page.waitForFunction(() => !document.querySelector(".spinner") && document.querySelector("h1"));
}
