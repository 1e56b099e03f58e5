import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { startPostgres } from "../support/postgres/server.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { takeWriteLock } from "../support/process/write-lock.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

const flags = (waitMs: number) => [`--database-wait=${waitMs}`, "--rate-limit=0"];
/** The log lines after the first, which says that the service is ready. */
const parseLog = ({ stdout }: Roster) => stdout.slice(1).map((line) => JSON.parse(line));
const messages = (roster: Roster) => parseLog(roster).map(({ level, message }) => `${level}: ${message}`);

const requests: readonly [path: string, body?: object][] = [
  ["/api/users/1"],
  ["/api/users?q=ada&count=true"],
  ["/api/users"],
  ["/readyz"],
  ["/api/users", { name: "Ada" }],
];

/** How long a request waits for PostgreSQL. */
const WAIT_MS = 2000;
/** Leaves the processor to other tests. */
const PAUSE_MS = 5;

/** Sends requests of all kinds in parallel until `isDone`, and counts the responses of each by their kind. */
function callUntil(roster: Roster, isDone: () => boolean) {
  const counts = [...requests, ...requests].map((request) => ({ request, served: 0, unavailable: 0 }));
  const repeat = async (count: (typeof counts)[number]) => {
    const [path, body] = count.request;
    while (!isDone()) {
      const { status } = body
        ? await roster.call(path, { method: "POST", json: body })
        : await roster.call(path);
      expect(status).toBeOneOf([200, 201, 404, 503]);
      count[status === 503 ? "unavailable" : "served"]++;
      await Bun.sleep(PAUSE_MS);
    }
  };
  return { counts, ended: Promise.all(counts.map(repeat)) };
}

test.each(["killed", "frozen"])(
  "PostgreSQL that is %s under load logs one lost and one back line",
  async (how) => {
    const server = await startPostgres();
    const roster = await startRoster(server.url(), { flags: flags(WAIT_MS) });
    let lostAt = Number.POSITIVE_INFINITY;
    const linesSince = () => parseLog(roster).filter(({ time }) => Date.parse(time) >= lostAt);
    const load = callUntil(roster, () => linesSince().some(({ message }) => message === "database back"));
    // On a very busy machine, requests may have failed before.
    const isWorking = () => messages(roster).at(-1) !== "error: database lost";
    await roster.until(() => isWorking() && load.counts.every(({ served }) => served > 0));
    lostAt = Date.now();
    const before = load.counts.map(({ unavailable }) => unavailable);
    if (how === "killed") await server.kill9();
    else server.signal("SIGSTOP");
    await roster.until(() =>
      load.counts.every(({ unavailable }, index) => unavailable >= (before[index] ?? 0) + 2),
    );
    if (how === "killed") await server.start();
    else server.signal("SIGCONT");
    await load.ended;
    const allLines = linesSince();
    const lostIndex = allLines.findIndex(({ message }) => message === "database lost");
    // On a very busy machine, a request may wait for its whole time just before PostgreSQL is gone.
    for (const { message, ms } of allLines.slice(0, lostIndex))
      expect([message, ms >= WAIT_MS]).toEqual(["request failed", true]);
    const lines = allLines.slice(lostIndex);
    expect(lines).toEqual([
      expect.objectContaining({ level: "error", message: "database lost" }),
      expect.objectContaining({ level: "info", message: "database back" }),
    ]);
    const [lost, back] = lines;
    expect(lost.cause).toMatch(/^unavailable: The (database|connection)/);
    expect(back.seconds).toBeGreaterThan(0);
    expect(back.failedRequests).toBeGreaterThanOrEqual(2 * load.counts.length);
    await server.destroy();
  },
);

test("SQLite: writes that wait for another program's lock log one lost and one back line", async () => {
  const database = join(temporaryFolder(), "roster.db");
  const roster = await startRoster(database, { flags: flags(1000) });
  let failed = 0;
  const create = async () => {
    const { status } = await roster.call("/api/users", { method: "POST", json: { name: "Ada" } });
    if (status === 503) failed++;
    return status;
  };
  expect(await create()).toBe(201);
  const other = takeWriteLock(database);
  for (let i = 0; i < 2; i++)
    expect(await Promise.all([create(), create(), create()])).toEqual([503, 503, 503]);
  expect((await roster.call("/api/users/1")).status).toBe(200);
  other.run("ROLLBACK");
  other.close();
  await roster.until(async () => (await create()) === 201);
  await roster.until(() => messages(roster).length > 1);
  expect(messages(roster)).toEqual(["error: database lost", "info: database back"]);
  expect(parseLog(roster)[1].failedRequests).toBe(failed);
  expect(failed).toBeGreaterThanOrEqual(6);
});
