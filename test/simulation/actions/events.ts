import type { Action } from "../action.ts";
import { SimulatedFollower } from "../follower.ts";

const MOST_FOLLOWERS = 4;

export const eventActions: readonly Action[] = [
  {
    name: "follow the events",
    weight: 4,
    async run(world, random) {
      if (world.followers.length >= MOST_FOLLOWERS) return;
      const { events } = world.history;
      const plan = {
        kind: random.chance(0.6) ? "stream" : "poll",
        after: random.chance(0.5) && events.length > 0 ? random.pick(events).id : undefined,
        type: random.chance(0.2) ? random.pick(["user.updated", "user.purged"]) : undefined,
      } as const;
      await new SimulatedFollower(world, plan, random.fork()).run();
    },
  },
];
