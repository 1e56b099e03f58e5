import { expect, test } from "bun:test";
import { defects } from "./defects.ts";
import { type BrokenInvariant, runSeeds } from "./run-seeds.ts";

/** Every defect was found in fewer than half of these. */
const MOST_SEEDS = 500;

test.each(defects.map((defect) => [defect.name, defect] as const))(
  "the simulator finds the defect %s",
  async (name, { breaks }) => {
    const broken: BrokenInvariant[] = [];
    await runSeeds({
      engine: undefined,
      defect: name,
      from: 1,
      seeds: MOST_SEEDS,
      jobs: 1,
      enough: 1,
      onBroken: (found) => broken.push(found),
    });
    const [first] = broken;
    expect(broken).toHaveLength(1);
    expect(breaks).toContain(first?.invariant ?? "");
  },
);
