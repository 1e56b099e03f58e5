import type { Database } from "bun:sqlite";
import type { Timer } from "../../../src/domain/clock.ts";
import type { Machine } from "../machine.ts";
import { SimulatedProcess } from "../simulated-process.ts";
import { openStorage } from "../storage.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import type { Sequences } from "./execution.ts";
import { LockTable } from "./locks.ts";
import { type Transaction, TransactionStorage } from "./transactions.ts";

/** At least the first number, and less than the second. */
type Range = readonly [from: number, to: number];

/** How fast the server and its network are, and how often they fail. They can change at any time. */
export interface ServerSettings {
  /** How long a statement travels to the server, and an answer back. */
  delayMs: Range;
  /** How long a COMMIT takes before others can see it. */
  commitMs: Range;
  longCommitChance: number;
  longCommitMs: Range;
  /** The chance that a connection breaks before a statement reaches the server. */
  breakBeforeChance: number;
  /** The chance that a connection breaks after a statement was handled, before the answer arrives. */
  breakAfterChance: number;
  /** How long the server does not notice that a connection is broken. */
  noticeMs: Range;
  /** Whether transactions that publish events wait for each other until the commit, as they must. */
  holdsPublishLock: boolean;
  /** Whether lists find users by their words and by custom fields. Nobody lists users in a simulation, so this saves time. */
  keepsIndexes: boolean;
}

const defaults: ServerSettings = {
  delayMs: [0.1, 1],
  commitMs: [0.5, 3],
  longCommitChance: 0,
  longCommitMs: [1000, 4000],
  breakBeforeChance: 0,
  breakAfterChance: 0,
  noticeMs: [1, 200],
  holdsPublishLock: true,
  keepsIndexes: false,
};

/** How often the server looks for connections of killed processes. */
const KILLED_MS = 100;

/**
 * A simulated PostgreSQL, which several processes can share. It has transactions, locks, sequences, timeouts, and connections that
 * break. It has no snapshot for the statements of a list, no standby with older rows, and no statement that is slow by itself.
 */
export class PostgresServer {
  readonly machine: Machine;
  readonly settings: ServerSettings;
  readonly locks = new LockTable<Transaction>();
  readonly transactions: TransactionStorage;
  readonly sequences: Sequences = {
    userIds: 0,
    groupIds: 0,
    webhookIds: 0,
    eventPositions: 0,
    newEventKeys: 0,
    schemaChanges: 0,
  };
  /** The process of the server, which can be frozen. */
  readonly #process: SimulatedProcess;
  readonly #connections = new Set<Connection>();
  #readOnlyUntil = 0;

  constructor(machine: Machine, settings: Partial<ServerSettings> = {}) {
    this.machine = machine;
    this.settings = { ...defaults, ...settings };
    this.#process = new SimulatedProcess(machine);
    this.transactions = new TransactionStorage(openStorage(), this.settings);
    machine.every(KILLED_MS, () => this.#closeKilled());
  }

  /** What has been committed. */
  get storage(): Database {
    return this.transactions.committed;
  }

  get now(): number {
    return this.machine.now;
  }

  /** Whether the server takes no writes, like a standby. */
  get isReadOnly(): boolean {
    return this.machine.now < this.#readOnlyUntil;
  }

  /** Rolls back all open transactions, breaks their connections, and takes no writes for so long. */
  demote(ms: number): void {
    this.#readOnlyUntil = this.machine.now + ms;
    for (const connection of [...this.#connections]) if (connection.isActive) connection.end();
  }

  /** Nothing is handled for so long. */
  freeze(ms: number): void {
    // The time of the machine has too few digits for every fraction of a millisecond.
    this.#process.freeze(Math.ceil(ms));
  }

  /** Breaks each connection with this chance. */
  cutConnections(chance: number): void {
    for (const connection of [...this.#connections])
      if (this.machine.random.chance(chance)) connection.break();
  }

  connect(options: ConnectionOptions): Connection {
    const connection = new Connection(this, options);
    this.#connections.add(connection);
    return connection;
  }

  forget(connection: Connection): void {
    this.#connections.delete(connection);
  }

  /** Calls back in the process of the server. */
  after(ms: number, run: () => void): Timer {
    return this.#process.deliver(ms, run);
  }

  pick([from, to]: Range): number {
    return this.machine.random.between(from, to);
  }

  pickCommitMs(): number {
    const { longCommitChance, longCommitMs, commitMs } = this.settings;
    return this.pick(this.machine.random.chance(longCommitChance) ? longCommitMs : commitMs);
  }

  /** The system of a killed process closes its connections. What they have sent still arrives before. */
  #closeKilled(): void {
    for (const connection of this.#connections) {
      if (!connection.process.isKilled) continue;
      this.#connections.delete(connection);
      connection.hangUp();
    }
  }
}
