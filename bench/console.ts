/** The console's load time and size, and how smoothly its table scrolls among many users. */
import type { Browser } from "playwright-core";
import { openBrowser } from "../test/support/browser.ts";
import { startService } from "./support/child-server.ts";
import { readOptions } from "./support/options.ts";
import { seededDatabase } from "./support/seeded-database.ts";
import { median } from "./support/statistics.ts";
import { print, verdict } from "./support/table.ts";

const REQUESTS_TARGET = 12;
const BYTES_TARGET = 220_000;
const READY_TARGET_MS = 400;
const FRAME_TARGET_MS = 50;

const { numbers, json } = readOptions({ users: 1_000_000, rounds: 5, seconds: 10 });

interface Visit {
  /** From the request for the page to the first row of the table. */
  readonly readyMs: number;
  /** Until then, of the page, its files and the API. */
  readonly requests: number;
  readonly bytes: number;
}

interface Scroll {
  readonly rows: number;
  readonly framesMs: readonly number[];
}

await using service = await startService(await seededDatabase(numbers.users));
const browser = await openBrowser();
const visits: Visit[] = [];
for (let round = 0; round <= numbers.rounds; round++) visits.push(await visit(browser));
// The first visit also bundles the console.
const [first, ...later] = visits;
const { rows, framesMs } = await scroll(browser);
await browser.close();

const readyMs = median(later.map(({ readyMs }) => readyMs));
const requests = Math.max(...visits.map(({ requests }) => requests));
const bytes = Math.max(...visits.map(({ bytes }) => bytes));
const sorted = [...framesMs].sort((a, b) => a - b);
const frame = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
print(
  json,
  {
    ...numbers,
    firstMs: first?.readyMs,
    readyMs,
    requests,
    bytes,
    rows,
    p50: frame(0.5),
    p95: frame(0.95),
    p99: frame(0.99),
    slowestFrame: frame(1),
  },
  [
    ["", "result", "target", ""],
    ["first visit: ms until the first row", (first?.readyMs ?? Number.NaN).toFixed(0), "", ""],
    [
      "later visits: ms until the first row",
      readyMs.toFixed(0),
      `≤ ${READY_TARGET_MS}`,
      verdict(readyMs <= READY_TARGET_MS),
    ],
    [
      "requests until the first row",
      String(requests),
      `≤ ${REQUESTS_TARGET}`,
      verdict(requests <= REQUESTS_TARGET),
    ],
    ["bytes until the first row", String(bytes), `≤ ${BYTES_TARGET}`, verdict(bytes <= BYTES_TARGET)],
    [`rows scrolled in ${numbers.seconds} s`, String(rows), "", ""],
    ...[0.5, 0.95, 0.99].map((part) => [
      `frame time while scrolling, p${part * 100}: ms`,
      frame(part).toFixed(1),
      "",
      "",
    ]),
    [
      "slowest frame while scrolling: ms",
      frame(1).toFixed(1),
      `≤ ${FRAME_TARGET_MS}`,
      verdict(frame(1) <= FRAME_TARGET_MS),
    ],
  ],
);

/** Visits the console with an empty browser cache. */
async function visit(browser: Browser): Promise<Visit> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => {
    const look = () => {
      if (document.querySelector("tbody .user-name")) performance.mark("ready");
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(`${service.url}/users`);
  await page.waitForFunction(() => performance.getEntriesByName("ready").length > 0);
  const timings = await page.evaluate(() => {
    const readyMs = performance.getEntriesByName("ready")[0]?.startTime ?? Number.NaN;
    const loads = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .filter((entry) => entry instanceof PerformanceResourceTiming)
      .filter(({ responseStart }) => responseStart <= readyMs);
    return {
      readyMs,
      requests: loads.length,
      bytes: loads.reduce((sum, { transferSize }) => sum + transferSize, 0),
    };
  });
  await context.close();
  return timings;
}

/** Scrolls without a pause and measures each frame. */
async function scroll(browser: Browser): Promise<Scroll> {
  const page = await browser.newPage();
  await page.goto(`${service.url}/users`);
  await page.locator("tbody .user-name").first().waitFor();
  return await page.evaluate(async (seconds) => {
    const box = document.querySelector(".grid");
    const framesMs: number[] = [];
    let last = performance.now();
    const end = last + seconds * 1000;
    while (box && last < end) {
      const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      framesMs.push(now - last);
      last = now;
      box.scrollTop += 120;
    }
    const row = [...document.querySelectorAll("tbody tr")].at(-1)?.getAttribute("aria-rowindex");
    return { rows: Number(row), framesMs };
  }, numbers.seconds);
}
