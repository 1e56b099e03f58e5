import type { AllTables, Engines } from "../open-tables.ts";
import { type MethodsByTable, stepsOf } from "../sql/engine.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import type { Connections } from "./connections.ts";
import type { ReservedConnection } from "./driver.ts";
import { commitInDoubt } from "./error-codes.ts";
import { runInSnapshot, runInTransaction, runStatements } from "./snapshot.ts";
import { postgresTables } from "./table-dialect.ts";

export function openEngines(
  connections: Connections,
  tables: MethodsByTable<AllTables> = postgresTables,
): Engines {
  return (name) => {
    const stepsOfTable = <M extends keyof AllTables[typeof name]>(
      method: M,
      args: AllTables[typeof name][M]["args"],
    ) => stepsOf<AllTables, typeof name, M>(tables, name, method, args);
    return {
      read: (method, args) => connections.read((sql) => runStatements(sql, stepsOfTable(method, args))),
      readLong: (method, args) => readLong(connections, () => stepsOfTable(method, args)),
      write: (method, args) => transact(connections, () => stepsOfTable(method, args)),
      writeRepeatable: (method, args) =>
        connections.withReserved((sql) => runStatements(sql, stepsOfTable(method, args), { first: true }), {
          writes: true,
        }),
    };
  };
}

/** Each statement has a snapshot of its own. Behind a pooler, only a transaction has planner settings. */
function readLong<T>(connections: Connections, steps: () => SqlSteps<T>): Promise<T> {
  return connections.withReserved((sql) =>
    connections.options.dedicatedSessions ? runStatements(sql, steps()) : runInSnapshot(sql, false, steps()),
  );
}

async function transact<T>(connections: Connections, steps: () => SqlSteps<T>): Promise<T> {
  const state = { inDoubt: false };
  try {
    const run = (sql: ReservedConnection, leftMs: () => number) =>
      runInTransaction(sql, steps(), leftMs, state);
    return await connections.withReserved(run, { writes: true });
  } catch (error) {
    throw state.inDoubt ? commitInDoubt(error) : error;
  }
}
