import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import { HostSearch } from "../../src/store/postgres/host-search.ts";
import { BreakableProxy, fatalError } from "../support/postgres/breakable-proxy.ts";
import {
  type FreshDatabase,
  freshDatabase,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import { TestClock } from "../support/test-clock.ts";
import { until } from "../support/until.ts";

startPostgresBeforeTests();

let database: FreshDatabase;
/** Two hosts that lead to one server, and what happened to their connections, in order. */
let one: BreakableProxy;
let two: BreakableProxy;
let events: string[];

beforeEach(async () => {
  database = await freshDatabase();
  [one, two] = [await BreakableProxy.start(database.url), await BreakableProxy.start(database.url)];
  events = [];
});
afterEach(async () => {
  one.stop();
  two.stop();
  await database.drop();
});

/** Records connections of a host. Without `respond`, the host never responds. */
function watch(
  name: string,
  host: BreakableProxy,
  respond: (client: Socket, forward: () => void) => void = ignore,
): void {
  host.answer = (client, forward) => {
    events.push(`${name} is asked`);
    client.on("close", () => events.push(`${name} is closed`));
    client.on("error", () => client.destroy());
    respond(client, forward);
  };
}

/** A socket that nobody reads does not notice that it is closed. */
const ignore = (client: Socket) => void client.resume();
const forwarded = (_: Socket, forward: () => void) => forward();

/** A search whose time limits never expire. */
function searchHosts(target: "read-write" | "any"): HostSearch {
  const hosts = [one, two].map(({ url }) => new URL(url).host);
  const url = new URL(database.url);
  const text = `postgres://${url.username}@${hosts.join()}${url.pathname}?sslmode=disable&target_session_attrs=${target}`;
  const parsed = parseDatabase(text);
  if (parsed.engine !== "postgres") throw new Error(text);
  const clock = TestClock.stopped();
  return new HostSearch({ database: parsed, pool: 1, waitMs: 60_000, dedicatedSessions: true, clock });
}

const portOf = (url: string) => new URL(url).port;

/** Runs statements on the server, not through the hosts. */
async function tell(...statements: readonly string[]): Promise<string> {
  const sql = new SQL(database.url, { max: 1 });
  try {
    let result = "";
    for (const statement of ["SET default_transaction_read_only = off", ...statements])
      result = String(await sql.unsafe(statement).values());
    return result;
  } finally {
    await sql.close();
  }
}

/** Makes the server say to new connections that it takes no writes, or that it does. Ends the others. */
async function setReadOnly(value: "on" | "off"): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  await tell(
    `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
  );
}

/** Whether the server has answered a question of a search, on a connection that is still open. */
async function hasAnswered(): Promise<boolean> {
  const answered = "datname = current_database() AND state = 'idle' AND query LIKE 'SHOW%'";
  return (await tell(`SELECT count(*) FROM pg_stat_activity WHERE ${answered}`)) === "1";
}

test("a search does not wait for a host that does not respond, and closes its connection", async () => {
  watch("one", one);
  watch("two", two, forwarded);
  expect(portOf(await searchHosts("read-write").find())).toBe(portOf(two.url));
  await until(() => events.includes("one is closed"));
  expect(events.indexOf("two is asked")).toBeLessThan(events.indexOf("one is closed"));
});

test("while one host does not respond, a second search finds the host that accepts writes by now", async () => {
  watch("one", one);
  watch("two", two, forwarded);
  await setReadOnly("on");
  const search = searchHosts("read-write");
  const first = search.find().catch(String);
  await until(hasAnswered);
  await setReadOnly("off");
  expect(portOf(await search.find())).toBe(portOf(two.url));
  expect(await first).toContain("Error");
  await until(() => events.includes("one is closed"));
});

test("if no host accepts writes, a search fails with the error of the last host", async () => {
  watch("one", one, (client) => client.once("data", () => client.end(fatalError("57P03"))));
  await setReadOnly("on");
  await expect(searchHosts("read-write").find()).rejects.toThrow("No host accepts writes.");
  watch("two", two, (client) => client.once("data", () => client.end(fatalError("28P01"))));
  await expect(searchHosts("read-write").find()).rejects.toMatchObject({ errno: "28P01" });
});

test("if the node may use a standby, a search prefers the first host of the URL", async () => {
  const isAsked = Promise.withResolvers<void>();
  watch("one", one, (_, forward) => void isAsked.promise.then(forward));
  watch("two", two, (_, forward) => {
    forward();
    isAsked.resolve();
  });
  expect(portOf(await searchHosts("any").find())).toBe(portOf(one.url));
});
