import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { stopAll } from "../support/process/roster.ts";
import {
  databases,
  exceedQuota,
  loseUsage,
  revokeInRounds,
  startTwoNodes,
  type TwoNodes,
} from "./support/key-nodes.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();

let nodes: TwoNodes | undefined;
afterEach(async () => {
  await nodes?.stop();
  nodes = undefined;
});
afterAll(stopAll);

/** `LIMITS_FIGURES=1 npm test -- ./test/nodes/key-times.slow.ts` prints the measurements. */
function print(measured: object): void {
  if (process.env.LIMITS_FIGURES) console.log(measured);
}

describe.each([...databases])("$title", ({ open }) => {
  test("a revocation on one node takes effect on the other within a second", async () => {
    nodes = await startTwoNodes(open);
    const took = await revokeInRounds(nodes, 8);
    print(took);
    for (const times of Object.values(took)) expect(Math.max(...times)).toBeLessThan(1000);
  });
});

test("two nodes exceed a quota by at most the calls of 1.5 seconds", async () => {
  nodes = await startTwoNodes(databases[0].open);
  const { quota, excess, lately } = await exceedQuota(nodes);
  print({ quota, excess, lately });
  expect(excess).toBeWithin(0, Math.min(lately, quota));
});

test("after kill -9 of a node, usage misses at most the calls of its last two seconds", async () => {
  nodes = await startTwoNodes(databases[0].open);
  const { calls, lost, lastCalls } = await loseUsage(nodes, () => Bun.sleep(2500));
  print({ calls, lost, lastCalls });
  expect(lost).toBeWithin(0, lastCalls + 1);
});
