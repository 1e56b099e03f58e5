import type { Machine } from "../machine.ts";
import { createQuery, type SimulatedDatabase } from "../simulated-database.ts";
import { openSimulatedSqlite } from "./open-simulated-sqlite.ts";
import { SqliteFile } from "./sqlite-file.ts";

/** A SQLite file, and what goes wrong with it. */
export function createSqlite(machine: Machine): SimulatedDatabase {
  const usual = { threadMs: 0.5, usualMs: 4, slowMs: 3000, slowChance: 0, failureChance: 0 };
  const file = new SqliteFile(machine, { ...usual });
  const fault = (name: string, settings: Partial<typeof usual>) => ({
    name,
    stopsReads: false,
    begin: () => Object.assign(file.settings, settings),
    end: () => Object.assign(file.settings, usual),
  });
  return {
    query: createQuery(() => file.storage),
    get onCommit() {
      return file.onCommit;
    },
    set onCommit(callback) {
      file.onCommit = callback;
    },
    faults: [
      fault("its disk is slow", { slowChance: 0.5 }),
      fault("its disk is very slow", { usualMs: 3000 }),
      fault("its disk fails now and then", { failureChance: 0.3 }),
    ],
    open: async (process, options, observer) => openSimulatedSqlite(file, process, options, observer),
    forget: (process) => file.releaseOf(process),
    close: () => file.storage.close(),
  };
}
