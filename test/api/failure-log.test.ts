import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { FailureLog } from "../../src/http/access/failure-log.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { bearer, createFirstKey, sameOrigin, startSession, unknownSession } from "../support/credentials.ts";
import { databaseOn } from "../support/engines.ts";
import { startService } from "../support/service.ts";
import { TestClock } from "../support/test-clock.ts";

setDefaultTimeout(120_000);

interface Entry {
  readonly message: string;
  readonly address: string;
  readonly count: number;
  readonly reasons: string;
  readonly keys?: string;
}

const parseEntries = (lines: readonly string[]): Entry[] => lines.map((line) => JSON.parse(line));

function startLog(clock = TestClock.stopped()) {
  const lines: string[] = [];
  const log = createLog({ level: "info", json: true, out: (line) => lines.push(line) });
  return { failures: new FailureLog(log, clock), entries: () => parseEntries(lines) };
}

describe("rejected credentials", () => {
  test("make one line per address in the log of the service", async () => {
    const database = await databaseOn("sqlite");
    const first = await startService({ database: database.url });
    const key = await createFirstKey(first);
    await first.stop();
    const keyed = await startService({ database: database.url, trustedProxies: "127.0.0.1, ::1" });
    const createKey = async () => {
      const body = { name: "revoked", scopes: ["users:read"] };
      const created: { id: number; key: string } = await (
        await keyed.call("/api/keys", { method: "POST", json: body, headers: bearer(key) })
      ).json();
      return created;
    };
    const revoked = await createKey();
    await keyed.call(`/api/keys/${revoked.id}`, { method: "DELETE", headers: bearer(key) });
    const before = keyed.log.length;
    const send = (headers: Record<string, string>, address: string) =>
      keyed.call("/api/users", { headers: { ...headers, "x-forwarded-for": address } });
    const statuses: number[] = [];
    for (let tries = 0; tries < 60; tries++) {
      statuses.push((await send(bearer(createSecret()), "192.0.2.1")).status);
    }
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    await send(bearer("roster_wrong"), "192.0.2.1");
    await send(bearer(revoked.key), "192.0.2.2");
    await send({ ...unknownSession(), ...sameOrigin }, "192.0.2.2");
    await send(bearer(createSecret()), "2001:db8:0:1::1");
    await send(bearer(createSecret()), "2001:db8:0:1::2");
    // Neither counts: a request without credentials, and valid ones.
    await send({}, "192.0.2.3");
    await send(bearer(key), "192.0.2.3");
    await send(await startSession(keyed, key), "192.0.2.3");
    expect(keyed.log.length).toBe(before);
    await keyed.stop();
    await database.drop();
    const entries = parseEntries(keyed.log.slice(before)).filter(
      ({ message }) => message === "rejected credentials",
    );
    expect(entries).toEqual([
      expect.objectContaining({
        level: "info",
        address: "192.0.2.1",
        count: 61,
        reasons: "60 unknown key, 1 malformed key",
      }),
      expect.objectContaining({
        address: "192.0.2.2",
        count: 2,
        reasons: "1 revoked key, 1 ended session",
        keys: String(revoked.id),
      }),
      expect.objectContaining({ address: "2001:db8:0:1::/64", count: 2, reasons: "2 unknown key" }),
    ]);
  });

  test("are logged after the interval, and counted from zero again", async () => {
    const clock = TestClock.stopped();
    const { failures, entries } = startLog(clock);
    for (let round = 1; round <= 2; round++) {
      for (let times = 0; times < 5; times++) failures.record("192.0.2.1", "unknown key");
      await clock.advance(59_000);
      expect(entries()).toHaveLength(round - 1);
      await clock.advance(1000);
      expect(entries()).toHaveLength(round);
      expect(entries().at(-1)).toMatchObject({ address: "192.0.2.1", count: 5 });
    }
  });

  test("of many addresses share a line after the first hundred", () => {
    const { failures, entries } = startLog();
    for (let round = 0; round < 2; round++) {
      for (let address = 0; address < 5000; address++) failures.record(`address ${address}`, "unknown key");
    }
    failures.flush();
    expect(entries()).toHaveLength(101);
    expect(entries()[0]).toMatchObject({ address: "address 0", count: 2 });
    expect(entries().at(-1)).toMatchObject({ address: "other addresses", count: 9800 });
    failures.flush();
    expect(entries()).toHaveLength(101);
  });

  test("name at most ten keys", () => {
    const { failures, entries } = startLog();
    for (let key = 1; key <= 50; key++) failures.record("192.0.2.1", "expired key", key);
    failures.flush();
    expect(entries()).toMatchObject([{ count: 50, keys: "1, 2, 3, 4, 5, 6, 7, 8, 9, 10" }]);
  });
});
