import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";

afterAll(stopAll);

test("calls from hundreds of thousands of addresses do not grow the service's memory", async () => {
  // So slow that no bucket refills and none can be evicted for being full.
  const flags = ["--auth=off", "--trusted-proxies=127.0.0.1", "--rate-limit=6000/86400"];
  const roster = await startRoster(join(temporaryFolder(), "roster.db"), { flags });
  await callFromMany(roster, 0, 60_000);
  const before = await residentMiB(roster);
  await callFromMany(roster, 60_000, 200_000);
  const after = await residentMiB(roster);
  // Without a limit, the buckets would take about a hundred MiB more.
  expect(after - before).toBeLessThan(40);
  expect(after).toBeLessThan(250);
  // An evicted address starts with a full bucket; an address that still has a bucket does not.
  const left = async (address: string) => {
    const response = await roster.call("/api/users/1", { headers: { "x-forwarded-for": address } });
    return /r=(\d+)/.exec(response.headers.get("ratelimit") ?? "")?.[1];
  };
  expect(await left("192.0.2.1")).toBe("5999");
  expect(await left("192.0.2.1")).toBe("5998");
}, 600_000);

const SOCKETS = 4;
const AT_ONCE = 100;

/** Sends one request per address in a range, pipelined by the hundred on a few connections. */
async function callFromMany({ port }: Roster, from: number, to: number): Promise<void> {
  let next = from;
  const requests = () => {
    const texts = Array.from({ length: AT_ONCE }, () => {
      const address = `20.${(next >> 16) & 255}.${(next >> 8) & 255}.${next++ & 255}`;
      return `GET /api/users/1 HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`;
    });
    return texts.join("");
  };
  const runConnection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      let responses = 0;
      let rest = "";
      const more = () => {
        if (next < to) return void socket.write(requests());
        socket.destroy();
        resolve();
      };
      socket.setEncoding("latin1");
      socket.on("connect", more);
      socket.on("error", reject);
      socket.on("data", (text) => {
        const parts = (rest + text).split("HTTP/1.1 404");
        responses += parts.length - 1;
        rest = (parts.at(-1) ?? "").slice(-12);
        if (responses < AT_ONCE) return;
        responses -= AT_ONCE;
        more();
      });
    });
  await Promise.all(Array.from({ length: SOCKETS }, runConnection));
}

/** The lowest of several readings, because freed memory is returned late. */
async function residentMiB({ pid }: Roster): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 5; look++) {
    const kib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    least = Math.min(least, Math.round(kib / 1024));
    await Bun.sleep(100);
  }
  return least;
}
