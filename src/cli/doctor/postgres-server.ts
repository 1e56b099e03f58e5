import { type Config, isLoopback } from "../../config/config.ts";
import type { inspectDatabase } from "../../store/inspect-database.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

type ServerFacts = Extract<Awaited<ReturnType<typeof inspectDatabase>>, { engine: "postgres" }>;

/** docs/operations.md says so too. */
const OLDEST = 150_000;
const SHOWN_RIGHTS = 4;
/** Of the two clocks. A second does no harm: times of users are the nodes' own. */
const CLOSE_MS = 1000;

/** What is about a PostgreSQL server. */
export function checkServer(facts: ServerFacts, config: Config): Finding[] {
  return [
    checkVersion(facts, config),
    ...checkWay(facts, config),
    checkRights(facts),
    checkConnections(facts, config),
    checkClock(facts),
  ];
}

function checkVersion({ version, versionNumber, encoding, readOnly }: ServerFacts, config: Config): Finding {
  const { displayName: shown } = config.database;
  if (versionNumber < OLDEST)
    return problem("database", `PostgreSQL at ${shown} is ${version}, and Roster needs 15 or later.`);
  if (encoding !== "UTF8") {
    return problem(
      "database",
      `${shown} keeps text as ${encoding}: make a database with ENCODING 'UTF8', and name it in DATABASE_URL.`,
    );
  }
  if (readOnly) {
    return problem(
      "database",
      `PostgreSQL at ${shown} takes no writes: name the server that does in DATABASE_URL, or all with commas between.`,
    );
  }
  return ok("database", `PostgreSQL ${version} answers at ${shown}.`);
}

/** The password and all users go that way. */
function checkWay({ encrypted }: ServerFacts, { database }: Config): Finding[] {
  if (encrypted || database.engine !== "postgres") return [];
  const beyond = database.urls.some((url) => {
    const host = decodeURIComponent(new URL(url).hostname);
    return !isLoopback(host) && !host.startsWith("/");
  });
  if (!beyond) return [];
  return [
    warning(
      "database",
      "What goes to PostgreSQL and back is not encrypted: add sslmode=verify-full to DATABASE_URL, and sslrootcert.",
    ),
  ];
}

function checkRights({ missingPrivileges: lacking, user }: ServerFacts): Finding {
  if (lacking.length === 0) return ok("rights", `PostgreSQL lets ${user} do all that a node does.`);
  const shown = lacking.slice(0, SHOWN_RIGHTS).join(", ");
  const more = lacking.length > SHOWN_RIGHTS ? ` and ${lacking.length - SHOWN_RIGHTS} more` : "";
  return problem(
    "rights",
    `PostgreSQL does not let ${user}: ${shown}${more}. Have the owner GRANT what docs/operations.md lists.`,
  );
}

function checkConnections({ freeConnections: room }: ServerFacts, { databasePool }: Config): Finding {
  if (room >= databasePool)
    return ok(
      "connections",
      `PostgreSQL has room for ${room} more connections; a node opens ${databasePool}.`,
    );
  return warning(
    "connections",
    `PostgreSQL has room for ${room} more connections, and a node opens ${databasePool}: raise max_connections, or lower ROSTER_DATABASE_POOL.`,
  );
}

function checkClock({ clockAheadMs: ahead, clockErrorMs: uncertain }: ServerFacts): Finding {
  const apart = Math.max(0, Math.abs(ahead) - uncertain);
  if (apart <= CLOSE_MS) return ok("clock", "This machine and PostgreSQL agree on the time, to a second.");
  const seconds = (apart / 1000).toFixed(1);
  return warning(
    "clock",
    `PostgreSQL's clock is ${seconds} s ${ahead > 0 ? "ahead of" : "behind"} this machine's: have both set by NTP.`,
  );
}
