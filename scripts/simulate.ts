/**
 * Simulates several nodes of the service, their database, their callers and everything that can go wrong, on simulated time. Checks
 * every promise after every step. docs/simulator.md explains how it works.
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
import { putBack } from "../test/simulation/put-back.ts";
import type { Violation } from "../test/simulation/world.ts";

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
/** Seeds of one process, if there are several. */
const SEEDS_PER_PROCESS = 500;
/** So many broken promises are enough. */
const ENOUGH = 5;

if (values.defect !== undefined) {
  const defect = defects.find(({ name }) => name === values.defect);
  if (!defect) fail(`--defect must be one of ${defects.map(({ name }) => name).join(", ")}.`);
  await putBack(defect);
}
// A defect must be in the source before the source is imported.
const { engines, makePlan } = await import("../test/simulation/plan.ts");
const { simulate } = await import("../test/simulation/simulate.ts");
const { shorten } = await import("../test/simulation/shorten.ts");

const engine = values.engine === undefined ? undefined : engines.find((name) => name === values.engine);
if (values.engine !== undefined && !engine) fail(`--engine must be one of ${engines.join(", ")}.`);

if (values.seed !== undefined) process.exit((await showSeed(toNumber("seed", values.seed))) ? 0 : 1);
const from = toNumber("from", values.from);
const seeds = toNumber("seeds", values.seeds);
const jobs = Math.min(toNumber("jobs", values.jobs), Math.ceil(seeds / SEEDS_PER_PROCESS));
process.exit((await (jobs > 1 ? shareSeeds() : simulateSeeds())) ? 0 : 1);

/** Simulates one seed, and shows what happens. Returns whether every promise was kept. */
async function showSeed(seed: number): Promise<boolean> {
  const plan = planFor(seed);
  const trace: string[] = [];
  let { violation } = await simulate(plan, trace);
  if (values.trace && violation && !values.whole) {
    const short = await shorten(plan, violation.invariant);
    trace.length = 0;
    ({ violation } = await simulate(short, trace));
    console.log(`${short.actions.length} of ${plan.actions.length} actions are enough.`);
  }
  if (values.trace) {
    const { nodes, slownessMs } = plan;
    const turns = slownessMs === 0 ? "" : `, each turn takes up to ${slownessMs.toFixed(2)} ms`;
    console.log(`${nodes} ${nodes === 1 ? "node" : "nodes"} on ${plan.engine}${turns}\n${trace.join("\n")}`);
  }
  if (!violation) console.log(`Seed ${seed} keeps every promise.`);
  else if (!values.trace) console.log(describe(seed, violation));
  return !violation;
}

/** Simulates seeds in this process. */
async function simulateSeeds(): Promise<boolean> {
  let broken = 0;
  let steps = 0;
  let events = 0;
  for (let seed = from; seed < from + seeds && broken < ENOUGH; seed++) {
    const outcome = await simulate(planFor(seed)).catch((error: unknown) => {
      console.log(`Seed ${seed} cannot be simulated.`);
      throw error;
    });
    steps += outcome.steps;
    events += outcome.events;
    if (!outcome.violation) continue;
    broken++;
    console.log(describe(seed, outcome.violation));
    // A test wants the first seed that finds the defect.
    if (values.defect !== undefined) break;
  }
  const found = broken === 0 ? "Every promise was kept" : `${broken} broken promises`;
  console.log(`${found}: ${seeds} seeds, ${steps} steps, ${events} events.`);
  return broken === 0;
}

/** Simulates seeds in several processes, and shows the progress. */
async function shareSeeds(): Promise<boolean> {
  const start = performance.now();
  const totals = { seeds: 0, steps: 0, events: 0, broken: 0 };
  let next = from;
  const work = async () => {
    while (next < from + seeds && totals.broken < ENOUGH) {
      const part = { from: next, seeds: Math.min(SEEDS_PER_PROCESS, from + seeds - next) };
      next += part.seeds;
      await runPart(part, totals);
      showProgress(totals.seeds, performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  if (process.stderr.isTTY) process.stderr.write("\n");
  const found = totals.broken === 0 ? "Every promise was kept" : `${totals.broken} broken promises`;
  const minutes = ((performance.now() - start) / 60_000).toFixed(1);
  console.log(
    `${found}: ${totals.seeds} seeds, ${totals.steps} steps, ${totals.events} events, ${minutes} minutes.`,
  );
  return totals.broken === 0;
}

async function runPart(
  part: { readonly from: number; readonly seeds: number },
  totals: { seeds: number; steps: number; events: number; broken: number },
): Promise<void> {
  const options = [`--from=${part.from}`, `--seeds=${part.seeds}`, "--jobs=1"];
  if (engine) options.push(`--engine=${engine}`);
  if (values.defect !== undefined) options.push(`--defect=${values.defect}`);
  const child = Bun.spawn([process.execPath, import.meta.path, ...options], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = (await new Response(child.stdout).text()).trimEnd().split("\n");
  const summary =
    /^(?:Every promise was kept|(\d+) broken promises?): \d+ seeds, (\d+) steps, (\d+) events\.$/.exec(
      lines.pop() ?? "",
    );
  if (!summary) fail(`The process with the seeds from ${part.from} ended early.`);
  for (const line of lines) console.log(line);
  totals.seeds += part.seeds;
  totals.broken += Number(summary[1] ?? 0);
  totals.steps += Number(summary[2]);
  totals.events += Number(summary[3]);
}

function showProgress(done: number, elapsedMs: number): void {
  if (!process.stderr.isTTY) return;
  const left = Math.ceil(((elapsedMs / done) * (seeds - done)) / 60_000);
  process.stderr.write(
    `\r${done} of ${seeds} seeds, about ${left} ${left === 1 ? "minute" : "minutes"} left  `,
  );
}

function planFor(seed: number) {
  const plan = makePlan(seed);
  return engine ? { ...plan, engine } : plan;
}

function describe(seed: number, { invariant, detail }: Violation): string {
  const options = [
    `--seed ${seed}`,
    engine && `--engine ${engine}`,
    values.defect && `--defect ${values.defect}`,
  ];
  const command = `npm run simulate -- ${options.filter(Boolean).join(" ")} --trace`;
  return `Seed ${seed} breaks a promise: ${invariant}.\n  ${detail}\n  ${command}`;
}

function toNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) fail(`--${name} must be a whole number.`);
  return Number(text);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
