import { Database } from "bun:sqlite";
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { startPostgres } from "../support/postgres/server.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

const flags = (waitMs: number) => [`--database-wait=${waitMs}`, "--rate-limit=0", "--slow-ms=60000"];
const parseLog = ({ stdout }: Roster) => stdout.slice(1).map((line) => JSON.parse(line));
const messages = (roster: Roster) => parseLog(roster).map(({ level, message }) => `${level}: ${message}`);

const requests: readonly [path: string, body?: object][] = [
  ["/api/users/1"],
  ["/api/users?q=ada&count=true"],
  ["/api/users"],
  ["/readyz"],
  ["/api/users", { name: "Ada" }],
];

/** Sends requests of all kinds in parallel until `isDone`, and counts the 503 responses of each. */
function callUntil(roster: Roster, isDone: () => boolean) {
  const calls = [...requests, ...requests];
  const unavailable = calls.map(() => 0);
  const repeat = async ([path, body]: (typeof requests)[number], index: number) => {
    while (!isDone()) {
      const { status } = body ? await roster.send("POST", path, body) : await roster.call(path);
      if (status === 503) unavailable[index] = (unavailable[index] ?? 0) + 1;
      else expect(status).toBeOneOf([200, 201, 404]);
    }
  };
  return { unavailable, ended: Promise.all(calls.map(repeat)) };
}

test.each(["killed", "frozen"])(
  "PostgreSQL that is %s under load logs one lost and one back line",
  async (how) => {
    const server = await startPostgres();
    const roster = await startRoster(server.url(), { flags: flags(2000) });
    const load = callUntil(roster, () => messages(roster).includes("info: database back"));
    await until(async () => (await (await roster.call("/api/users")).json()).length > 0);
    // On a very busy machine, single requests may have failed before.
    const earlier = messages(roster).length;
    load.unavailable.fill(0);
    if (how === "killed") await server.kill9();
    else server.signal("SIGSTOP");
    await until(() => load.unavailable.every((count) => count >= 2));
    if (how === "killed") await server.start();
    else server.signal("SIGCONT");
    await load.ended;
    expect(messages(roster).slice(earlier)).toEqual(["error: database lost", "info: database back"]);
    const [lost, back] = parseLog(roster).slice(earlier);
    expect(lost.cause).toMatch(/^unavailable: The (database|connection)/);
    expect(back.seconds).toBeGreaterThan(0);
    expect(back.failedRequests).toBeGreaterThanOrEqual(2 * load.unavailable.length);
    await server.destroy();
  },
);

test("SQLite: writes that wait for another program's lock log one lost and one back line", async () => {
  const database = join(temporaryFolder(), "roster.db");
  const roster = await startRoster(database, { flags: flags(500) });
  const create = async () => (await roster.send("POST", "/api/users", { name: "Ada" })).status;
  expect(await create()).toBe(201);
  const other = new Database(database);
  other.run("BEGIN IMMEDIATE");
  for (let i = 0; i < 2; i++)
    expect(await Promise.all([create(), create(), create()])).toEqual([503, 503, 503]);
  expect((await roster.call("/api/users/1")).status).toBe(200);
  other.run("ROLLBACK");
  other.close();
  expect(await create()).toBe(201);
  await until(() => messages(roster).length > 1);
  expect(messages(roster)).toEqual(["error: database lost", "info: database back"]);
  expect(parseLog(roster)[1].failedRequests).toBe(6);
});
