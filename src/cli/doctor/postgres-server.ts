import { type Config, isLoopback } from "../../config/config.ts";
import type { inspectDatabase } from "../../store/inspect-database.ts";
import { formatCount } from "../output/format-count.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

type ServerFacts = Extract<Awaited<ReturnType<typeof inspectDatabase>>, { engine: "postgres" }>;

/** PostgreSQL 15. Keep docs/operations.md in step. */
const MIN_VERSION = 150_000;
const MAX_SHOWN_PRIVILEGES = 4;
const MAX_CLOCK_DIFFERENCE_MS = 1000;

/** Checks a PostgreSQL server. */
export function checkServer(facts: ServerFacts, config: Config): Finding[] {
  return [
    checkVersion(facts, config),
    ...checkEncryption(facts, config),
    checkPrivileges(facts),
    checkConnections(facts, config),
    checkClock(facts),
  ];
}

function checkVersion({ version, versionNumber, encoding, readOnly }: ServerFacts, config: Config): Finding {
  const { displayName } = config.database;
  if (versionNumber < MIN_VERSION)
    return problem("database", `PostgreSQL at ${displayName} is ${version}, and Roster needs 15 or later.`);
  if (encoding !== "UTF8") {
    return problem(
      "database",
      `${displayName} has the encoding ${encoding}: create a database with ENCODING 'UTF8', and set DATABASE_URL to it.`,
    );
  }
  if (readOnly) {
    return problem(
      "database",
      `PostgreSQL at ${displayName} is read-only: set DATABASE_URL to the primary, or list all servers separated by commas.`,
    );
  }
  return ok("database", `PostgreSQL ${version} is running at ${displayName}.`);
}

function checkEncryption({ encrypted }: ServerFacts, { database }: Config): Finding[] {
  if (encrypted || database.engine !== "postgres") return [];
  const isRemote = database.urls.some((url) => {
    const host = decodeURIComponent(new URL(url).hostname);
    return !isLoopback(host) && !host.startsWith("/");
  });
  if (!isRemote) return [];
  return [
    warning(
      "database",
      "The connection to PostgreSQL is not encrypted: add sslmode=verify-full and sslrootcert to DATABASE_URL.",
    ),
  ];
}

function checkPrivileges({ missingPrivileges, user }: ServerFacts): Finding {
  if (missingPrivileges.length === 0)
    return ok("rights", `PostgreSQL lets ${user} do everything that a node needs.`);
  const shown = missingPrivileges.slice(0, MAX_SHOWN_PRIVILEGES).join(", ");
  const hidden = missingPrivileges.length - MAX_SHOWN_PRIVILEGES;
  const more = hidden > 0 ? ` and ${hidden} more` : "";
  return problem(
    "rights",
    `PostgreSQL user ${user} lacks privileges: ${shown}${more}. GRANT the privileges in docs/operations.md.`,
  );
}

function checkConnections({ freeConnections }: ServerFacts, { databasePool }: Config): Finding {
  const free = `PostgreSQL has ${formatCount(freeConnections, "free connection")}`;
  if (freeConnections >= databasePool)
    return ok("connections", `${free}; a node opens up to ${databasePool}.`);
  return warning(
    "connections",
    `${free}, and a node opens up to ${databasePool}: raise max_connections, or lower ROSTER_DATABASE_POOL.`,
  );
}

function checkClock({ clockAheadMs, clockErrorMs }: ServerFacts): Finding {
  const differenceMs = Math.max(0, Math.abs(clockAheadMs) - clockErrorMs);
  if (differenceMs <= MAX_CLOCK_DIFFERENCE_MS)
    return ok("clock", "The clocks of this machine and PostgreSQL differ by less than a second.");
  const seconds = (differenceMs / 1000).toFixed(1);
  return warning(
    "clock",
    `PostgreSQL's clock is ${seconds} s ${clockAheadMs > 0 ? "ahead of" : "behind"} this machine's: use NTP on both.`,
  );
}
