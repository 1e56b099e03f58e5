import { join } from "node:path";
import { databaseOn, type Engine } from "./engines.ts";
import { runRoster, startRoster, temporaryFolder } from "./process/roster.ts";

/** The /metrics of a service that has served requests and has been backed up: every metric that the engine has. */
export async function scrapeMetrics(engine: Engine): Promise<string> {
  const database = await databaseOn(engine);
  const roster = await startRoster(database.url);
  await roster.call("/api/users", { method: "POST", json: { name: "Ada Lovelace" } });
  const backup = await runRoster([
    "backup",
    join(temporaryFolder(), "copy.db"),
    `--database=${database.url}`,
  ]);
  if (backup.code !== 0) throw new Error(`The backup fails: ${backup.stderr}`);
  const text = await (await roster.call("/metrics")).text();
  roster.kill("SIGTERM");
  await roster.exited;
  await database.drop();
  return text;
}
