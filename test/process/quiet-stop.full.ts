import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { CSV, NDJSON, toNdjson } from "../support/bulk-requests.ts";
import type { TestRequest } from "../support/call.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import { importLines, importWithRetries } from "../support/process/bulk-import.ts";
import { RawConnection, requestText } from "../support/process/connection.ts";
import { type Roster, startRoster, stopAll } from "../support/process/roster.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

/** About 12 MB: more than the buffers of sockets and streams hold. */
const USERS = 1000;
const NOTE = "x".repeat(12_000);
/** Short enough that requests are always running, and long enough to leave the processor to other tests. */
const CALL_PAUSE_MS = 5;

/** Log lines that an operator would have to look at. */
const readAlarms = ({ stdout }: Roster) =>
  stdout.map((line) => JSON.parse(line)).filter(({ level }) => level === "warn" || level === "error");

async function openConnection(roster: Roster, text: string): Promise<RawConnection> {
  const connection = await RawConnection.open(roster.port);
  connection.stopReading();
  await connection.writeAll(text);
  return connection;
}

/** Sends requests until no connection can be opened. */
async function callRepeatedly(roster: Roster, path: string, request?: TestRequest): Promise<void> {
  for (;;) {
    try {
      await (await roster.call(path, request)).text();
      await Bun.sleep(CALL_PAUSE_MS);
    } catch {
      return;
    }
  }
}

onEachEngine((engine) => {
  const stops = [
    ["at once", "--shutdown-grace=0"],
    ["after the grace period", "--shutdown-grace=1"],
  ];
  // The grace period does not depend on the engine.
  test.each(engine === "sqlite" ? stops : stops.slice(0, 1))(
    "a planned stop that aborts requests and streams %s logs no error",
    async (_, grace) => {
      const { url, drop } = await databaseOn(engine);
      const flags = ["--shutdown-delay=1", grace, "--rate-limit=0"];
      const roster = await startRoster(url, { flags });
      await importWithRetries(
        roster,
        toNdjson(importLines("large", USERS).map((line) => ({ ...line, note: NOTE }))),
        "large",
      );
      const exportOf = (accept: string) =>
        `GET /api/users HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\n\r\n`;
      const importHead =
        "POST /api/users/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
      const lines = toNdjson(importLines("slow", 600));
      const connections = [
        await openConnection(roster, requestText("POST", "/api/users", '{"name":"Slow"}').slice(0, -2)),
        await openConnection(roster, exportOf(NDJSON)),
        await openConnection(roster, exportOf(CSV)),
        await openConnection(roster, `${importHead}${lines.length.toString(16)}\r\n${lines}\r\n`),
      ];
      const callers = [
        callRepeatedly(roster, "/readyz"),
        callRepeatedly(roster, "/metrics"),
        callRepeatedly(roster, "/api/users?q=line&count=true"),
        callRepeatedly(roster, "/api/users/1"),
        callRepeatedly(roster, "/api/users", { method: "POST", json: { name: "Ada" } }),
      ];
      await roster.until(async () => (await (await roster.call("/api/users?name=Ada")).json()).length > 0);
      roster.kill("SIGTERM");
      expect(await roster.exited).toEqual({ code: 0, signal: null });
      await Promise.all(callers);
      for (const connection of connections) connection.close();
      expect(roster.stderr).toEqual([]);
      expect(readAlarms(roster)).toEqual([]);
      await drop();
    },
  );
});
