import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { SQL } from "bun";
import { findPostgresCorruption } from "../support/consistency/postgres-corruption.ts";
import { timeToServe } from "../support/consistency/time-to-serve.ts";
import { Workload } from "../support/consistency/workload.ts";
import { type Postgres, startPostgres } from "../support/postgres/server.ts";
import { startStandby } from "../support/postgres/standby.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";
import { STRICT_TIMES, timeLimit } from "../support/time-limit.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

/** FAULT_ROUNDS prints the counts, as in the other failure tests; the number of rounds is always one. */
const roundsSetting = process.env.FAULT_ROUNDS;
const WAIT_MS = 1000;
const BACK_WITHIN_MS = 5000;

const servers: Postgres[] = [];
afterEach(async () => {
  await stopAll();
  await Promise.all(servers.splice(0).map((server) => server.destroy()));
}, 120_000);

/** Starts a primary and a synchronous standby. */
async function startPair(): Promise<{ primary: Postgres; standby: Postgres }> {
  const primary = await startPostgres();
  servers.push(primary);
  const standby = await startStandby(primary);
  servers.push(standby);
  await tell(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await tell(primary, "SELECT pg_reload_conf()");
  const synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
  await until(async () => (await tell(primary, synchronous)) === "1");
  return { primary, standby };
}

// A primary that freezes is harder to notice than one that is killed: `npm test` tries only the first.
test.each(STRICT_TIMES ? ["is killed", "freezes"] : ["freezes"])(
  "when the primary %s, a node switches to the promoted standby and loses nothing",
  async (how) => {
    const { primary, standby } = await startPair();
    const flags = [`--database-wait=${WAIT_MS}`];
    const roster = await startRoster(urlOf(primary, standby), { flags });
    const limits = { service: roster, withinMs: timeLimit(WAIT_MS + 1500) };
    const load = new Workload({ ports: () => [roster.port], withinMs: limits.withinMs });
    await load.prepare();
    load.start();
    await Bun.sleep(600);
    await until(() => load.counts.acknowledged > 20);
    const [lastEvent] = await readEventIds(roster, "sort=-id&limit=1");
    if (how === "is killed") await primary.kill9();
    else primary.signal("SIGSTOP");
    await Bun.sleep(500);
    expect((await roster.call("/readyz")).status).toBe(503);
    await tell(standby, "SELECT pg_promote()");
    const backMs = await timeToServe(limits);
    await Bun.sleep(500);
    await load.stop();
    expect(await load.findErrors([roster], (users) => findPostgresCorruption(standby.url(), users))).toEqual(
      [],
    );
    // Readers of events continue after the last one that they know.
    const events = await readEventIds(roster, `after=${lastEvent}&limit=100`);
    expect(events).toEqual([...new Set(events)].toSorted());
    expect(String(events[0]) > String(lastEvent)).toBe(true);
    expect(backMs).toBeLessThan(timeLimit(BACK_WITHIN_MS));
    expect(load.counts.acknowledged).toBeGreaterThan(20);
    if (roundsSetting) console.log({ how, backMs, ...load.counts, ...load.history.counts });
    if (how !== "is killed") primary.signal("SIGCONT");
  },
);

test("a node whose first host is a standby writes to the primary", async () => {
  const { primary, standby } = await startPair();
  const roster = await startRoster(urlOf(standby, primary));
  expect((await roster.send("POST", "/api/users", { name: "First" })).status).toBe(201);
  expect((await roster.call("/api/users/1")).status).toBe(200);
  expect((await roster.call("/api/users?name=First")).status).toBe(200);
});

async function readEventIds(roster: Roster, query: string): Promise<string[]> {
  const response = await roster.call(`/api/events?${query}`);
  expect(response.status).toBe(200);
  const events: { id: string }[] = await response.json();
  return events.map(({ id }) => id);
}

function urlOf(...servers: readonly Postgres[]): string {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`);
  return `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`;
}

/** Runs a query and returns the first value. */
async function tell(server: Postgres, statement: string): Promise<string> {
  const sql = new SQL(server.url(), { max: 1 });
  try {
    const [row] = await sql.unsafe(statement).values();
    return String(row?.[0]);
  } finally {
    await sql.close();
  }
}
