import { existsSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import type { DatabaseContents, DatabaseFacts } from "../../store/database-facts.ts";
import { inspectDatabase } from "../../store/inspect-database.ts";
import { describeTableProblems, isOutdated } from "../../store/migration.ts";
import { StoreError } from "../../store/store-error.ts";
import type { MovingValues } from "../../store/users/moving-values.ts";
import { describeDuration } from "../output/duration.ts";
import { formatCount } from "../output/format-count.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import { checkServer } from "./postgres-server.ts";
import { checkFile } from "./sqlite-file.ts";

export interface DatabaseResult {
  /** Undefined if the database cannot be read; empty if it does not exist yet. */
  readonly contents: DatabaseContents | undefined;
  readonly findings: readonly Finding[];
}

/** Why users cannot keep the value of a field. */
const reasons: ReadonlyMap<string, string> = new Map([
  ["userName", "is not a valid user name, or another user has this user name"],
  ["groups", "has a name that custom fields cannot have any more"],
  ["scim", "is not an object"],
]);

type FileFacts = Extract<Awaited<ReturnType<typeof inspectDatabase>>, { engine: "sqlite" }>;

/** The clocks of nodes may differ slightly. */
const CLOCK_TOLERANCE_MS = 2000;
const emptyContents: DatabaseContents = { unfinishedMove: undefined, lastChange: undefined, keys: [] };
/** Older than any release of Roster. */
const EARLIEST_TIME = Date.parse("2025-01-01T00:00:00Z");

/** Checks the database and its file or server. Changes nothing. */
export async function checkDatabase(config: Config, thorough: boolean): Promise<DatabaseResult> {
  const { database, migrate } = config;
  const fileFindings = database.engine === "sqlite" ? checkFile(database.path) : [];
  if (database.engine === "sqlite" && !existsSync(database.path)) {
    const missing = `There is no database at ${database.displayName}`;
    const found =
      migrate === "off"
        ? problem("database", `${missing}: run \`roster migrate\`, or remove ROSTER_MIGRATE=off.`)
        : ok("database", `${missing} yet. The service creates it on its first start.`);
    return { contents: emptyContents, findings: [found, ...fileFindings, checkClock()] };
  }
  try {
    const sessions = config.databasePooler === "none";
    const facts = await inspectDatabase(database, {
      waitMs: config.databaseWait,
      dedicatedSessions: sessions,
      thorough,
    });
    const schema = checkSchema(facts, migrate);
    const engineFindings =
      facts.engine === "sqlite"
        ? [...checkLog(facts, database.displayName), ...schema, checkIntegrity(facts, database.displayName)]
        : [...checkServer(facts, config), ...schema];
    const contents = facts.contents ?? (facts.schema?.version === 0 ? emptyContents : undefined);
    return {
      contents,
      findings: [
        ...engineFindings,
        ...checkFields(facts),
        ...fileFindings,
        ...checkMove(facts.contents),
        checkClockAgainst(contents),
      ],
    };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return {
      contents: undefined,
      findings: [problem("database", error.message), ...fileFindings, checkClock()],
    };
  }
}

function checkLog({ unreadLog }: FileFacts, displayName: string): Finding[] {
  const found = ok("database", `${displayName} is a Roster database.`);
  if (!unreadLog) return [found];
  return [
    found,
    warning("database", `${displayName}-wal was not checked: the service reads it when it starts.`),
  ];
}

function checkSchema({ schema, tableProblems }: DatabaseFacts, migrate: Config["migrate"]): Finding[] {
  if (!schema) return [];
  if (tableProblems.length > 0) return [problem("schema", describeTableProblems(tableProblems))];
  const { version, latest } = schema;
  if (!isOutdated(schema)) return [ok("schema", `The schema is up to date (${version} of ${latest}).`)];
  const state = schema.isEarlier
    ? "The tables are those of an early version"
    : version === 0
      ? "There are no tables yet"
      : `The schema is outdated (${version} of ${latest})`;
  return [
    migrate === "auto"
      ? ok("schema", `${state}. The service migrates the database on its next start.`)
      : problem("schema", `${state}, and ROSTER_MIGRATE is off: run \`roster migrate\`.`),
  ];
}

/** Never shows values: they are personal data. */
function checkFields({ moving }: DatabaseFacts): Finding[] {
  if (!moving) return [];
  const { fields, stoppedAt } = moving;
  const findings = fields.map((values) => warning("fields", describeMoving(values)));
  if (stoppedAt !== undefined) {
    const limit = `Only users up to id ${stoppedAt} were checked: they have too many user names to remember.`;
    return [...findings, warning("fields", limit)];
  }
  if (findings.length > 0) return findings;
  return [ok("fields", "The next start of the service moves no custom fields of users to other names.")];
}

function describeMoving({ field, to, users, ids }: MovingValues): string {
  const shown = ids.length < users ? `${ids.join(", ")}, …` : ids.join(", ");
  const reason = reasons.get(field) ?? "has a value that is not valid any more";
  return `The field ${field} of ${formatCount(users, "user")} (${users === 1 ? "id" : "ids"} ${shown}) ${reason}: the next start of the service moves it to ${to}.`;
}

function checkIntegrity({ damage, checkedWholeFile }: FileFacts, displayName: string): Finding {
  if (damage.length > 0) {
    return problem(
      "integrity",
      `${displayName} is damaged: restore a backup. SQLite reports: ${damage.join("; ")}`,
    );
  }
  return checkedWholeFile
    ? ok("integrity", "SQLite found no damage.")
    : ok(
        "integrity",
        "The file is large, so only its small tables were checked. To check everything, add --thorough.",
      );
}

function checkMove(contents: DatabaseContents | undefined): Finding[] {
  if (!contents) return [];
  return [
    contents.unfinishedMove === undefined
      ? ok("move", "No move or restore is unfinished.")
      : problem("move", contents.unfinishedMove),
  ];
}

function checkClockAgainst(contents: DatabaseContents | undefined): Finding {
  const ahead = (contents?.lastChange ?? 0) - Date.now();
  if (ahead <= CLOCK_TOLERANCE_MS) return checkClock();
  return problem(
    "clock",
    `This machine's clock is ${describeDuration(ahead)} behind the last change of a user: correct it, or use NTP.`,
  );
}

function checkClock(): Finding {
  const now = new Date();
  const shown = now.toISOString().replace(/\.\d+Z$/, "Z");
  return now.getTime() < EARLIEST_TIME
    ? problem("clock", `This machine's clock says ${shown}: correct it, or use NTP.`)
    : ok("clock", `This machine's clock says ${shown}.`);
}
