import type { Database, Statement } from "bun:sqlite";
import type { Store, StoreObserver } from "../../src/domain/store.ts";
import type { StoreOptions } from "../../src/store/store-options.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** Runs a statement on what is committed, and returns its rows. */
export type Query = (text: string, ...values: (string | number)[]) => unknown[][];

/** `storage` gives the database with nothing but what is committed. */
export function createQuery(storage: () => Database): Query {
  const statements = new Map<string, Statement>();
  return (text, ...values) => {
    const db = storage();
    let statement = statements.get(text);
    if (!statement) {
      statement = db.prepare(text);
      statements.set(text, statement);
    }
    return statement.values(...values);
  };
}

/** What goes wrong with a database. */
export interface DatabaseFault {
  readonly name: string;
  /** Whether reads fail or wait, too: nodes then know nothing new. */
  readonly stopsReads: boolean;
  /** It lasts so long. Then, or earlier, `end` is called. */
  begin(ms: number): void;
  end(): void;
}

/** A database that nodes share. It promises what its engine promises, and no more. */
export interface SimulatedDatabase {
  /** Reads what is committed. */
  readonly query: Query;
  /** Called at the moment at which something is committed. */
  onCommit: () => void;
  readonly faults: readonly DatabaseFault[];
  open(process: SimulatedProcess, options: StoreOptions, observer: StoreObserver): Promise<Store>;
  /** Call it when a process was killed. */
  forget(process: SimulatedProcess): void;
  /** Ends the simulation. */
  close(): void;
}
