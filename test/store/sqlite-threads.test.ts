import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ProblemError } from "../../src/domain/problem-error.ts";
import { Thread, type ThreadSetup } from "../../src/store/sqlite/thread.ts";
import { outcome, startService, type TestService } from "../support/service.ts";

setDefaultTimeout(120_000);

/** Reader and writer threads started in this test. The writer thread is the first. */
const threads: Worker[] = [];
const RealWorker = globalThis.Worker;
let service: TestService | undefined;

beforeAll(() => {
  globalThis.Worker = class extends RealWorker {
    constructor(...parameters: ConstructorParameters<typeof RealWorker>) {
      super(...parameters);
      if (!String(parameters[0]).includes("check-thread")) threads.push(this);
    }
  };
});
afterAll(() => {
  globalThis.Worker = RealWorker;
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  threads.length = 0;
});

const start = async () => {
  service = await startService();
  return service;
};

/** Crashes the thread with a setup for a missing database. */
async function kill(thread: Worker | undefined): Promise<void> {
  if (!thread) throw new Error("There is no such thread.");
  const closed = new Promise((resolve) => thread.addEventListener("close", resolve));
  thread.postMessage({ type: "setup", setup: { path: "/nowhere/roster.db", waitMs: 0 } });
  await closed;
}

test("replaces a crashed reader thread when the next list needs one", async () => {
  const { roster } = await start();
  await roster.users.create({ name: "Ada" });
  // Long pages are read on a thread. Each page is another one: the service keeps pages.
  const search = async (page: number) =>
    (await roster.users.list({ q: "ada", limit: 200 + page }).page()).users.length;
  for (let deaths = 1; deaths <= 3; deaths++) {
    expect(await search(deaths)).toBe(1);
    expect(threads).toHaveLength(1 + deaths);
    await kill(threads[deaths]);
  }
  expect(await search(0)).toBe(1);
});

test("finds a quick page without a thread, and a long one on a thread", async () => {
  const { roster } = await start();
  await roster.users.create({ name: "Ada", team: "red" });
  const started = threads.length;
  for (const list of [
    { q: "ada" },
    { q: "nobody" },
    { filters: { team: "red" } },
    { filter: 'team eq "red"' },
  ])
    await roster.users.list({ ...list, sort: "-name" }).page();
  expect(threads).toHaveLength(started);
  // How long it takes to test the whole text depends on its length.
  await roster.users.list({ filter: 'team co "e"' }).page();
  expect(threads).toHaveLength(started + 1);
});

test.each(["reader-thread", "writer-thread"] as const)(
  "requests to a crashed %s fail with unavailable and its cause",
  async (name) => {
    const setup = { path: "/nowhere/roster.db", waitMs: 0 };
    const thread = new Thread<ThreadSetup, { kind: string }, { kind: string }>(name, setup);
    const problem = await thread.request({ kind: "any" }).catch((reason: unknown) => reason);
    expect(problem).toBeInstanceOf(ProblemError);
    expect(problem).toHaveProperty("type", "unavailable");
    expect(String(thread.ended?.cause)).toContain("unable to open database file");
    expect(await thread.request({ kind: "any" }).catch((reason: unknown) => reason)).toBe(problem);
    await thread.end();
  },
);

test("without its writer thread a service is not ready, still reads, and rejects writes with unavailable", async () => {
  const { roster, call } = await start();
  const { id } = await roster.users.create({ name: "Ada" });
  expect((await call("/readyz")).status).toBe(200);
  await kill(threads[0]);
  expect((await call("/readyz")).status).toBe(503);
  const writes = [
    roster.users.create({ name: "Late" }),
    roster.users.update(id, { name: "Changed" }),
    roster.users.delete(id),
  ];
  for (const ended of await Promise.all(writes.map(outcome))) expect(ended).toBe("503 unavailable");
  expect((await roster.users.get(id)).name).toBe("Ada");
  expect((await roster.users.list({ q: "ada" }).page()).users).toHaveLength(1);
});

test("treats a thread that ends without an error like a crashed one", async () => {
  const { roster, call } = await start();
  expect((await call("/readyz")).status).toBe(200);
  threads[0]?.terminate();
  expect(await outcome(roster.users.create({ name: "Pending" }))).toBe("503 unavailable");
  expect(await outcome(roster.users.create({ name: "Later" }))).toBe("503 unavailable");
  expect((await call("/readyz")).status).toBe(503);
});
