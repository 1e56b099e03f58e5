import type { Database } from "bun:sqlite";
import type { Store, StoreObserver } from "../../src/domain/store.ts";
import type { StoreOptions } from "../../src/store/store-options.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** What goes wrong with a database. */
export interface DatabaseFault {
  readonly name: string;
  /** Whether reads fail or wait, too: nodes then know nothing new. */
  readonly stopsReads: boolean;
  begin(): void;
  end(): void;
}

/** A database that nodes share. It promises what its engine promises, and no more. */
export interface SimulatedDatabase {
  /** What is committed. */
  readonly storage: Database;
  /** Called at the moment at which something is committed. */
  onCommit: () => void;
  readonly faults: readonly DatabaseFault[];
  open(process: SimulatedProcess, options: StoreOptions, observer: StoreObserver): Promise<Store>;
  /** Call it when a process was killed. */
  forget(process: SimulatedProcess): void;
}
