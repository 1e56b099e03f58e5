import { expect, test } from "bun:test";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { checkServer } from "../../src/cli/doctor/postgres-server.ts";
import { readConfig } from "../../src/config/config.ts";

const healthy = {
  engine: "postgres",
  schema: { version: 1, latest: 1, isRecorded: true, isEarlier: false },
  tableProblems: [],
  contents: undefined,
  moving: undefined,
  version: "18.1",
  versionNumber: 180_001,
  encoding: "UTF8",
  user: "roster",
  encrypted: true,
  readOnly: false,
  freeConnections: 90,
  clockAheadMs: 0,
  clockErrorMs: 1,
  missingPrivileges: [],
} as const;

/** The warnings and problems, each as "level: text". */
function findingsOf(facts: Partial<Parameters<typeof checkServer>[0]>, host = "db.example"): string[] {
  const config = readConfig([], { DATABASE_URL: `postgres://roster:s3cret@${host}/users` });
  const findings: Finding[] = checkServer({ ...healthy, ...facts }, config);
  return findings.filter(({ level }) => level !== "ok").map(({ level, says }) => `${level}: ${says}`);
}

test("finds nothing wrong with a healthy server", () => {
  expect(findingsOf({})).toEqual([]);
  expect(
    findingsOf({ missingPrivileges: [], freeConnections: 10, clockAheadMs: -900, clockErrorMs: 100 }),
  ).toEqual([]);
});

test("reports a server that is too old, has another encoding or is read-only as a problem", () => {
  expect(findingsOf({ version: "14.9", versionNumber: 140_009 })).toEqual([
    "problem: PostgreSQL at postgres://roster@db.example:5432/users is 14.9, and Roster needs 15 or later.",
  ]);
  expect(findingsOf({ encoding: "LATIN1" })[0]).toStartWith("problem: ");
  expect(findingsOf({ readOnly: true })[0]).toContain("is read-only");
});

test("warns about an unencrypted connection, except to this machine", () => {
  expect(findingsOf({ encrypted: false })[0]).toStartWith(
    "warning: The connection to PostgreSQL is not encrypted",
  );
  for (const host of ["localhost", "127.0.0.1:5433", "[::1]", "%2Fvar%2Frun%2Fpostgresql"])
    expect(findingsOf({ encrypted: false }, host)).toEqual([]);
});

test("warns if fewer connections are free than a node opens", () => {
  expect(findingsOf({ freeConnections: 9 })).toEqual([
    "warning: PostgreSQL has 9 free connections, and a node opens up to 10: raise max_connections, or lower ROSTER_DATABASE_POOL.",
  ]);
});

test("warns if the clocks differ by more than a second beyond the measuring error", () => {
  expect(findingsOf({ clockAheadMs: 5000, clockErrorMs: 100 })).toEqual([
    "warning: PostgreSQL's clock is 4.9 s ahead of this machine's: use NTP on both.",
  ]);
  expect(findingsOf({ clockAheadMs: -5000 })[0]).toContain("behind this machine's");
  expect(findingsOf({ clockAheadMs: 1500, clockErrorMs: 1000 })).toEqual([]);
});

test("names the first missing privileges and counts the rest", () => {
  const missingPrivileges = Array.from({ length: 6 }, (_, i) => `INSERT ON roster.t${i}`);
  expect(findingsOf({ missingPrivileges })[0]).toContain(
    "INSERT ON roster.t3 and 2 more. GRANT the privileges",
  );
});
