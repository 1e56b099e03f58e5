/**
 * Simulates several nodes of the service, their database, their callers and everything that can go wrong, on simulated time. Checks
 * every invariant after every step. docs/simulator.md explains how it works.
 *
 *   npm run simulate                                  # 100,000 seeds
 *   npm run simulate -- --seeds 500 --from 7000       # other seeds
 *   npm run simulate -- --seed 7123 --trace           # one seed again, and what happens, as short as possible
 *   npm run simulate -- --seed 7123 --trace --whole   # everything that happens
 *   npm run simulate -- --defect first-key            # puts a defect into the source: the simulator has to find it
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { defects } from "../test/simulation/defects.ts";
import { engines } from "../test/simulation/engines.ts";
import { prepareSimulations } from "../test/simulation/prepare.ts";
import { type BrokenInvariant, runSeeds, type Totals } from "../test/simulation/run-seeds.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "100000" },
    from: { type: "string", default: "1" },
    jobs: { type: "string", default: String(availableParallelism()) },
    seed: { type: "string" },
    trace: { type: "boolean", default: false },
    whole: { type: "boolean", default: false },
    engine: { type: "string" },
    defect: { type: "string" },
  },
});
/** So many broken invariants are enough. */
const ENOUGH = 5;

const engine = choose("engine", values.engine, engines);
const defect = choose(
  "defect",
  values.defect,
  defects.map(({ name }) => name),
);
const isKept =
  values.seed === undefined ? await simulateMany() : await simulateOne(toNumber("seed", values.seed));
process.exit(isKept ? 0 : 1);

/** Returns whether every invariant held. */
async function simulateMany(): Promise<boolean> {
  const seeds = toNumber("seeds", values.seeds);
  const start = performance.now();
  const seedsFound: number[] = [];
  const { broken, ...totals } = await runSeeds({
    ...{ engine, defect, seeds },
    from: toNumber("from", values.from),
    jobs: toNumber("jobs", values.jobs),
    enough: defect === undefined ? ENOUGH : 1,
    onBroken(found) {
      seedsFound.push(found.seed);
      console.log(describe(found));
    },
    onProgress: (done) => showProgress(done, seeds, performance.now() - start),
  });
  if (process.stderr.isTTY) process.stderr.write("\n");
  const found =
    broken === 0 ? "Every invariant held" : `${broken} broken ${broken === 1 ? "invariant" : "invariants"}`;
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(
    `${found}: ${totals.seeds} seeds, ${totals.steps} steps, ${totals.events} events, ${seconds} s.`,
  );
  const [first] = seedsFound;
  return values.trace && first !== undefined ? simulateOne(first) : broken === 0;
}

/** Shows what happens. Returns whether every invariant held. */
async function simulateOne(seed: number): Promise<boolean> {
  const { simulate, shorten, planFor } = await prepareSimulations(seed, { engine, defect });
  let plan = planFor(seed);
  const trace: string[] = [];
  let { violation } = await simulate(plan, trace);
  if (violation && values.trace && !values.whole) {
    const { length } = plan.actions;
    plan = await shorten(plan, violation.invariant);
    console.log(`${plan.actions.length} of ${length} actions are enough.`);
    trace.length = 0;
    ({ violation } = await simulate(plan, trace));
  }
  if (values.trace) {
    const { nodes, slownessMs } = plan;
    const turns =
      slownessMs === 0 ? "" : `, and each turn of the event loop takes up to ${slownessMs.toFixed(2)} ms`;
    console.log(`${nodes} ${nodes === 1 ? "node" : "nodes"} on ${plan.engine}${turns}.`);
    console.log(trace.join("\n"));
  }
  if (!violation) console.log(`Seed ${seed} keeps every invariant.`);
  else if (!values.trace) console.log(describe({ seed, ...violation }));
  return !violation;
}

function showProgress({ seeds: done }: Totals, seeds: number, elapsedMs: number): void {
  if (!process.stderr.isTTY) return;
  const minutes = Math.ceil(((elapsedMs / done) * (seeds - done)) / 60_000);
  process.stderr.write(
    `\r${done} of ${seeds} seeds, about ${minutes} ${minutes === 1 ? "minute" : "minutes"} left  `,
  );
}

function describe({ seed, invariant, detail }: BrokenInvariant): string {
  const options = [`--seed ${seed}`, engine && `--engine ${engine}`, defect && `--defect ${defect}`];
  const command = `npm run simulate -- ${options.filter(Boolean).join(" ")} --trace`;
  return `Seed ${seed} breaks an invariant: ${invariant}.\n  ${detail}\n  ${command}`;
}

function choose<Choice extends string>(
  name: string,
  given: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  const choice = choices.find((each) => each === given);
  if (given !== undefined && choice === undefined) fail(`--${name} must be one of ${choices.join(", ")}.`);
  return choice;
}

function toNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) fail(`--${name} must be a whole number greater than 0.`);
  return Number(text);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
