import type { Action } from "./action.ts";
import { callerActions, faultActions } from "./actions/index.ts";
import { type EngineName, engines } from "./engines.ts";
import { Random } from "./random.ts";

/** An action, and what decides about its details. */
export interface PlannedAction {
  readonly atMs: number;
  readonly action: Action;
  readonly seed: number;
}

/** Everything that a seed decides before the simulation begins. */
export interface Plan {
  readonly seed: number;
  readonly engine: EngineName;
  readonly nodes: number;
  /** How long each turn of the event loop takes at most. */
  readonly slownessMs: number;
  readonly actions: readonly PlannedAction[];
}

/** How long callers and faults are busy. */
export const BUSY_MS = 4000;
const CALLS = 100;
/** In so many simulations, callers do only what the rules of tests with real servers know. */
const PLAIN_CHANCE = 0.3;
/** Times at which many actions come together: transactions then meet. */
const BURSTS = 8;
const BURST_MS = 12;
const FAULTS = 5;

export function makePlan(seed: number): Plan {
  const random = new Random(seed);
  const engine = random.pick(engines);
  const nodes = 1 + random.integer(3);
  const slownessMs = random.chance(0.2) ? random.between(0, 1) : 0;
  const calls = Math.round(random.between(0.3, 1) * CALLS);
  const faults = random.chance(0.2) ? 0 : random.integer(FAULTS + 1);
  const chosen = random.chance(PLAIN_CHANCE)
    ? callerActions.filter(({ isPlain }) => isPlain !== false)
    : callerActions;
  const bursts = Array.from({ length: BURSTS }, () => random.between(0, BUSY_MS));
  const burstChance = random.next();
  const plan = (action: Action): PlannedAction => ({
    atMs: random.chance(burstChance)
      ? random.pick(bursts) + random.between(0, BURST_MS)
      : random.between(0, BUSY_MS),
    action,
    seed: random.integer(2 ** 32),
  });
  const actions = [
    ...Array.from({ length: calls }, () => plan(pickWeighted(chosen, random))),
    ...Array.from({ length: faults }, () => plan(pickWeighted(faultActions, random))),
  ].sort((one, other) => one.atMs - other.atMs);
  return { seed, engine, nodes, slownessMs, actions };
}

function pickWeighted(actions: readonly Action[], random: Random): Action {
  let left = random.next() * actions.reduce((sum, { weight }) => sum + weight, 0);
  const found = actions.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  return found ?? random.pick(actions);
}
