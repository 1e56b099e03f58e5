import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { type BrokenInvariant, runSeeds } from "./run-seeds.ts";

const any = { engine: undefined, defect: undefined };

test("200 simulations on both engines keep every invariant", async () => {
  const broken: string[] = [];
  const describe = ({ seed, invariant, detail }: BrokenInvariant) =>
    broken.push(`${invariant}: ${detail} (npm run simulate -- --seed ${seed} --trace)`);
  const jobs = availableParallelism();
  const { seeds } = await runSeeds({ ...any, from: 1, seeds: 200, jobs, enough: 5, onBroken: describe });
  expect(broken).toEqual([]);
  expect(seeds).toBe(200);
});

test("a simulation goes the same way each time, alone and after others", async () => {
  const options = { ...any, jobs: 1, enough: 1, onBroken: () => undefined };
  const [first, second] = await Promise.all([
    runSeeds({ ...options, from: 301, seeds: 8 }),
    runSeeds({ ...options, from: 307, seeds: 2 }),
  ]);
  // Each process simulates every second seed: 301, 303, 305, 307, and 302, 304, 306, 308.
  const [odd, even] = second.fingerprints;
  expect(first.fingerprints).toHaveLength(8);
  expect([first.fingerprints[3], first.fingerprints[7]]).toEqual([odd, even]);
});
