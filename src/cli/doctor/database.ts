import { existsSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import type { DatabaseContents, DatabaseFacts } from "../../store/database-facts.ts";
import { inspectDatabase } from "../../store/inspect-database.ts";
import { StoreError } from "../../store/store-error.ts";
import { describeDuration } from "../output/duration.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import { checkServer } from "./postgres-server.ts";
import { checkFile } from "./sqlite-file.ts";

export interface DatabaseFound {
  /** Undefined where it cannot be read; of one that is yet to be made, nothing. */
  readonly contents: DatabaseContents | undefined;
  readonly findings: readonly Finding[];
}

type FileFacts = Extract<Awaited<ReturnType<typeof inspectDatabase>>, { engine: "sqlite" }>;

/** Clocks of several nodes differ a little. */
const CLOCK_TOLERANCE_MS = 2000;
const nothing: DatabaseContents = { unfinishedMove: undefined, lastChange: undefined, keys: [] };
/** Nothing was ever written by a Roster before it was there. */
const EARLIEST = Date.parse("2025-01-01T00:00:00Z");

/** The database, and what it stands on. Changes nothing. */
export async function checkDatabase(config: Config, thorough: boolean): Promise<DatabaseFound> {
  const { database, migrate } = config;
  const around = database.engine === "sqlite" ? checkFile(database.path) : [];
  if (database.engine === "sqlite" && !existsSync(database.path)) {
    const missing = `There is no database at ${database.displayName}`;
    const found =
      migrate === "off"
        ? problem("database", `${missing}: run \`roster migrate\` first, or leave ROSTER_MIGRATE=off out.`)
        : ok("database", `${missing} yet: the first start makes it.`);
    return { contents: nothing, findings: [found, ...around, clockAlone()] };
  }
  try {
    const sessions = config.databasePooler === "none";
    const facts = await inspectDatabase(database, { waitMs: config.databaseWait, sessions, thorough });
    const readable = !("missingPrivileges" in facts && facts.missingPrivileges.length > 0);
    const schema = readable ? [schemaOf(facts, migrate)] : [];
    const own =
      facts.engine === "sqlite"
        ? [...fileOf(facts, database.displayName), ...schema, integrityOf(facts, database.displayName)]
        : [...checkServer(facts, config), ...schema];
    const contents = facts.contents ?? (readable && facts.schema.version === 0 ? nothing : undefined);
    return { contents, findings: [...own, ...around, ...moveOf(facts.contents), clockOf(contents)] };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { contents: undefined, findings: [problem("database", error.message), ...around, clockAlone()] };
  }
}

function fileOf({ unreadLog }: FileFacts, shown: string): Finding[] {
  const found = ok("database", `${shown} is Roster's.`);
  if (!unreadLog) return [found];
  return [
    found,
    warning("database", `What is in ${shown}-wal was not looked at: the service takes it in when it starts.`),
  ];
}

function schemaOf(
  { schema: { version: at, latest: known } }: DatabaseFacts,
  migrate: Config["migrate"],
): Finding {
  if (at === known) return ok("schema", `The schema is up to date (${at} of ${known}).`);
  const behind = at === 0 ? "There are no tables yet" : `The schema is behind (${at} of ${known})`;
  return migrate === "auto"
    ? ok("schema", `${behind}: the next start sees to that.`)
    : problem("schema", `${behind}, and ROSTER_MIGRATE=off leaves it so: run \`roster migrate\` first.`);
}

function integrityOf({ damage, checkedWholeFile }: FileFacts, shown: string): Finding {
  if (damage.length > 0) {
    return problem(
      "integrity",
      `${shown} is damaged: put a backup in its place. SQLite says: ${damage.join("; ")}`,
    );
  }
  return checkedWholeFile
    ? ok("integrity", "SQLite finds no damage.")
    : ok(
        "integrity",
        "The file is large, and only its small tables were looked at: --thorough looks at all.",
      );
}

function moveOf(contents: DatabaseContents | undefined): Finding[] {
  if (!contents) return [];
  return [
    contents.unfinishedMove === undefined
      ? ok("move", "No move or restore into it is unfinished.")
      : problem("move", contents.unfinishedMove),
  ];
}

function clockOf(contents: DatabaseContents | undefined): Finding {
  const ahead = (contents?.lastChange ?? 0) - Date.now();
  if (ahead <= CLOCK_TOLERANCE_MS) return clockAlone();
  return problem(
    "clock",
    `This machine's clock is ${describeDuration(ahead)} behind the last change of a user: set it right, or have it set by NTP.`,
  );
}

function clockAlone(): Finding {
  const now = new Date();
  const shown = now.toISOString().replace(/\.\d+Z$/, "Z");
  return now.getTime() < EARLIEST
    ? problem("clock", `This machine's clock says ${shown}: set it right, or have it set by NTP.`)
    : ok("clock", `This machine's clock says ${shown}.`);
}
