import { createKeyOnHost } from "./actions/keys.ts";
import type { EngineName } from "./engines.ts";
import { Machine } from "./machine.ts";
import { BUSY_MS, type Plan } from "./plan.ts";
import { createPostgres } from "./postgres/create-postgres.ts";
import { Random } from "./random.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";
import { createSqlite } from "./sqlite/create-sqlite.ts";
import { type Violation, World } from "./world.ts";

/** How long everything goes on after the last fault: at least, because a write may still be on its way, and at most, in such steps. */
const REST_MS = { least: 2000, step: 1000, most: 40_000 } as const;
/** A simulation with more turns of the event loop never ends: this is a defect too. */
const MOST_STEPS = 2_000_000;

export interface Outcome {
  readonly violation: Violation | undefined;
  readonly steps: number;
  readonly events: number;
  /** The same if everything happened in the same way. */
  readonly fingerprint: string;
}

/** Runs a plan. The same plan gives the same outcome and the same trace, on every machine. */
export async function simulate(plan: Plan, trace?: string[]): Promise<Outcome> {
  const machine = new Machine(plan.seed);
  machine.slownessMs = plan.slownessMs;
  using _installed = machine.install();
  const database = create[plan.engine](machine);
  const world = new World(machine, database, plan, trace);
  let failure: unknown;
  const run = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      failure ??= error;
    }
  };
  const goOn = () => {
    world.check();
    return world.violation === undefined && failure === undefined && machine.steps < MOST_STEPS;
  };
  try {
    for (const node of world.nodes) void run(() => node.start());
    for (const { atMs, action, seed } of plan.actions) {
      machine.after(atMs, () => void run(() => action.run(world, new Random(seed))));
    }
    await machine.runUntil(BUSY_MS, goOn);
    if (!goOn()) throw failure;
    await finish(world, run, goOn);
    if (goOn()) world.checkEnd();
  } catch (error) {
    failure ??= error;
  }
  world.traceViolation();
  await machine.end();
  const outcome = {
    violation: world.violation,
    steps: machine.steps,
    events: world.history.events.length,
    fingerprint: `${machine.steps} ${machine.elapsedMs} ${machine.random.next()}`,
  };
  database.close();
  if (!world.violation && failure !== undefined) throw failure;
  if (!world.violation && machine.steps >= MOST_STEPS) throw new Error("The simulation does not end.");
  return outcome;
}

/** Lets everything finish, without faults. */
async function finish(
  world: World,
  run: (work: () => Promise<void>) => Promise<void>,
  goOn: () => boolean,
): Promise<void> {
  const { machine, database } = world;
  for (const fault of database.faults) fault.end();
  for (const webhook of world.receivers.webhooks) webhook.behavior = "accepting";
  for (const follower of world.followers) follower.isUnsteady = false;
  world.trace(() => "nothing disturbs any more");
  if (world.isFirstKeyRequested && world.keys.length === 0) void run(() => createKeyOnHost(world));
  const calmAt = Math.max(machine.elapsedMs, ...world.nodes.map((node) => world.undisturbedSince(node)));
  const end = calmAt + REST_MS.most;
  await machine.runUntil(calmAt + REST_MS.least, goOn);
  while (goOn() && machine.elapsedMs < end && world.isUnfinished())
    await machine.runUntil(machine.elapsedMs + REST_MS.step, goOn);
}

const create: Record<EngineName, (machine: Machine) => SimulatedDatabase> = {
  sqlite: createSqlite,
  postgres: createPostgres,
};
