import type { Pool, PoolOptions, ReservedConnection } from "../../../src/store/postgres/driver.ts";
import type { SimulatedProcess } from "../simulated-process.ts";
import type { Connection, Result } from "./connection.ts";
import { driverError } from "./errors.ts";
import type { PostgresServer } from "./server.ts";

interface Reservation {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
}

/** The connections of a pool: opened when they are needed, and again after they have closed. */
class PoolConnections {
  readonly #server: PostgresServer;
  readonly #process: SimulatedProcess;
  readonly #options: PoolOptions;
  #connections: Connection[] = [];
  readonly #reserved = new Set<Connection>();
  #waiting: Reservation[] = [];
  #isClosed = false;

  constructor(server: PostgresServer, process: SimulatedProcess, options: PoolOptions) {
    this.#server = server;
    this.#process = process;
    this.#options = options;
  }

  send(text: string, values: readonly (string | null)[]): Promise<Result> {
    if (this.#isClosed) return rejected(driverError("CLOSED"));
    const shared = this.#connections.filter((connection) => !this.#reserved.has(connection));
    const [idlest] = shared.toSorted((a, b) => a.statements - b.statements);
    const connection = !idlest || idlest.statements > 0 ? (this.#open() ?? idlest) : idlest;
    if (!connection)
      throw new Error("All connections of the pool are reserved, which the model does not expect.");
    return connection.send(text, values);
  }

  async reserve(signal: AbortSignal | undefined): Promise<Connection> {
    if (this.#isClosed) throw driverError("CLOSED");
    const connection =
      this.#connections.find((each) => !this.#reserved.has(each)) ??
      this.#open() ??
      (await this.#wait(signal));
    this.#reserved.add(connection);
    try {
      await Promise.race([connection.ready, untilAborted(signal)]);
    } catch (error) {
      this.release(connection);
      throw error;
    }
    return connection;
  }

  release(connection: Connection): void {
    if (connection.isClosed || !this.#reserved.delete(connection)) return;
    if (connection.isInTransaction) connection.close();
    else this.#serveNext(connection);
  }

  /** Waits for running statements, for this many seconds at most. */
  async close(timeout: number): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting) reject(driverError("CLOSED"));
    this.#waiting = [];
    const { clock } = this.#process;
    const deadline = clock.running() + timeout * 1000;
    while (this.#connections.some(({ statements }) => statements > 0) && clock.running() < deadline)
      await clock.sleep(10);
    for (const connection of [...this.#connections]) connection.close();
  }

  #open(): Connection | undefined {
    const { max, connectionTimeout, connection: settings = {} } = this.#options;
    if (this.#connections.length >= max) return undefined;
    const connection: Connection = this.#server.connect({
      process: this.#process,
      settings: {
        statementTimeoutMs: toNumber(settings.statement_timeout),
        idleInTransactionMs: toNumber(settings.idle_in_transaction_session_timeout),
      },
      connectMs: connectionTimeout * 1000,
      onClose: () => this.#drop(connection),
    });
    this.#connections.push(connection);
    return connection;
  }

  #drop(connection: Connection): void {
    this.#connections = this.#connections.filter((each) => each !== connection);
    this.#reserved.delete(connection);
    this.#options.onclose();
    if (!this.#isClosed && this.#waiting.length > 0) {
      const another = this.#open();
      if (another) this.#serveNext(another);
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const reservation = { resolve, reject };
    this.#waiting.push(reservation);
    signal?.addEventListener("abort", () => {
      this.#waiting = this.#waiting.filter((each) => each !== reservation);
      reject(signal.reason);
    });
    return promise;
  }

  #serveNext(connection: Connection): void {
    const next = this.#waiting.shift();
    if (!next) return;
    this.#reserved.add(connection);
    next.resolve(connection);
  }
}

/** A pool of a process, in place of that of Bun's driver. Statements are sent at once, in the order of the calls. */
export function openSimulatedPool(
  server: PostgresServer,
  process: SimulatedProcess,
  options: PoolOptions,
): Pool {
  const connections = new PoolConnections(server, process, options);
  return Object.assign(
    toClient((text, values) => connections.send(text, values)),
    {
      close: ({ timeout }: { readonly timeout: number }) => connections.close(timeout),
      async reserve({ signal }: { signal?: AbortSignal } = {}): Promise<ReservedConnection> {
        const connection = await connections.reserve(signal);
        let isReleased = false;
        const client = toClient((text, values) =>
          isReleased ? rejected(driverError("CLOSED")) : connection.send(text, values),
        );
        return Object.assign(client, {
          async close() {
            connection.close();
          },
          async release() {
            isReleased = true;
            connections.release(connection);
          },
        });
      },
    },
  );
}

function toClient(send: (text: string, values: readonly (string | null)[]) => Promise<Result>) {
  const unsafe = (text: string, values: (string | null)[] = []) => {
    const result = send(text, values);
    return Object.assign(result, { values: () => result, execute: () => result });
  };
  return Object.assign((text: TemplateStringsArray) => unsafe(text.join("")), { unsafe });
}

function rejected(error: Error): Promise<never> {
  const promise = Promise.reject(error);
  promise.catch(() => undefined);
  return promise;
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
}

function toNumber(setting: string | number | undefined): number | undefined {
  return setting === undefined ? undefined : Number(setting);
}
