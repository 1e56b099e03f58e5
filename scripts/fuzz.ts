/**
 * Sends random and mutated requests, byte by byte, to a service that this program starts, on SQLite and on PostgreSQL, without
 * and with a key. Fails on a 500, a hang, a response that is not valid or not described, a process that ends, an error in the log,
 * memory, connections or file descriptors that do not come back, records that the API and SCIM show differently, events that do not
 * fit the responses, and a password of a request in a response, an event, the log or the database.
 *
 *   npm run fuzz -- --seconds 300
 *   npm run fuzz -- --engine sqlite --access key --seed 5f0c1a2b --case 1234
 *
 * `--seconds` counts for each engine. The same seed gives the same bytes for each case number; `--case` plays a single case.
 */
import { parseArgs } from "node:util";
import type { Engine } from "../test/support/engines.ts";
import type { FuzzCase } from "../test/support/fuzz/fuzz-case.ts";
import { type FuzzOptions, fuzz } from "../test/support/fuzz/fuzz-run.ts";
import { stopAll } from "../test/support/process/roster.ts";

/** A finding shows at most this much of the bytes. */
const MAX_CHARACTERS = 5000;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: crypto.randomUUID().slice(0, 8) },
    engine: { type: "string", default: "sqlite,postgres" },
    access: { type: "string", default: "off,key" },
    clients: { type: "string", default: "12" },
    case: { type: "string" },
  },
});
const engines = choose("engine", values.engine, ["sqlite", "postgres"]);
const accesses = choose("access", values.access, ["off", "key"]);
const seconds = Number(values.seconds) / accesses.length;
if (!(seconds > 0)) throw new Error("--seconds must be a number greater than 0.");

let failed = false;
for (const engine of engines) {
  for (const access of accesses) if (!(await run(engine, access))) failed = true;
}
await stopAll();
process.exit(failed ? 1 : 0);

async function run(engine: Engine, access: FuzzOptions["access"]): Promise<boolean> {
  const { seed } = values;
  console.log(`${engine}, access ${access}, seed ${seed}, ${seconds} s`);
  const number = Number(values.case);
  const cases = values.case === undefined ? {} : { cases: { first: number, last: number } };
  const report = await fuzz({ engine, access, seed, seconds, clients: Number(values.clients), ...cases });
  const { findings, ...summary } = report;
  console.log(Bun.inspect(summary, { depth: 3, colors: process.stdout.isTTY }));
  for (const { what, cases } of findings) {
    console.log(`\nFINDING: ${what}`);
    for (const each of cases) {
      console.log(
        `  npm run fuzz -- --engine ${engine} --access ${access} --seed ${seed} --case ${each.number}`,
      );
      console.log(`  ${describeCase(each)}`);
    }
  }
  console.log(`${findings.length} findings\n`);
  return findings.length === 0;
}

/** The bytes of a case as JSON strings, one per write. */
function describeCase({ parts, ending }: FuzzCase): string {
  const text = parts.map(({ bytes }) => JSON.stringify(bytes)).join(" ");
  const shown = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
  return `${shown} (then: ${ending})`;
}

function choose<Choice extends string>(name: string, given: string, choices: readonly Choice[]): Choice[] {
  return given.split(",").map((part) => {
    const choice = choices.find((each) => each === part);
    if (choice === undefined) throw new Error(`--${name} must be one of ${choices.join(", ")}.`);
    return choice;
  });
}
