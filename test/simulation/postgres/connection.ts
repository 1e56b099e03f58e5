import type { Timer } from "../../../src/domain/clock.ts";
import type { SimulatedProcess } from "../simulated-process.ts";
import { driverError } from "./errors.ts";
import type { PostgresServer } from "./server.ts";
import { type Answer, CONNECT, Session, type SessionSettings } from "./session.ts";

/** The rows of a statement, as Bun's driver returns them. */
export type Result = unknown[][] & { readonly command?: string };

interface Pending {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

export interface ConnectionOptions {
  readonly process: SimulatedProcess;
  readonly settings: SessionSettings;
  readonly connectMs: number;
  /** Called in the process when the connection has closed. */
  readonly onClose: () => void;
}

/**
 * A connection of a process with the server. Statements and answers travel in order, each for a random time. The connection can break
 * before a statement reaches the server, and before the answer reaches the process.
 */
export class Connection {
  readonly process: SimulatedProcess;
  /** Resolves when the server accepts statements. */
  readonly ready: Promise<unknown>;
  readonly #server: PostgresServer;
  readonly #session: Session;
  readonly #onClose: () => void;
  readonly #connecting: Timer;
  /** What travels to the server, and back. */
  readonly #outbound: (() => void)[] = [];
  readonly #inbound: (() => void)[] = [];
  #lastArrivalAt = 0;
  #lastAnswerAt = 0;
  #pending: Pending[] = [];
  /** Nothing travels any more. */
  #isCut = false;
  /** The process knows that the connection has closed. */
  #isClosed = false;
  #isInTransaction = false;

  constructor(server: PostgresServer, { process, settings, connectMs, onClose }: ConnectionOptions) {
    this.#server = server;
    this.process = process;
    this.#onClose = onClose;
    this.#session = new Session(server, settings, () => this.#cut());
    this.#connecting = process.deliver(connectMs, () => this.close(driverError("TIMEOUT")));
    this.ready = this.send(CONNECT, []);
    this.ready.then(
      () => this.#connecting.clear(),
      () => this.#connecting.clear(),
    );
  }

  get statements(): number {
    return this.#pending.length;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether a transaction is open, as far as the process knows. */
  get isInTransaction(): boolean {
    return this.#isInTransaction;
  }

  /** Whether the server has an open transaction of this connection. */
  get isActive(): boolean {
    return this.#session.isActive;
  }

  send(text: string, values: readonly (string | null)[]): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    // The caller that awaits the statement gets the error.
    promise.catch(() => undefined);
    if (this.#isClosed) {
      reject(driverError("CLOSED"));
      return promise;
    }
    this.#pending.push({ resolve, reject });
    const breaks = this.#server.machine.random.chance(this.#server.settings.breakBeforeChance);
    this.#sendToServer(() => {
      if (breaks) this.break();
      else this.#session.receive({ text, values, answer: (answer) => this.#sendAnswer(answer) });
    });
    return promise;
  }

  /** The process closes the connection. What it has sent may still be handled. */
  close(error = driverError("CLOSED")): void {
    if (this.#isClosed) return;
    this.hangUp();
    this.#close(error);
  }

  /** The process sends nothing more, like a killed one. */
  hangUp(): void {
    this.#sendToServer(() => this.#session.hangUp());
  }

  /** The network loses the connection. The server notices it later: until then, it holds the locks of the transaction. */
  break(): void {
    if (this.#isCut) return;
    this.#cut();
    this.#server.after(this.#server.pick(this.#server.settings.noticeMs), () => this.#session.hangUp());
  }

  /** The server ends the session at once, and rolls back. */
  end(): void {
    this.#session.end();
  }

  /** Nothing travels any more. The process hears of it after everything that has been sent before. */
  #cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#server.forget(this);
    this.#sendToProcess(() => this.#close(driverError("CLOSED")));
  }

  #close(error: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connecting.clear();
    const pending = this.#pending;
    this.#pending = [];
    for (const { reject } of pending) reject(error);
    this.#onClose();
  }

  #sendAnswer(answer: Answer): void {
    if (this.#isCut) return;
    if (this.#server.machine.random.chance(this.#server.settings.breakAfterChance)) {
      this.break();
      return;
    }
    this.#sendToProcess(() => {
      const statement = this.#pending.shift();
      if ("error" in answer) statement?.reject(answer.error);
      else {
        this.#isInTransaction = answer.isInTransaction;
        statement?.resolve(Object.assign(answer.rows.map(toDriverRow), { command: answer.command }));
      }
    });
  }

  #sendToServer(arrive: () => void): void {
    const { machine, settings } = this.#server;
    this.#outbound.push(arrive);
    this.#lastArrivalAt = Math.max(this.#lastArrivalAt, machine.now + this.#server.pick(settings.delayMs));
    // Timers of the same time run in any order: each takes the oldest message.
    this.#server.after(this.#lastArrivalAt - machine.now, () => {
      const next = this.#outbound.shift();
      if (!this.#isCut) next?.();
    });
  }

  #sendToProcess(arrive: () => void): void {
    const { machine, settings } = this.#server;
    this.#inbound.push(arrive);
    this.#lastAnswerAt = Math.max(this.#lastAnswerAt, machine.now + this.#server.pick(settings.delayMs));
    this.process.deliver(this.#lastAnswerAt - machine.now, () => {
      const next = this.#inbound.shift();
      if (!this.#isClosed) next?.();
    });
  }
}

/** Numbers of 64 bits arrive as text. */
function toDriverRow(row: unknown[]): unknown[] {
  return row.map((cell) => (typeof cell === "number" ? String(cell) : cell));
}
