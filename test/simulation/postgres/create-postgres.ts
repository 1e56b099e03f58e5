import type { Machine } from "../machine.ts";
import { createQuery, type DatabaseFault, type SimulatedDatabase } from "../simulated-database.ts";
import { openSimulatedPostgres } from "./open-simulated-postgres.ts";
import { PostgresServer, type ServerSettings } from "./server.ts";

/** A PostgreSQL server, and what goes wrong with it. */
export function createPostgres(machine: Machine): SimulatedDatabase {
  const server = new PostgresServer(machine);
  const usual = { ...server.settings };
  const change = (name: string, stopsReads: boolean, settings: Partial<ServerSettings>): DatabaseFault => ({
    name,
    stopsReads,
    begin: () => Object.assign(server.settings, settings),
    end: () => Object.assign(server.settings, usual),
  });
  const happen = (name: string, begin: (ms: number) => void): DatabaseFault => ({
    name,
    stopsReads: true,
    begin,
    end: () => undefined,
  });
  return {
    query: createQuery(() => server.storage),
    get onCommit() {
      return server.transactions.onCommit;
    },
    set onCommit(callback) {
      server.transactions.onCommit = callback;
    },
    faults: [
      change("some commits take seconds", false, { longCommitChance: 0.5 }),
      change("the network is slow", true, { delayMs: [1, 400] }),
      change("connections break", true, { breakBeforeChance: 0.03, breakAfterChance: 0.03 }),
      happen("most connections are cut", () => server.cutConnections(0.7)),
      happen("the primary is demoted", (ms) => server.demote(ms)),
      happen("the server is frozen", (ms) => server.freeze(ms)),
    ],
    open: (process, options, observer) => openSimulatedPostgres(server, process, { ...options, observer }),
    forget: () => undefined,
    close: () => server.storage.close(),
  };
}
