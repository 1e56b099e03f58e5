import type { Action } from "../action.ts";
import type { SimulatedNode } from "../node.ts";
import type { Random } from "../random.ts";
import type { World } from "../world.ts";

/** Shorter and longer than the lease of a webhook. */
const SHORT_MS = 1500;
const LONG_MS = 9000;
/** How long a node needs to know what the database knows after it was disturbed. */
const RECOVERY_MS = 500;

/** One node goes on, so that callers always reach one. */
function pickVictim(world: World, random: Random): SimulatedNode | undefined {
  const usable = world.nodes.filter(({ isRunning, process }) => isRunning && !process.isFrozen);
  return usable.length > 1 ? random.pick(usable) : undefined;
}

async function startAgain(world: World, random: Random, node: SimulatedNode): Promise<void> {
  await world.machine.sleep(random.between(0, 2000));
  await node.start();
  world.trace(() => `node ${node.number} starts`);
}

export const nodeActions: readonly Action[] = [
  {
    name: "a node is killed",
    weight: 3,
    async run(world, random) {
      const node = pickVictim(world, random);
      if (!node) return;
      world.trace(() => `node ${node.number} is killed`);
      node.kill();
      await startAgain(world, random, node);
    },
  },
  {
    name: "a node is stopped and started again",
    weight: 2,
    async run(world, random) {
      const node = pickVictim(world, random);
      if (!node) return;
      world.trace(() => `node ${node.number} stops`);
      await node.stop();
      await startAgain(world, random, node);
    },
  },
  {
    name: "a node is frozen",
    weight: 3,
    async run(world, random) {
      const node = pickVictim(world, random);
      if (!node) return;
      const ms = random.between(100, random.chance(0.3) ? LONG_MS : SHORT_MS);
      world.trace(() => `node ${node.number} freezes for ${Math.round(ms)} ms`);
      node.process.freeze(ms);
      world.disturb([node], world.nowMs + ms + RECOVERY_MS);
    },
  },
];
