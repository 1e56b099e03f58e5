import { connect, type Socket } from "node:net";
import type { FuzzCase } from "./fuzz-case.ts";
import { type FuzzResponse, parseResponse } from "./parse-response.ts";

/** What the client received on one connection. */
export interface Exchange {
  readonly responses: readonly FuzzResponse[];
  /** What is wrong with the bytes received, or with the time that they took. */
  readonly errors: readonly string[];
  /** Whether the service closed the connection before the client did. */
  readonly closedByService: boolean;
  /** Bytes of an incomplete response. */
  readonly rest: number;
  /** Whether the last response is a stream of events, which does not end. */
  readonly isStreaming: boolean;
  readonly firstByteMs: number | undefined;
}

/** Longer than any request takes, even on a busy machine. */
const HANG_MS = 30_000;
/** A client that does not know how many responses to expect gives up after this silence. */
const SILENCE_MS = 30;
const MAX_HEAD_BYTES = 4096;

/** Plays a case on a new connection. */
export async function play(port: number, fuzzCase: FuzzCase): Promise<Exchange> {
  const { parts, ending, requests } = fuzzCase;
  const heads = requests?.map(({ method }) => method === "HEAD");
  const mayBeHead = parts
    .map(({ bytes }) => bytes)
    .join("")
    .includes("HEAD");
  const connection = new Connection(port, (index) => heads?.[index] ?? (mayBeHead ? "unknown" : false));
  await connection.opened;
  let answered = 0;
  for (const { bytes, pauseMs, awaitResponse } of parts) {
    connection.send(bytes);
    if (pauseMs > 0) await Bun.sleep(pauseMs);
    if (!awaitResponse) continue;
    answered += 1;
    await connection.until(() => connection.final >= answered, "response");
    if (connection.isOver) break;
  }
  if (ending === "abort") {
    await Bun.sleep(Math.floor((fuzzCase.number % 7) * 3));
    return connection.finish(fuzzCase.number % 2 === 0);
  }
  if (ending === "idle") await connection.until(() => false, "close of an idle connection");
  if (ending === "response" && requests === undefined) await connection.silence();
  if (requests === undefined && !connection.isOver) {
    connection.halfClose();
    await connection.until(() => false, "close after the client has closed its side");
  }
  return connection.finish(fuzzCase.number % 2 === 0);
}

class Connection {
  readonly opened: Promise<void>;
  readonly #socket: Socket;
  readonly #isHead: (index: number) => boolean | "unknown";
  readonly #responses: FuzzResponse[] = [];
  readonly #errors: string[] = [];
  #bytes = Buffer.alloc(0);
  #parsed = 0;
  #isClosed = false;
  #isOurs = false;
  #lastMs = performance.now();
  #sentMs = 0;
  #firstByteMs: number | undefined;
  #wake = () => {};

  constructor(port: number, isHead: (index: number) => boolean | "unknown") {
    this.#isHead = isHead;
    const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
    this.#socket = socket;
    this.opened = new Promise((resolve, reject) => {
      socket.once("connect", () => resolve());
      socket.once("error", reject);
    });
    socket.on("data", (chunk) => this.#receive(typeof chunk === "string" ? Buffer.from(chunk) : chunk));
    const close = () => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      this.#parse();
      this.#wake();
    };
    socket.on("end", close);
    // Closing with unread bytes resets the connection. A reset counts as closed.
    socket.on("error", close);
    socket.on("close", close);
  }

  /** The number of complete responses, without 1xx. */
  get final(): number {
    return this.#responses.filter(({ status }) => status >= 200).length;
  }

  /** Whether nothing more can arrive or be understood, or whether events arrive without an end. */
  get isOver(): boolean {
    return this.#isClosed || this.#errors.length > 0 || this.#isStreaming;
  }

  get #isStreaming(): boolean {
    const head = this.#bytes.toString("latin1", this.#parsed, this.#parsed + MAX_HEAD_BYTES);
    return /^content-type: text\/event-stream/im.test(head);
  }

  send(bytes: string): void {
    if (this.#isClosed) return;
    this.#sentMs = performance.now();
    this.#socket.write(Buffer.from(bytes, "latin1"));
  }

  halfClose(): void {
    this.#socket.end();
  }

  /** Waits until the condition is true or the connection is over. A long wait is an error. */
  async until(condition: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + HANG_MS;
    while (!condition() && !this.isOver) {
      const left = deadline - performance.now();
      if (left <= 0) {
        this.#errors.push(`hang: no ${what} within ${HANG_MS / 1000} s`);
        return;
      }
      await this.#next(left);
    }
  }

  /** Waits until the service has sent nothing for a while. */
  async silence(): Promise<void> {
    this.#lastMs = performance.now();
    for (;;) {
      const left = this.#lastMs + SILENCE_MS - performance.now();
      if (left <= 0 || this.isOver) return;
      await this.#next(left);
    }
  }

  finish(reset: boolean): Exchange {
    const closedByService = this.#isClosed;
    this.#isOurs = true;
    if (reset) this.#socket.resetAndDestroy();
    else this.#socket.destroy();
    return {
      responses: this.#responses,
      errors: this.#errors,
      closedByService,
      rest: this.#bytes.length - this.#parsed,
      isStreaming: this.#isStreaming,
      firstByteMs: this.#firstByteMs,
    };
  }

  #next(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #receive(chunk: Buffer): void {
    if (this.#isOurs) return;
    this.#lastMs = performance.now();
    this.#firstByteMs ??= this.#lastMs - this.#sentMs;
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    this.#parse();
    this.#wake();
  }

  #parse(): void {
    try {
      while (this.#parsed < this.#bytes.length) {
        const options = { isHead: this.#isHead(this.final), ended: this.#isClosed };
        const parsed = parseResponse(this.#bytes, this.#parsed, options);
        if (parsed === "incomplete") break;
        this.#responses.push(parsed.response);
        this.#parsed = parsed.end;
      }
    } catch (error) {
      const received = this.#bytes.toString("latin1", this.#parsed, this.#parsed + 300);
      this.#errors.push(`the response ${String(error)}: ${JSON.stringify(received)}`);
    }
  }
}
