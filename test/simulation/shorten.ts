import type { Plan, PlannedAction } from "./plan.ts";
import { simulate } from "./simulate.ts";

/** A shorter plan takes at most this many simulations to find. */
const MOST_TRIES = 300;

/** Leaves out actions of a plan for as long as the same invariant is broken. Returns the shortest plan that was found. */
export async function shorten(plan: Plan, invariant: string): Promise<Plan> {
  let tries = 0;
  const isBroken = async (actions: readonly PlannedAction[]) => {
    tries++;
    const { violation } = await simulate({ ...plan, actions });
    return violation?.invariant === invariant;
  };
  let { actions } = plan;
  for (let size = Math.ceil(actions.length / 2); size >= 1 && tries < MOST_TRIES; ) {
    const before = actions.length;
    for (let start = 0; start < actions.length && tries < MOST_TRIES; ) {
      const rest = [...actions.slice(0, start), ...actions.slice(start + size)];
      if (await isBroken(rest)) actions = rest;
      else start += size;
    }
    // What could not be left out before may be superfluous now.
    if (size > 1) size = Math.ceil(size / 2);
    else if (actions.length === before) break;
  }
  return { ...plan, actions };
}
