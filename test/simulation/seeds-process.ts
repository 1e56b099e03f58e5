/**
 * A process that simulates every second seed, and writes one line of JSON for each broken invariant and one at its end. Its arguments
 * are the first seed, the number of seeds, how many broken invariants are enough, and options as JSON.
 */
import { prepareSimulations } from "./prepare.ts";

const [first = 0, count = 0, enough = 0] = process.argv.slice(2, 5).map(Number);
const { simulate, planFor } = await prepareSimulations(first, JSON.parse(process.argv[5] ?? "{}"));
const totals = { seeds: 0, steps: 0, events: 0, broken: 0 };
const fingerprints: string[] = [];
for (let seed = first; totals.seeds < count && totals.broken < enough; seed += 2) {
  const { steps, events, fingerprint, violation } = await simulate(planFor(seed)).catch((error: unknown) => {
    throw new Error(`Seed ${seed} cannot be simulated.`, { cause: error });
  });
  totals.seeds++;
  totals.steps += steps;
  totals.events += events;
  fingerprints.push(fingerprint);
  if (!violation) continue;
  totals.broken++;
  console.log(JSON.stringify({ seed, ...violation }));
}
console.log(JSON.stringify({ ...totals, fingerprints }));
