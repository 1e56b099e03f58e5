import type { Action } from "../action.ts";
import { findNext } from "../find-next.ts";
import { type FollowPlan, SimulatedFollower } from "../follower.ts";
import { EVENTS_OF_REQUEST, NEWEST_EVENT } from "../invariants/lists-of-events-are-fresh.ts";
import type { Random } from "../random.ts";
import type { World } from "../world.ts";

const MOST_FOLLOWERS = 4;
const VISIT_MS = 1500;

function follow(world: World, random: Random, plan: Omit<FollowPlan, "type">): Promise<void> {
  const type = random.chance(0.2) ? random.pick(["user.updated", "user.purged"]) : undefined;
  return new SimulatedFollower(world, { ...plan, type }, random.fork()).run();
}

/** Follows the events for a while. */
export function visit(world: World, random: Random, plan: Pick<FollowPlan, "kind" | "after">): Promise<void> {
  return follow(world, random, { ...plan, leavesAfterMs: random.between(0, VISIT_MS) });
}

function choosePlan(world: World, random: Random): Pick<FollowPlan, "kind" | "after"> {
  const { events } = world.history;
  return {
    kind: random.chance(0.6) ? "stream" : "poll",
    after: random.chance(0.5) && events.length > 0 ? random.pick(events).id : undefined,
  };
}

export const eventActions: readonly Action[] = [
  {
    name: "read the newest event",
    weight: 2,
    async run(world, random) {
      const node = world.pickNode(random);
      if (node)
        await world.call(node, {
          method: "GET",
          path: NEWEST_EVENT,
          credential: world.pickCredential(random),
        });
    },
  },
  {
    name: "find the events of a request",
    weight: 2,
    async run(world, random) {
      const made = world.history.changes.filter(({ requestId }) => requestId !== null);
      if (made.length === 0) return;
      // Half of the time one of the last requests, whose events may not be part of the feed yet.
      const { requestId } = random.pick(random.chance(0.5) ? made.slice(-3) : made);
      const first = `${EVENTS_OF_REQUEST}${requestId}&limit=${1 + random.integer(3)}`;
      for (let path = first; ; ) {
        const node = world.pickNode(random);
        const answer = node && (await world.call(node, { path, credential: world.pickCredential(random) }));
        const next = answer && findNext(answer);
        if (next === undefined) return;
        path = `${first}&after=${next}`;
      }
    },
  },
  {
    name: "follow the events",
    weight: 3,
    async run(world, random) {
      const staying = world.followers.filter(({ plan }) => plan.leavesAfterMs === undefined);
      if (staying.length >= MOST_FOLLOWERS) return;
      await follow(world, random, { ...choosePlan(world, random), leavesAfterMs: undefined });
    },
  },
  {
    name: "follow the events for a while",
    weight: 3,
    run: (world, random) => visit(world, random, choosePlan(world, random)),
  },
];
