import { expect, test } from "bun:test";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { Store } from "../../../src/domain/store.ts";
import { type PostgresSimulation, simulate } from "./postgres-simulation.ts";
import type { PostgresServer } from "./server.ts";

/** Simulations of each fault. */
const SEEDS = 5;

type Outcome = "made" | "not made" | "in doubt";

/** Creates a user. A write whose answer was lost may have been made. */
async function create(store: Store, name: string): Promise<Outcome> {
  try {
    const { outcome } = await store.users.create({ record: { name } });
    return "user" in outcome ? "made" : "not made";
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return /may or may not/.test(error.detail ?? "") ? "in doubt" : "not made";
  }
}

interface Write {
  readonly name: string;
  readonly outcome: Promise<Outcome>;
}

/** Two nodes create users for some seconds, one after the other and together. */
async function createUsers({ machine }: PostgresSimulation, stores: readonly Store[]): Promise<Write[]> {
  const writes: Write[] = [];
  for (let i = 0; i < 40; i++) {
    const name = `User ${i}`;
    writes.push({ name, outcome: create(machine.random.pick(stores), name) });
    await machine.sleep(machine.random.between(0, 100));
  }
  return writes;
}

/** How often a user of this name was created. */
function countUsers({ server }: PostgresSimulation, name: string): number {
  const text = `SELECT count(*) FROM (SELECT action, record FROM events UNION ALL SELECT action, record FROM new_events)
    WHERE action = 'created' AND record ->> 'name' = ?`;
  const [row] = server.storage.prepare<unknown, [string]>(text).values(name);
  return Number(row?.[0]);
}

/** Runs writes with a fault, and returns how each write ended, and how often it was made. */
function tryWrites(seed: number, startFault: (server: PostgresServer) => void): Promise<string[]> {
  return simulate(seed, async (simulation) => {
    const { machine, server } = simulation;
    const nodes = [await simulation.openNode(), await simulation.openNode()];
    const stores = nodes.map(({ store }) => store);
    machine.after(machine.random.between(0, 2000), () => startFault(server));
    const writes = await simulation.settle(createUsers(simulation, stores));
    const outcomes = await simulation.settle(Promise.all(writes.map(({ outcome }) => outcome)));
    // Transactions that nobody waits for have ended by then.
    await simulation.run(20_000);
    return writes.map(({ name }, index) => `${outcomes[index]}, ${countUsers(simulation, name)} times`);
  });
}

interface Fault {
  readonly fault: string;
  readonly start: (server: PostgresServer) => void;
  /** Some write ends like this. */
  readonly result: string;
}

const faults: readonly Fault[] = [
  {
    fault: "connections that break before a statement",
    start: ({ settings }) => Object.assign(settings, { breakBeforeChance: 0.05 }),
    result: "in doubt, 0 times",
  },
  {
    fault: "connections that break after a statement",
    start: ({ settings }) => Object.assign(settings, { breakAfterChance: 0.05 }),
    result: "in doubt, 1 times",
  },
  {
    fault: "commits that take long",
    start: ({ settings }) => Object.assign(settings, { longCommitChance: 0.1, longCommitMs: [2000, 9000] }),
    result: "in doubt, 1 times",
  },
  { fault: "a frozen server", start: (server) => server.freeze(7000), result: "not made, 0 times" },
  { fault: "a demoted server", start: (server) => server.demote(3000), result: "not made, 0 times" },
  // The next try succeeds.
  {
    fault: "connections that are cut",
    start: (server) => server.cutConnections(1),
    result: "made, 1 times",
  },
];

test.each(faults)(
  "with $fault, acknowledged writes are made once, and refused ones never",
  async ({ start, result }) => {
    const found = new Set<string>();
    for (let seed = 1; seed <= SEEDS; seed++)
      for (const each of await tryWrites(seed, start)) found.add(each);
    const allowed = ["made, 1 times", "not made, 0 times", "in doubt, 0 times", "in doubt, 1 times"];
    expect([...found].filter((each) => !allowed.includes(each))).toEqual([]);
    expect([...found]).toContain("made, 1 times");
    expect([...found]).toContain(result);
  },
);

test("a demoted server rejects writes and answers reads, and takes writes again afterwards", async () => {
  await simulate(1, async (simulation) => {
    const { store } = await simulation.openNode();
    const state = () =>
      simulation.settle(
        store.ping().then(
          () => "ready",
          (error: unknown) => String(error),
        ),
      );
    expect(await state()).toBe("ready");
    simulation.server.demote(10_000);
    expect(await state()).toContain("read-only");
    expect(await simulation.settle(create(store, "Ada"))).toBe("not made");
    await simulation.run(10_000);
    expect(await state()).toBe("ready");
    expect(await simulation.settle(create(store, "Ada"))).toBe("made");
    expect(countUsers(simulation, "Ada")).toBe(1);
  });
});

test("the same seed gives the same simulation, with every fault", async () => {
  const trace = () =>
    simulate(
      7,
      async (simulation) => {
        const { machine, server } = simulation;
        const nodes = [await simulation.openNode(), await simulation.openNode()];
        machine.after(500, () => server.cutConnections(0.5));
        machine.after(1000, () => nodes[0]?.process.freeze(3000));
        machine.after(1200, () => server.demote(500));
        const stores = nodes.map(({ store }) => store);
        const writes = await simulation.settle(createUsers(simulation, stores));
        const outcomes = await simulation.settle(Promise.all(writes.map(({ outcome }) => outcome)));
        const events = server.storage.query("SELECT position, record FROM events").values();
        return { steps: machine.steps, elapsedMs: machine.elapsedMs, outcomes, events };
      },
      { breakBeforeChance: 0.01, breakAfterChance: 0.01, longCommitChance: 0.05 },
    );
  expect(await trace()).toEqual(await trace());
});
