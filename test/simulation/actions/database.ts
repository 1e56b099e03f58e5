import type { Action } from "../action.ts";

/** How long nodes need to reach a database again: their connections retry after a pause. */
const RECOVERY_MS = 2500;

export const databaseActions: readonly Action[] = [
  {
    name: "the database has a fault",
    weight: 6,
    async run(world, random) {
      if (world.database.faults.length === 0) return;
      const fault = random.pick(world.database.faults);
      const ms = random.between(10, 2000);
      world.trace(() => `fault of the database: ${fault.name}, for ${Math.round(ms)} ms`);
      fault.begin(ms);
      if (fault.stopsReads) world.disturb(world.nodes, world.nowMs + ms + RECOVERY_MS);
      await world.machine.sleep(ms);
      fault.end();
    },
  },
];
