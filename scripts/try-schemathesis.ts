/**
 * Runs schemathesis with all checks against the OpenAPI description, on both engines, without and with a key. Requires
 * schemathesis 4, for example from `python3 -m venv venv && venv/bin/pip install schemathesis==4.32.5`; SCHEMATHESIS names
 * the program if it is not on the PATH.
 *
 *   SCHEMATHESIS=venv/bin/schemathesis npm run test:schemathesis -- --seed 1 --max-examples 100
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createSecret } from "../src/contract/keys/key-secret.ts";
import { databaseOn, type Engine } from "../test/support/engines.ts";
import { startRoster, stopAll, temporaryFolder } from "../test/support/process/roster.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    "max-examples": { type: "string", default: "100" },
    engine: { type: "string", default: "sqlite,postgres" },
    access: { type: "string", default: "off,key" },
  },
});
const program = process.env.SCHEMATHESIS ?? Bun.which("schemathesis");
if (program === null) {
  console.log("Skipped: schemathesis is not installed (pip install schemathesis==4.32.5).");
  process.exit(0);
}

let failed = false;
for (const engine of ["sqlite", "postgres"] as const) {
  for (const access of ["off", "key"] as const) {
    if (!values.engine.includes(engine) || !values.access.includes(access)) continue;
    console.log(`\n${engine}, access ${access}, seed ${values.seed}`);
    if (!(await run(resolve(program), engine, access))) failed = true;
  }
}
await stopAll();
process.exit(failed ? 1 : 0);

async function run(command: string, engine: Engine, access: "off" | "key"): Promise<boolean> {
  const database = await databaseOn(engine);
  const key = createSecret();
  const roster = await startRoster(database.url, {
    flags: ["--rate-limit=0", "--log-format=json", ...(access === "off" ? ["--auth=off"] : [])],
    env: access === "key" ? { ROSTER_API_KEY: key } : {},
  });
  const header = access === "key" ? [`--header=Authorization: Bearer ${key}`] : [];
  const options = [`--seed=${values.seed}`, `--max-examples=${values["max-examples"]}`, "--checks=all"];
  const child = Bun.spawn(
    [command, "run", `${roster.url}/openapi.json`, "--continue-on-failure", ...options, ...header],
    {
      // schemathesis writes its own files into the current folder.
      cwd: temporaryFolder(),
      env: { ...process.env, SCHEMATHESIS_HOOKS: join(import.meta.dir, "schemathesis/hooks.py") },
      stdout: "inherit",
      stderr: "inherit",
    },
  );
  const code = await child.exited;
  const errors = roster.stdout.filter((line) => line.includes('"level":"error"'));
  for (const line of errors) console.log(`The service logged an error: ${line}`);
  roster.kill("SIGTERM");
  await roster.exited;
  await database.drop();
  return code === 0 && errors.length === 0;
}
