import { expect } from "bun:test";
import { SQL } from "bun";
import { findPostgresCorruption } from "../../support/consistency/postgres-corruption.ts";
import { timeToServe } from "../../support/consistency/time-to-serve.ts";
import { Workload } from "../../support/consistency/workload.ts";
import { type Postgres, startPostgres } from "../../support/postgres/server.ts";
import { startStandby } from "../../support/postgres/standby.ts";
import { type Roster, startRoster } from "../../support/process/roster.ts";
import { until } from "../../support/until.ts";
import type { Promised } from "./faults.ts";

/** A primary and its synchronous standby. */
export interface StandbyPair {
  readonly primary: Postgres;
  readonly standby: Postgres;
  destroy(): Promise<void>;
}

export async function startPair(): Promise<StandbyPair> {
  const primary = await startPostgres();
  const standby = await startStandby(primary);
  await tell(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await tell(primary, "SELECT pg_reload_conf()");
  const synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
  await until(async () => (await tell(primary, synchronous)) === "1");
  const destroy = async () => {
    await Promise.all([primary.destroy(), standby.destroy()]);
  };
  return { primary, standby, destroy };
}

/** Makes a standby a primary. A statement that waits for it could keep the standby from replaying what it has received. */
export async function promote(standby: Postgres): Promise<void> {
  await tell(standby, "SELECT pg_promote(wait => false)");
  await until(async () => (await tell(standby, "SELECT pg_is_in_recovery()")) === "false");
}

/** The URL of several servers, of which a node uses the one that accepts writes. */
export function urlOf(...servers: readonly Postgres[]): string {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`);
  return `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`;
}

/** Breaks the primary under load, and promotes the standby. Returns the milliseconds until the node serves again. */
export async function failOver(
  { primary, standby }: StandbyPair,
  how: "is killed" | "freezes",
  waitMs: number,
  promised: Promised = {},
): Promise<number> {
  const flags = [`--database-wait=${waitMs}`];
  const roster = await startRoster(urlOf(primary, standby), { flags });
  const load = new Workload({ ports: () => [roster.port], ...promised });
  await load.prepare();
  load.start();
  await roster.until(load.moreWrites(20), () => "20 writes");
  const [lastEvent = ""] = await readEventIds(roster, "sort=-id&limit=1");
  if (how === "is killed") await primary.kill9();
  else primary.signal("SIGSTOP");
  expect((await roster.call("/readyz")).status).toBe(503);
  await promote(standby);
  const backMs = await timeToServe({ service: roster, withinMs: promised.withinMs });
  await roster.until(load.moreWrites(20), () => "20 more writes after the promotion");
  await load.stop();
  const errors = await load.findErrors([roster], (users) => findPostgresCorruption(standby.url(), users));
  expect(errors).toEqual([]);
  // Readers of events continue after the last one that they know.
  const events = await readEventIds(roster, `after=${lastEvent}&limit=100`);
  expect(events).toEqual([...new Set(events)].toSorted());
  expect(String(events[0]) > lastEvent).toBe(true);
  if (process.env.FAULT_ROUNDS) console.log({ how, backMs, ...load.counts, ...load.history.counts });
  if (how === "freezes") primary.signal("SIGCONT");
  return backMs;
}

async function readEventIds(roster: Roster, query: string): Promise<string[]> {
  const response = await roster.until(async () => {
    const read = await roster.call(`/api/events?${query}`);
    return read.status === 503 ? undefined : read;
  });
  expect(response.status).toBe(200);
  const events: { id: string }[] = await response.json();
  return events.map(({ id }) => id);
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
