/**
 * Runs public tools for SCIM, and a client as Entra for a long time, against the real service: each part on an empty service of its own,
 * on both engines. Installs the tools: those of npm in scripts/scim, those of Python 3.11 or later in a folder for temporary files. Parts
 * that need Python are skipped without it. The last line counts the parts on each engine.
 *
 *   npm run test:scim -- --engine sqlite --only tester,filters --seed 7
 *   npm run test:scim -- --only long-run --seconds 60
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createSecret } from "../src/contract/keys/key-secret.ts";
import { databaseOn } from "../test/support/engines.ts";
import { installPackages } from "../test/support/install-packages.ts";
import { startRoster, stopAll } from "../test/support/process/roster.ts";
import type { PartOptions, ScimPart } from "./scim/part.ts";
import { preparePython } from "./scim/python.ts";

const MOST_FAILURES = 50;

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite,postgres" },
    only: { type: "string" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    seconds: { type: "string", default: "600" },
  },
});
installPackages(join(import.meta.dir, "scim"));
const parts: readonly ScimPart[] = [
  (await import("./scim/tester.ts")).tester,
  (await import("./scim/strict-client.ts")).strictClient,
  (await import("./scim/filters.ts")).filters,
  (await import("./scim/patch-oracle.ts")).patchOracle,
  (await import("./scim/compare-scimmy.ts")).scimmyComparison,
  (await import("./scim/long-run.ts")).longRun,
];
const names = parts.map(({ name }) => name);
const chosen = values.only === undefined ? names : choose("only", values.only, names);
const engines = choose("engine", values.engine, ["sqlite", "postgres"]);
const [seed, seconds] = [Number(values.seed), Number(values.seconds)];
if (!Number.isSafeInteger(seed) || !(seconds > 0)) throw new Error("--seed and --seconds are numbers.");

const environment = parts.some((part) => isChosen(part) && part.needsPython)
  ? preparePython()
  : { python: "" };
const counts = { passed: 0, failed: 0 };
const skipped: string[] = [];
for (const engine of engines) {
  for (const part of parts.filter(isChosen)) {
    const title = `${part.name} on ${engine}`;
    if (part.needsPython && "missing" in environment) {
      skipped.push(title);
      continue;
    }
    const { python } = { python: "", ...environment };
    console.log(`\n${title}, seed ${seed}: ${part.about}`);
    const failures = await run(part, { engine, python, seed, seconds });
    for (const failure of failures.slice(0, MOST_FAILURES)) console.log(`FAILED: ${failure}`);
    if (failures.length > MOST_FAILURES) console.log(`There are ${failures.length - MOST_FAILURES} more.`);
    counts[failures.length === 0 ? "passed" : "failed"]++;
    console.log(`${title}: ${failures.length === 0 ? "passed" : `${failures.length} failures`}`);
  }
}
await stopAll();
const why = "missing" in environment ? ` (${skipped.join(", ")}: ${environment.missing})` : "";
console.log(`\n${counts.passed} parts passed, ${counts.failed} failed, ${skipped.length} skipped${why}`);
process.exit(counts.failed === 0 ? 0 : 1);

/** Runs a part on an empty service. An error that the service logs is a failure, too. */
async function run(
  part: ScimPart,
  options: Omit<PartOptions, "service" | "key">,
): Promise<readonly string[]> {
  const database = await databaseOn(options.engine);
  const key = createSecret();
  const service = await startRoster(database.url, {
    flags: ["--rate-limit=0", "--log-format=json"],
    env: { ROSTER_API_KEY: key },
  });
  const failures = await part.run({ ...options, service, key }).catch((error) => [Bun.inspect(error)]);
  service.kill("SIGTERM");
  const { code } = await service.exited;
  await database.drop();
  const errors = service.stdout.filter((line) => line.includes('"level":"error"'));
  return [
    ...failures,
    ...errors.map((line) => `The service logged an error: ${line}`),
    ...(code === 0 ? [] : [`The service ended with ${code}: ${service.stderr.join("\n")}`]),
  ];
}

function isChosen({ name }: ScimPart): boolean {
  return chosen.includes(name);
}

function choose<Choice extends string>(name: string, given: string, choices: readonly Choice[]): Choice[] {
  return given.split(",").map((part) => {
    const choice = choices.find((each) => each === part);
    if (choice === undefined) throw new Error(`--${name} is one of ${choices.join(", ")}, or several.`);
    return choice;
  });
}
