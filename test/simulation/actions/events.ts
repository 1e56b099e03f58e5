import type { Action } from "../action.ts";
import { SimulatedFollower } from "../follower.ts";
import type { Random } from "../random.ts";
import type { World } from "../world.ts";

const MOST_FOLLOWERS = 4;
const VISIT_MS = 1500;

async function follow(world: World, random: Random, leavesAfterMs: number | undefined): Promise<void> {
  if (world.followers.filter(({ isEnded }) => !isEnded).length >= MOST_FOLLOWERS) return;
  const { events } = world.history;
  const plan = {
    kind: random.chance(0.6) ? "stream" : "poll",
    after: random.chance(0.5) && events.length > 0 ? random.pick(events).id : undefined,
    type: random.chance(0.2) ? random.pick(["user.updated", "user.purged"]) : undefined,
    leavesAfterMs,
  } as const;
  await new SimulatedFollower(world, plan, random.fork()).run();
}

export const eventActions: readonly Action[] = [
  {
    name: "follow the events",
    weight: 3,
    run: (world, random) => follow(world, random, undefined),
  },
  {
    name: "follow the events for a while",
    weight: 5,
    run: (world, random) => follow(world, random, random.between(0, VISIT_MS)),
  },
];
