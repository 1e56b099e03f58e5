import { expect } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { SQL } from "bun";
import { listAllUsers } from "../../support/consistency/list-checks.ts";
import type { Engine } from "../../support/engines.ts";
import { pooler } from "../../support/postgres/fresh-database.ts";
import { requestText } from "../../support/process/connection.ts";
import type { Roster } from "../../support/process/roster.ts";
import { takeWriteLock } from "../../support/process/write-lock.ts";

export const FLOOD_CALLERS = 500;

export const create = (roster: Roster, name: string) =>
  roster.call("/api/users", { method: "POST", json: { name } });
export const statusOf = async (response: Promise<Response>) => (await response).status;

/** Expects 503, because the service is overloaded. Returns the milliseconds until the response. */
async function timeToReject(request: () => Promise<Response>): Promise<number> {
  const begin = performance.now();
  const response = await request();
  const ms = performance.now() - begin;
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await response.json()).toMatchObject({ type: "/problems/unavailable", status: 503 });
  return ms;
}

/** Expects that every kind of request is rejected, except the health check. Returns the milliseconds of the slowest. */
export async function rejectEveryKind(roster: Roster): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    times.push(
      await timeToReject(() => roster.call("/api/users/1")),
      await timeToReject(() => roster.call("/api/users?q=before&count=true")),
      await timeToReject(() => create(roster, "One too many")),
      await timeToReject(() => roster.call("/api/keys")),
    );
    const begin = performance.now();
    expect(await statusOf(roster.call("/healthz"))).toBe(200);
    times.push(performance.now() - begin);
  }
  return Math.max(...times, await rejectCreates(roster));
}

/** Expects that a hundred creates at the same time are rejected. Returns the milliseconds of the slowest. */
export async function rejectCreates(roster: Roster): Promise<number> {
  const many = Array.from({ length: 100 }, () => timeToReject(() => create(roster, "Too many")));
  return Math.max(...(await Promise.all(many)));
}

/** Sends creates while writes are blocked, until only the admitted ones are unanswered. Returns their statuses. */
export async function fillUntilRejected(roster: Roster, admitted: number): Promise<Promise<number>[]> {
  const statuses: Promise<number>[] = [];
  let rejected = 0;
  await roster.until(() => {
    const status = statusOf(create(roster, "Waits"));
    statuses.push(status);
    void status.then((code) => {
      if (code === 503) rejected++;
    });
    return rejected >= 20;
  });
  // A create that arrives after the writes are released would be admitted, too.
  await roster.until(() => statuses.length - rejected === admitted);
  return statuses;
}

/** The number of running requests, including the one that asks. */
export async function requestsInFlight(roster: Roster): Promise<number> {
  const metrics = await (await roster.call("/metrics")).text();
  return Number(/^roster_http_requests_in_flight (\d+)$/m.exec(metrics)?.[1]);
}

export async function expectAdmitted(count: number, writes: readonly Promise<number>[]): Promise<void> {
  const statuses = await Promise.all(writes);
  expect(new Set(statuses)).toEqual(new Set([201, 503]));
  expect(statuses.filter((status) => status === 201)).toHaveLength(count);
}

/** Blocks every write until the returned function is called. */
export async function holdWrites(engine: Engine, url: string): Promise<() => Promise<void>> {
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

/** Callers that create users and search at the same time, each until `isOver` for the number of its next request. */
export async function flood(roster: Roster, isOver: (number: number) => boolean) {
  const callers = await Promise.all(Array.from({ length: FLOOD_CALLERS }, () => Caller.open(roster.port)));
  const responses: TimedResponse[] = [];
  const acknowledged = new Set<string>();
  const unsettled = new Set<string>();
  const write = async (caller: Caller, owner: number) => {
    for (let number = 0; !isOver(number); number++) {
      const name = `Ada ${owner}/${number}`;
      const email = `a${owner}.${number}@example.com`;
      const response = await caller.send("POST", "/api/users", { name, email });
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
    for (let number = 0; !isOver(number); number++) {
      responses.push(await caller.send("GET", `/api/users${lists[number % lists.length]}`));
    }
  };
  let isFlooded = true;
  const watcher = await Caller.open(roster.port);
  const health: TimedResponse[] = [];
  const watch = async () => {
    for (; isFlooded; await Bun.sleep(50)) health.push(await watcher.send("GET", "/healthz"));
  };
  const watching = watch();
  await Promise.all(callers.map((caller, i) => (i % 2 ? write(caller, i) : search(caller))));
  isFlooded = false;
  await watching;
  for (const { socket } of [watcher, ...callers]) socket.destroy();

  expect(responses.filter(({ status }) => ![200, 201, 503].includes(status))).toEqual([]);
  expect(responses.filter(({ status, retryAfter }) => status === 503 && !retryAfter)).toEqual([]);
  expect(health.filter(({ status }) => status !== 200)).toEqual([]);
  const there = (await listAllUsers(roster)).users.map(({ name }) => name);
  expect(acknowledged.difference(new Set(there))).toEqual(new Set());
  expect(new Set(there).difference(acknowledged.union(unsettled))).toEqual(new Set());
  expect(new Set(there).size).toBe(there.length);
  const slowest = (of: readonly TimedResponse[]) => Math.round(Math.max(...of.map(({ ms }) => ms)));
  return {
    responses: responses.length,
    acknowledged: acknowledged.size,
    slowestMs: slowest(responses),
    slowestHealthMs: slowest(health),
  };
}

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
