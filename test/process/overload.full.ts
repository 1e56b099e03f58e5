import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { SQL } from "bun";
import { listAllUsers } from "../support/consistency/list-checks.ts";
import { databaseOn, type Engine, onEachEngine } from "../support/engines.ts";
import { type FreshDatabase, pooler } from "../support/postgres/fresh-database.ts";
import { RawConnection, requestText } from "../support/process/connection.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";
import { takeWriteLock } from "../support/process/write-lock.ts";
import { STRICT_TIMES, timeLimit } from "../support/time-limit.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

/** `LIMITS_FIGURES=1 npm test overload` prints the measurements. */
const measurements: Record<string, unknown> = {};
afterAll(() => {
  if (process.env.LIMITS_FIGURES) console.log(measurements);
});

/** The meaning of "at once". Waiting for the database would take longer. */
const AT_ONCE_MS = timeLimit(1000);
const MOST = 8;
const FLOOD = 500;
const FLOOD_MS = 3000;
const WAIT_MS = 3000;
const SLACK_MS = 1500;

const create = (roster: Roster, name: string) => roster.send("POST", "/api/users", { name });
const statusOf = async (response: Promise<Response>) => (await response).status;

/** Expects 503 at once, because the service is overloaded. */
async function expectRejectedAtOnce(request: () => Promise<Response>): Promise<void> {
  const begin = performance.now();
  const response = await request();
  expect(performance.now() - begin).toBeLessThan(AT_ONCE_MS);
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await response.json()).toMatchObject({ type: "/problems/unavailable", status: 503 });
}

/** Sends creates while writes are blocked, until only the admitted ones are unanswered. Returns their statuses. */
async function fillUntilRejected(roster: Roster, admitted: number): Promise<Promise<number>[]> {
  const statuses: Promise<number>[] = [];
  let rejected = 0;
  await until(() => {
    const status = statusOf(create(roster, "Waits"));
    statuses.push(status);
    void status.then((code) => {
      if (code === 503) rejected++;
    });
    return rejected >= 20;
  });
  // A create that arrives after the writes are released would be admitted, too.
  await until(() => statuses.length - rejected === admitted);
  return statuses;
}

/** The number of running requests, including the one that asks. */
async function requestsInFlight(roster: Roster): Promise<number> {
  const metrics = await (await roster.call("/metrics")).text();
  return Number(/^roster_http_requests_in_flight (\d+)$/m.exec(metrics)?.[1]);
}

async function expectAdmitted(count: number, writes: readonly Promise<number>[]): Promise<void> {
  const statuses = await Promise.all(writes);
  expect(new Set(statuses)).toEqual(new Set([201, 503]));
  expect(statuses.filter((status) => status === 201)).toHaveLength(count);
}

/** Blocks every write until the returned function is called. */
async function holdWrites(engine: Engine, url: string): Promise<() => Promise<void>> {
  if (engine === "sqlite") {
    const db = takeWriteLock(url);
    return async () => db.close();
  }
  const sql = new SQL(url, { max: 1, prepare: pooler === "none" });
  const connection = await sql.reserve();
  await connection`BEGIN`;
  await connection`LOCK TABLE roster.users IN SHARE MODE`;
  return async () => {
    await connection`ROLLBACK`;
    connection.release();
    await sql.close();
  };
}

onEachEngine((engine) => {
  const databases: FreshDatabase[] = [];
  afterEach(async () => {
    await stopAll();
    for (const database of databases.splice(0)) await database.drop();
  });

  async function start(...flags: string[]): Promise<{ roster: Roster; url: string }> {
    const database = await databaseOn(engine);
    databases.push(database);
    const all = [`--database-pooler=${pooler}`, "--database-wait=60000", ...flags];
    return { roster: await startRoster(database.url, { flags: all }), url: database.url };
  }

  describe("with more concurrent requests than allowed", () => {
    test("the rest get 503 at once, the health check passes, and the service recovers by itself", async () => {
      const { roster, url } = await start(`--concurrency=${MOST}`);
      expect(await statusOf(create(roster, "Before"))).toBe(201);
      const release = await holdWrites(engine, url);
      const writes = await fillUntilRejected(roster, MOST);
      for (let round = 0; round < 5; round++) {
        await expectRejectedAtOnce(() => roster.call("/api/users/1"));
        await expectRejectedAtOnce(() => roster.call("/api/users?q=before&count=true"));
        await expectRejectedAtOnce(() => create(roster, "One too many"));
        await expectRejectedAtOnce(() => roster.call("/api/keys"));
        const begin = performance.now();
        expect(await statusOf(roster.call("/healthz"))).toBe(200);
        expect(performance.now() - begin).toBeLessThan(AT_ONCE_MS);
      }
      const many = Array.from({ length: 100 }, () => expectRejectedAtOnce(() => create(roster, "Too many")));
      await Promise.all(many);
      await release();
      await expectAdmitted(MOST, writes);
      expect(await statusOf(roster.call("/api/users/1"))).toBe(200);
      expect((await listAllUsers(roster)).users.map(({ name }) => name)).toEqual([
        "Before",
        ...Array.from({ length: MOST }, () => "Waits"),
      ]);
    });

    test("a concurrency of one is enough for every operation", async () => {
      const { roster } = await start("--concurrency=1");
      for (let round = 0; round < 5; round++) {
        const created = await create(roster, `Alone ${round}`);
        expect(created.status).toBe(201);
        const path = created.headers.get("location") ?? "";
        expect(await statusOf(roster.send("PATCH", path, { team: "red" }))).toBe(200);
        expect(await statusOf(roster.call("/api/users?q=alone&count=true"))).toBe(200);
        expect(await statusOf(roster.call(path, { method: "DELETE" }))).toBe(204);
      }
    });

    test("callers that send their body slowly do not count against the limit", async () => {
      const { roster, url } = await start(`--concurrency=${MOST}`, "--idle-timeout=120");
      const body = JSON.stringify({ name: "Slow" });
      const head = `POST /api/users HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
      const slow = await Promise.all(Array.from({ length: MOST * 5 }, () => RawConnection.open(roster.port)));
      slow.forEach((connection, index) => {
        // Half of them send a Content-Length.
        const length =
          index % 2 ? `Content-Length: ${body.length}\r\n\r\n` : "Transfer-Encoding: chunked\r\n\r\n1\r\n";
        connection.write(head + length + body.slice(0, 1));
      });
      await Bun.sleep(200);
      for (let round = 0; round < 10; round++) {
        expect(await statusOf(roster.call("/api/users?limit=1"))).toBe(200);
        expect(await statusOf(create(roster, `Quick ${round}`))).toBe(201);
      }
      const finish = async (expected: number, connections: readonly RawConnection[]) => {
        for (const [index, connection] of connections.entries()) {
          const rest = body.slice(1);
          connection.write(index % 2 ? rest : `\r\n${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n`);
          await connection.until(`HTTP/1.1 ${expected}`);
          connection.close();
        }
      };
      await finish(201, slow.slice(10));
      // A body that completes while the limit is reached gets 503.
      const release = await holdWrites(engine, url);
      const writes = await fillUntilRejected(roster, MOST);
      await finish(503, slow.slice(0, 10));
      await release();
      await expectAdmitted(MOST, writes);
      expect((await listAllUsers(roster)).total).toBe(10 + slow.length - 10 + MOST);
    });

    test("callers that disconnect free their place", async () => {
      const { roster, url } = await start(`--concurrency=${MOST}`);
      const request = (length: number) =>
        `POST /api/users HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{"name":"Gone"}`;
      for (let round = 0; round < 2; round++) {
        // Some disconnect before the body is complete, some while the write waits.
        const release = await holdWrites(engine, url);
        const disconnected = await Promise.all(
          Array.from({ length: MOST * 2 }, () => RawConnection.open(roster.port)),
        );
        for (const [index, connection] of disconnected.entries())
          connection.write(request(index % 2 ? 15 : 500));
        await Bun.sleep(100);
        for (const connection of disconnected) connection.close();
        await release();
        await until(async () => (await statusOf(create(roster, "After"))) === 201);
      }
      // All places are free again, once the writes of the disconnected callers have ended: the full number is admitted.
      await until(async () => (await requestsInFlight(roster)) <= 1);
      const release = await holdWrites(engine, url);
      const writes = await fillUntilRejected(roster, MOST);
      await release();
      await expectAdmitted(MOST, writes);
    });
  });

  test("with more writes than the queue holds, the rest get 503 at once, reads work, and queued writes are done", async () => {
    const { roster, url } = await start("--write-queue=5", "--commit-batch=1");
    expect(await statusOf(create(roster, "Before"))).toBe(201);
    const release = await holdWrites(engine, url);
    // 5 writes wait in the queue, and the first write has left it to be committed.
    const writes = await fillUntilRejected(roster, 6);
    const rest = Array.from({ length: 100 }, () => expectRejectedAtOnce(() => create(roster, "Too many")));
    await Promise.all(rest);
    for (const path of ["/api/users/1", "/api/users", "/api/users?q=before", "/healthz", "/readyz"]) {
      expect(await statusOf(roster.call(path))).toBe(200);
    }
    await release();
    await expectAdmitted(6, writes);
    expect((await listAllUsers(roster)).total).toBe(7);
    expect(await statusOf(create(roster, "After"))).toBe(201);
  });

  test("under a flood of creates and searches, every response comes in time, none is 500, and acknowledged users exist", async () => {
    const { roster } = await start(`--database-wait=${WAIT_MS}`);
    const callers = await Promise.all(Array.from({ length: FLOOD }, () => Caller.open(roster.port)));
    const responses: TimedResponse[] = [];
    const acknowledged = new Set<string>();
    const unsettled = new Set<string>();
    const end = performance.now() + FLOOD_MS;
    const write = async (caller: Caller, owner: number) => {
      for (let number = 0; performance.now() < end; number++) {
        const name = `Ada ${owner}/${number}`;
        const response = await caller.send("POST", "/api/users", {
          name,
          email: `a${owner}.${number}@example.com`,
        });
        responses.push(response);
        (response.status === 201 ? acknowledged : unsettled).add(name);
      }
    };
    const lists = [
      "?q=ada&limit=10",
      "?q=example&sort=-name&limit=5",
      "?limit=20",
      "?q=9@ex&count=true&limit=5",
    ];
    const search = async (caller: Caller) => {
      for (let number = 0; performance.now() < end; number++) {
        responses.push(await caller.send("GET", `/api/users${lists[number % lists.length]}`));
      }
    };
    const watcher = await Caller.open(roster.port);
    const health: TimedResponse[] = [];
    const watch = async () => {
      for (; performance.now() < end; await Bun.sleep(50)) health.push(await watcher.send("GET", "/healthz"));
    };
    await Promise.all([watch(), ...callers.map((caller, i) => (i % 2 ? write(caller, i) : search(caller)))]);
    for (const { socket } of [watcher, ...callers]) socket.destroy();

    const slowest = (of: TimedResponse[]) => Math.round(Math.max(...of.map(({ ms }) => ms)));
    const rejected = responses.filter(({ status }) => status === 503);
    measurements[`flood, ${engine}`] = {
      responses: responses.length,
      acknowledged: acknowledged.size,
      rejected: rejected.length,
      slowest: slowest(responses),
      slowestHealth: slowest(health),
    };
    expect(responses.filter(({ status }) => ![200, 201, 503].includes(status))).toEqual([]);
    expect(rejected.filter(({ retryAfter }) => !retryAfter)).toEqual([]);
    expect(slowest(responses)).toBeLessThan(timeLimit(WAIT_MS + SLACK_MS));
    expect(slowest(health)).toBeLessThan(timeLimit(SLACK_MS));
    expect(acknowledged.size).toBeGreaterThan(STRICT_TIMES ? FLOOD : 0);
    const there = (await listAllUsers(roster)).users.map(({ name }) => name);
    expect(acknowledged.difference(new Set(there))).toEqual(new Set());
    expect(new Set(there).difference(acknowledged.union(unsettled))).toEqual(new Set());
    expect(new Set(there).size).toBe(there.length);
  });
});

interface TimedResponse {
  readonly status: number;
  readonly retryAfter: boolean;
  readonly ms: number;
}

/** One keep-alive connection that sends requests in sequence. `fetch` would run only half as many at once. */
class Caller {
  #received = "";
  #responded = Promise.withResolvers<void>();

  private constructor(readonly socket: Socket) {
    socket.setEncoding("latin1");
    socket.on("error", (error) => this.#responded.reject(error));
    socket.on("close", () =>
      this.#responded.reject(new Error(`The connection was closed after ${this.#received}`)),
    );
    socket.on("data", (text) => {
      this.#received += text;
      const length = /\r\ncontent-length: (\d+)\r\n/i.exec(this.#received)?.[1];
      const head = this.#received.indexOf("\r\n\r\n");
      if (head >= 0 && this.#received.length >= head + 4 + Number(length)) this.#responded.resolve();
    });
  }

  static async open(port: number): Promise<Caller> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new Caller(socket);
  }

  async send(method: string, path: string, body?: object): Promise<TimedResponse> {
    const begin = performance.now();
    this.#received = "";
    this.#responded = Promise.withResolvers();
    this.socket.write(requestText(method, path, body && JSON.stringify(body)));
    await this.#responded.promise;
    const retryAfter = /\r\nretry-after: 1\r\n/i.test(this.#received);
    return { status: Number(this.#received.slice(9, 12)), retryAfter, ms: performance.now() - begin };
  }
}
