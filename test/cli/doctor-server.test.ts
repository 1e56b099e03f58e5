import { expect, test } from "bun:test";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { checkServer } from "../../src/cli/doctor/postgres-server.ts";
import { readConfig } from "../../src/config/config.ts";

const sound = {
  engine: "postgres",
  schema: { version: 1, latest: 1 },
  contents: undefined,
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

/** What is not in order, each as "level: what it says". */
function told(facts: Partial<Parameters<typeof checkServer>[0]>, host = "db.example"): string[] {
  const config = readConfig([], { DATABASE_URL: `postgres://roster:s3cret@${host}/users` });
  const findings: Finding[] = checkServer({ ...sound, ...facts }, config);
  return findings.filter(({ level }) => level !== "ok").map(({ level, says }) => `${level}: ${says}`);
}

test("a server that is as it should be is found so", () => {
  expect(told({})).toEqual([]);
  expect(told({ missingPrivileges: [], freeConnections: 10, clockAheadMs: -900, clockErrorMs: 100 })).toEqual(
    [],
  );
});

test("one that is too old, keeps text otherwise, or takes no writes is a problem", () => {
  expect(told({ version: "14.9", versionNumber: 140_009 })).toEqual([
    "problem: PostgreSQL at postgres://roster@db.example:5432/users is 14.9, and Roster needs 15 or later.",
  ]);
  expect(told({ encoding: "LATIN1" })[0]).toStartWith("problem: ");
  expect(told({ readOnly: true })[0]).toContain("takes no writes");
});

test("users that go over a network unencrypted are warned of, and those that stay here are not", () => {
  expect(told({ encrypted: false })[0]).toStartWith(
    "warning: What goes to PostgreSQL and back is not encrypted",
  );
  for (const host of ["localhost", "127.0.0.1:5433", "[::1]", "%2Fvar%2Frun%2Fpostgresql"])
    expect(told({ encrypted: false }, host)).toEqual([]);
});

test("fewer connections than a node opens are warned of", () => {
  expect(told({ freeConnections: 9 })).toEqual([
    "warning: PostgreSQL has room for 9 more connections, and a node opens 10: raise max_connections, or lower ROSTER_DATABASE_POOL.",
  ]);
});

test("clocks that are more than a second apart are warned of, as far as that can be known", () => {
  expect(told({ clockAheadMs: 5000, clockErrorMs: 100 })).toEqual([
    "warning: PostgreSQL's clock is 4.9 s ahead of this machine's: have both set by NTP.",
  ]);
  expect(told({ clockAheadMs: -5000 })[0]).toContain("behind this machine's");
  expect(told({ clockAheadMs: 1500, clockErrorMs: 1000 })).toEqual([]);
});

test("rights that are lacking are named, and the rest counted", () => {
  const lacking = Array.from({ length: 6 }, (_, i) => `INSERT ON roster.t${i}`);
  expect(told({ missingPrivileges: lacking })[0]).toContain(
    "INSERT ON roster.t3 and 2 more. Have the owner GRANT",
  );
});
