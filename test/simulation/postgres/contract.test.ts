import { computedChangeContract } from "../../store/support/computed-change-contract.ts";
import { deletedContract } from "../../store/support/deleted-contract.ts";
import { deliveryContract } from "../../store/support/delivery-contract.ts";
import { eventContract } from "../../store/support/event-contract.ts";
import { groupContract } from "../../store/support/group-contract.ts";
import { keyContract } from "../../store/support/key-contract.ts";
import { membershipContract } from "../../store/support/membership-contract.ts";
import { retentionContract } from "../../store/support/retention-contract.ts";
import { schemaContract } from "../../store/support/schema-contract.ts";
import { statisticsContract } from "../../store/support/statistics-contract.ts";
import type { OpenStore } from "../../store/support/store-under-test.ts";
import { userNameContract } from "../../store/support/user-name-contract.ts";
import { webhookContract } from "../../store/support/webhook-contract.ts";
import { writeContract } from "../../store/support/write-contract.ts";
import { Machine } from "../machine.ts";
import { SimulatedProcess } from "../simulated-process.ts";
import { openSimulatedPostgres } from "./open-simulated-postgres.ts";
import { PostgresServer } from "./server.ts";

/** Runs the machine in the background while stores are open: the tests wait for promises as if time were real. */
class BackgroundMachine {
  readonly machine = new Machine(1);
  #stores = 0;
  #running: Promise<void> | undefined;
  #installed: Disposable | undefined;

  start(): void {
    if (this.#stores++ > 0) return;
    this.#installed = this.machine.install();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    if (--this.#stores > 0) return;
    await this.#running;
    await this.machine.end();
    this.#installed?.[Symbol.dispose]();
  }

  async #run(): Promise<void> {
    try {
      while (this.#stores > 0)
        await this.machine.runUntil(this.machine.elapsedMs + 1000, () => this.#stores > 0);
    } catch (error) {
      // The time stands still now: the tests would wait for ever.
      console.error(error);
      process.exit(1);
    }
  }
}

const background = new BackgroundMachine();

const open: OpenStore = async (maxCandidates) => {
  background.start();
  const { machine } = background;
  const server = new PostgresServer(machine, { keepsIndexes: true });
  const openAnother = () => openSimulatedPostgres(server, new SimulatedProcess(machine), { maxCandidates });
  const store = await openAnother();
  return {
    store,
    engine: "postgres",
    url: "postgres://simulated",
    openAnother,
    async destroy() {
      await store.close();
      await background.stop();
    },
  };
};

/*
 * The simulated server does what the store expects of a real one. The other parts of the contract are about lists, which run SQL of
 * SQLite here, and about the bytes of events, which that part counts in a real database.
 */
const parts = [
  writeContract,
  deletedContract,
  statisticsContract,
  keyContract,
  eventContract,
  retentionContract,
  webhookContract,
  deliveryContract,
  schemaContract,
  userNameContract,
  groupContract,
  membershipContract,
  computedChangeContract,
];
for (const contract of parts) contract("Simulated PostgreSQL", open);
