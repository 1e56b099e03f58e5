import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { listAllUsers } from "../support/consistency/list-checks.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import { type FreshDatabase, pooler } from "../support/postgres/fresh-database.ts";
import { RawConnection } from "../support/process/connection.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";
import {
  create,
  expectAdmitted,
  fillUntilRejected,
  flood,
  holdWrites,
  rejectCreates,
  rejectEveryKind,
  requestsInFlight,
  statusOf,
} from "./support/overload.ts";

setDefaultTimeout(120_000);

const MOST = 8;

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
    test("the rest get 503 before the others are done, the health check passes, and the service recovers by itself", async () => {
      const { roster, url } = await start(`--concurrency=${MOST}`);
      expect(await statusOf(create(roster, "Before"))).toBe(201);
      const release = await holdWrites(engine, url);
      const writes = await fillUntilRejected(roster, MOST);
      await rejectEveryKind(roster);
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
        expect(await statusOf(roster.call(path, { method: "PATCH", json: { team: "red" } }))).toBe(200);
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
      await roster.until(async () => (await requestsInFlight(roster)) > slow.length);
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
        await roster.until(async () => {
          const responded = disconnected.filter(({ received }) => received !== "").length;
          return responded + (await requestsInFlight(roster)) > disconnected.length;
        });
        for (const connection of disconnected) connection.close();
        await release();
        await roster.until(async () => (await statusOf(create(roster, "After"))) === 201);
      }
      // All places are free again, once the writes of the disconnected callers have ended: the full number is admitted.
      await roster.until(async () => (await requestsInFlight(roster)) <= 1);
      const release = await holdWrites(engine, url);
      const writes = await fillUntilRejected(roster, MOST);
      await release();
      await expectAdmitted(MOST, writes);
    });
  });

  test("with more writes than the queue holds, the rest get 503 before the others are done, reads work, and queued writes are done", async () => {
    const { roster, url } = await start("--write-queue=5", "--commit-batch=1");
    expect(await statusOf(create(roster, "Before"))).toBe(201);
    const release = await holdWrites(engine, url);
    // 5 writes wait in the queue, and the first write has left it to be committed.
    const writes = await fillUntilRejected(roster, 6);
    await rejectCreates(roster);
    for (const path of ["/api/users/1", "/api/users", "/api/users?q=before", "/healthz", "/readyz"]) {
      expect(await statusOf(roster.call(path))).toBe(200);
    }
    await release();
    await expectAdmitted(6, writes);
    expect((await listAllUsers(roster)).total).toBe(7);
    expect(await statusOf(create(roster, "After"))).toBe(201);
  });

  test("under a flood of creates and searches, no response is 500, and acknowledged users exist", async () => {
    const { roster } = await start();
    const { acknowledged } = await flood(roster, (number) => number === 4);
    expect(acknowledged).toBeGreaterThan(0);
  });
});
