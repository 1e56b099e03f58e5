import { readConfig } from "../../src/config/config.ts";
import type { Store } from "../../src/domain/store.ts";
import type { RecordRules } from "../../src/domain/users/record-rules.ts";
import type { StopPhase } from "../../src/http/request-log.ts";
import { type ServiceNode, startNode } from "../../src/start-node.ts";
import type { Log } from "../../src/telemetry/log.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { OutageLog } from "../../src/telemetry/outage-log.ts";
import type { EventSender } from "../../src/webhooks/sender.ts";
import type { Machine } from "./machine.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";
import { SimulatedProcess } from "./simulated-process.ts";

/** How long nodes wait for the database. */
const WAIT_MS = 1000;
const HOST = "127.0.0.1:3000";
const BASE_URL = `http://${HOST}`;
/** How long a message between a caller and a node takes at most. */
const NETWORK_MS = 3;
/** How long a caller waits for a response. */
const PATIENCE_MS = 20_000;

const config = readConfig(["--port=3000", `--database-wait=${WAIT_MS}`, "--log-level=error"], {
  ROSTER_WEBHOOK_PRIVATE: "allow",
});
const recordRules: RecordRules = { maxBytes: config.recordLimit, maxFields: config.fieldLimit };

/** The caller got no response, or only a part: the connection broke, or the caller gave up. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

interface NodeParts {
  readonly number: number;
  readonly machine: Machine;
  readonly database: SimulatedDatabase;
  readonly log: Log;
  /** What sends the webhooks of a process. */
  createSender(process: SimulatedProcess, number: number): EventSender;
}

/** A node of the service: everything but its socket and its database is real. It can be killed, frozen, stopped and started again. */
export class SimulatedNode {
  readonly number: number;
  metrics = new Metrics();
  readonly #parts: NodeParts;
  #process: SimulatedProcess;
  #running: { readonly service: ServiceNode; readonly store: Store } | undefined;
  #stopPhase: StopPhase = "running";
  /** Called if the node is killed. */
  readonly #connections = new Set<() => void>();

  constructor(parts: NodeParts) {
    this.number = parts.number;
    this.#parts = parts;
    this.#process = new SimulatedProcess(parts.machine);
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get process(): SimulatedProcess {
    return this.#process;
  }

  /** Tries again until the database can be read, like a process that is started again after each failure. */
  async start(): Promise<void> {
    const process = new SimulatedProcess(this.#parts.machine);
    this.#process = process;
    this.#stopPhase = "running";
    while (!process.isKilled) {
      try {
        const running = await this.#open(process);
        if (process.isKilled) return;
        this.#running = running;
        running.service.startDeliveries(BASE_URL);
        return;
      } catch {
        await this.#parts.machine.sleep(100);
      }
    }
  }

  async #open(process: SimulatedProcess) {
    const { database, log, createSender, number } = this.#parts;
    const { clock } = process;
    this.metrics = new Metrics();
    const { metrics } = this;
    const outages = new OutageLog(log, WAIT_MS, () => clock.monotonic());
    const observer = {
      committed(writes: number, seconds: number) {
        metrics.committed(writes, seconds);
        outages.committed();
      },
    };
    const options = { batch: 64, queue: 1000, waitMs: WAIT_MS, recordRules, clock };
    const store = await database.open(process, options, observer);
    const service = await startNode({
      ...{ config, clock, store, recordRules, metrics, log, outages },
      tracer: undefined,
      sender: createSender(process, number),
      socket: {
        stopPhase: () => this.#stopPhase,
        pendingRequests: () => this.#connections.size,
        peerAddress: () => "127.0.0.1",
        setIdleTimeout: () => undefined,
        closeConnection: () => undefined,
      },
      onFirstKey: () => undefined,
    });
    return { service, store };
  }

  kill(): void {
    this.#process.kill();
    this.#running = undefined;
    this.#parts.database.forget(this.#process);
    for (const cut of [...this.#connections]) cut();
    this.#connections.clear();
  }

  /** Ends like a service that gets SIGTERM. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    this.#stopPhase = "stopping";
    const { service, store } = running;
    const delivered = service.stopDeliveries(1000);
    await service.feed.stop();
    await this.#process.clock.sleep(1000);
    await delivered;
    await service.stopUpkeep().catch(() => undefined);
    await store.close().catch(() => undefined);
    this.kill();
  }

  /** Sends a request, and resolves with the response. Fails with `ConnectionLost`. */
  async send(path: string, init: { method: string; headers: Record<string, string>; body?: string }) {
    const running = this.#running;
    if (!running) throw new ConnectionLost();
    const connection = this.#connect();
    try {
      await connection.race(this.#travel());
      const request = new Request(BASE_URL + path, { ...init, headers: { host: HOST, ...init.headers } });
      const response = await connection.race(Promise.resolve(running.service.app.fetch(request)));
      await connection.race(this.#travel());
      return { response, connection };
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** A write that no operation of the API makes. Fails with `ConnectionLost`, like a request. */
  async useStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const running = this.#running;
    if (!running) throw new ConnectionLost();
    const connection = this.#connect();
    try {
      await connection.race(this.#travel());
      return await connection.race(work(running.store));
    } finally {
      connection.close();
    }
  }

  /** A connection of a caller, which breaks when the node is killed. */
  #connect(): Connection {
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => undefined);
    const cut = () => broken.reject(new ConnectionLost());
    this.#connections.add(cut);
    const timer = this.#parts.machine.after(PATIENCE_MS, cut);
    return {
      race: (work) => Promise.race([work, broken.promise]),
      keepOpen: () => timer.clear(),
      close: () => {
        timer.clear();
        this.#connections.delete(cut);
      },
    };
  }

  /** A message on its way: it waits while the node is frozen. */
  #travel(): Promise<void> {
    return new Promise((resolve) => {
      this.#process.deliver(this.#parts.machine.random.between(0, NETWORK_MS), resolve);
    });
  }
}

export interface Connection {
  /** Fails with `ConnectionLost` if the connection breaks first. */
  race<T>(work: Promise<T>): Promise<T>;
  /** The caller has patience: the response is a stream. */
  keepOpen(): void;
  close(): void;
}
