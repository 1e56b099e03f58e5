import type { Store } from "../../../src/domain/store.ts";
import type { ReservedConnection } from "../../../src/store/postgres/driver.ts";
import { Machine } from "../machine.ts";
import { SimulatedProcess } from "../simulated-process.ts";
import { openSimulatedPostgres } from "./open-simulated-postgres.ts";
import { openSimulatedPool } from "./pool.ts";
import { PostgresServer, type ServerSettings } from "./server.ts";

/** Longer than anything that a test waits for, in the time of the machine. */
const LIMIT_MS = 600_000;

interface Node {
  readonly process: SimulatedProcess;
  readonly store: Store;
}

/** A simulated server and the nodes that use it. */
export class PostgresSimulation {
  readonly machine: Machine;
  readonly server: PostgresServer;

  constructor(machine: Machine, settings: Partial<ServerSettings>) {
    this.machine = machine;
    this.server = new PostgresServer(machine, settings);
  }

  async openNode(): Promise<Node> {
    const process = new SimulatedProcess(this.machine);
    return { process, store: await this.settle(openSimulatedPostgres(this.server, process)) };
  }

  /** Opens a connection for statements of a test. */
  connect(): Promise<ReservedConnection> {
    const pool = openSimulatedPool(this.server, new SimulatedProcess(this.machine), {
      onclose: () => undefined,
      database: "",
      max: 1,
      prepare: true,
      connectionTimeout: 5,
      connection: { statement_timeout: 3000, idle_in_transaction_session_timeout: 2000 },
    });
    return this.settle(pool.reserve());
  }

  /** Runs the machine until the promise settles. Calls `onStep` after every turn. */
  async settle<T>(promise: Promise<T>, onStep: () => void = () => undefined): Promise<T> {
    let isSettled = false;
    const note = () => {
      isSettled = true;
    };
    promise.then(note, note);
    await this.machine.runUntil(this.machine.elapsedMs + LIMIT_MS, () => {
      onStep();
      return !isSettled;
    });
    if (!isSettled) throw new Error(`A promise has not settled within ${LIMIT_MS} simulated milliseconds.`);
    return promise;
  }

  run(ms: number): Promise<void> {
    return this.machine.runUntil(this.machine.elapsedMs + ms);
  }
}

/** Runs a simulation to its end. The same seed gives the same one. */
export async function simulate<T>(
  seed: number,
  work: (simulation: PostgresSimulation) => Promise<T>,
  settings: Partial<ServerSettings> = {},
): Promise<T> {
  const machine = new Machine(seed);
  using _ = machine.install();
  try {
    return await work(new PostgresSimulation(machine, settings));
  } finally {
    await machine.end();
  }
}
