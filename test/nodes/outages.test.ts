import { Database } from "bun:sqlite";
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { startPostgres } from "../support/postgres/server.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

const flags = ["--database-wait=1000", "--rate-limit=0", "--slow-ms=60000"];
const parseLog = ({ stdout }: Roster) => stdout.slice(1).map((line) => JSON.parse(line));
const messages = (roster: Roster) => parseLog(roster).map(({ level, message }) => `${level}: ${message}`);

const requests: readonly [path: string, body?: object][] = [
  ["/api/users/1"],
  ["/api/users?q=ada&count=true"],
  ["/api/users"],
  ["/readyz"],
  ["/api/users", { name: "Ada" }],
];

/** Sends requests of all kinds in parallel until `isDone`, and returns the number of 503 responses. */
async function callUntil(roster: Roster, isDone: () => boolean): Promise<number> {
  let unavailable = 0;
  const repeat = async (path: string, body?: object) => {
    while (!isDone()) {
      const { status } = body ? await roster.send("POST", path, body) : await roster.call(path);
      if (status === 503) unavailable++;
      else expect(status).toBeOneOf([200, 201, 404]);
    }
  };
  await Promise.all([...requests, ...requests].map(([path, body]) => repeat(path, body)));
  return unavailable;
}

test.each(["killed", "frozen"])(
  "PostgreSQL that is %s under load logs one lost and one back line",
  async (how) => {
    const server = await startPostgres();
    const roster = await startRoster(server.url(), { flags });
    const load = callUntil(roster, () => messages(roster).includes("info: database back"));
    await until(async () => (await (await roster.call("/api/users")).json()).length > 0);
    if (how === "killed") await server.kill9();
    else server.signal("SIGSTOP");
    await until(() => messages(roster).includes("error: database lost"));
    // Long enough for every request to fail several times.
    const readyz = async () => (await roster.call("/readyz")).status;
    for (let i = 0; i < 4; i++) expect(await readyz()).toBe(503);
    if (how === "killed") await server.start();
    else server.signal("SIGCONT");
    expect(await load).toBeGreaterThan(10);
    expect(messages(roster)).toEqual(["error: database lost", "info: database back"]);
    const [lost, back] = parseLog(roster);
    expect(lost.cause).toMatch(/^unavailable: The (database|connection)/);
    expect(back.seconds).toBeGreaterThan(0);
    expect(back.failedRequests).toBeGreaterThan(10);
    await server.destroy();
  },
);

test("SQLite: writes that wait for another program's lock log one lost and one back line", async () => {
  const database = join(temporaryFolder(), "roster.db");
  const roster = await startRoster(database, { flags });
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
