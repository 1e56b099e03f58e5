import { join } from "node:path";
import type { SimulationOptions } from "./prepare.ts";
import type { Violation } from "./world.ts";

/** Seeds of one process. */
const MOST_SEEDS = 250;

export interface SeedsOptions extends SimulationOptions {
  readonly from: number;
  readonly seeds: number;
  /** How many processes run at the same time. */
  readonly jobs: number;
  /** So many broken invariants are enough. */
  readonly enough: number;
  readonly onBroken: (broken: BrokenInvariant) => void;
  readonly onProgress?: (totals: Totals) => void;
}

export interface BrokenInvariant extends Violation {
  readonly seed: number;
}

export interface Totals {
  seeds: number;
  steps: number;
  events: number;
  broken: number;
  /** Those of the seeds that a process has simulated, in their order. */
  fingerprints: string[];
}

/** Simulates many seeds in several processes. */
export async function runSeeds(options: SeedsOptions): Promise<Totals> {
  const { seeds, jobs, enough, onProgress } = options;
  const totals: Totals = { seeds: 0, steps: 0, events: 0, broken: 0, fingerprints: [] };
  const parts = divideSeeds(options.from, seeds, Math.min(MOST_SEEDS, Math.ceil(seeds / jobs)));
  const work = async () => {
    for (let part = parts.shift(); part && totals.broken < enough; part = parts.shift()) {
      const found = await runPart(part, options);
      for (const name of ["seeds", "steps", "events", "broken"] as const) totals[name] += found[name];
      totals.fingerprints.push(...found.fingerprints);
      onProgress?.(totals);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return totals;
}

interface Part {
  readonly first: number;
  readonly count: number;
}

/** Every second seed has small limits: a process gets only even seeds, or only odd ones. */
function divideSeeds(from: number, seeds: number, most: number): Part[] {
  const parts: Part[] = [];
  for (let start = from; start < from + seeds; start += 2 * most) {
    const length = Math.min(2 * most, from + seeds - start);
    parts.push({ first: start, count: Math.ceil(length / 2) });
    if (length > 1) parts.push({ first: start + 1, count: Math.floor(length / 2) });
  }
  return parts;
}

async function runPart(
  { first, count }: Part,
  { enough, engine, defect, onBroken }: SeedsOptions,
): Promise<Totals> {
  const script = join(import.meta.dir, "seeds-process.ts");
  const args = [first, count, enough].map(String);
  const child = Bun.spawn([process.execPath, script, ...args, JSON.stringify({ engine, defect })], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0)
    throw new Error(`The process with the seeds from ${first} failed. ${errors}`);
  const lines = output.trimEnd().split("\n");
  const totals: Totals = JSON.parse(lines.pop() ?? "");
  for (const line of lines) onBroken(JSON.parse(line));
  return totals;
}
