import { connect, type Socket } from "node:net";
import { type FuzzResponse, headerValue, parseResponse } from "../../../test/support/fuzz/parse-response.ts";

/** Where the client cuts its connection. */
export const cuts = ["in the middle of a request", "before the answer", "after the answer"] as const;
export type Cut = (typeof cuts)[number];

type Outcome =
  | { readonly kind: "answered"; readonly response: FuzzResponse }
  /** The service has not received the whole request, because one of both did not want to. */
  | { readonly kind: "unsent"; readonly by: "client" | "service" }
  /** The service may have received the request. One of both has closed the connection: the service closes those that nobody uses. */
  | { readonly kind: "lost"; readonly by: "client" | "service" | "service, maybe unused" };

/** Longer than any request takes, even on a busy machine. */
const HANG_MS = 60_000;

/**
 * Sends each request once, on new connections and on some that were kept, and cuts connections. `fetch` repeats a request if a kept
 * connection turns out to be closed: nobody would know how often the service got it.
 */
export class Wire {
  #kept: Connection[] = [];

  /** `onWritten` is called when the request is on its way. Fails if the response is not valid HTTP, or does not come. */
  async send(
    port: number,
    request: string,
    { cut, onWritten }: { readonly cut: Cut | undefined; readonly onWritten: () => void },
  ): Promise<Outcome> {
    const kept = this.#takeKept(port);
    const connection = kept ?? (await Connection.open(port));
    if (!connection) return { kind: "unsent", by: "service" };
    const bytes = Buffer.from(request);
    if (cut === "in the middle of a request") {
      await connection.write(bytes.subarray(0, bytes.length >> 1));
      connection.close();
      return { kind: "unsent", by: "client" };
    }
    const written = connection.write(bytes);
    onWritten();
    if (cut === "before the answer") {
      await written;
      connection.close();
      return { kind: "lost", by: "client" };
    }
    const response = await connection.receive();
    if (!response) return { kind: "lost", by: kept ? "service, maybe unused" : "service" };
    if (cut === "after the answer" || headerValue(response, "connection") === "close") connection.close();
    else this.#kept.push(connection);
    return cut === "after the answer" ? { kind: "lost", by: "client" } : { kind: "answered", response };
  }

  close(): void {
    for (const connection of this.#kept) connection.close();
    this.#kept = [];
  }

  #takeKept(port: number): Connection | undefined {
    this.#kept = this.#kept.filter((connection) => connection.isOpen && connection.port === port);
    return this.#kept.shift();
  }
}

class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #wake = () => {};

  private constructor(
    socket: Socket,
    readonly port: number,
  ) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#wake();
    });
    socket.on("end", () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#wake());
  }

  /** Undefined if no service listens on the port. */
  static open(port: number): Promise<Connection | undefined> {
    return new Promise((resolve) => {
      const socket = connect({ host: "127.0.0.1", port });
      socket.once("error", () => resolve(undefined));
      socket.once("connect", () => resolve(new Connection(socket, port)));
    });
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  /** Resolves when the operating system has taken the bytes, or nobody takes them. */
  write(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.write(bytes, () => resolve());
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Undefined if the connection is closed before the end of the response. */
  async receive(): Promise<FuzzResponse | undefined> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, HANG_MS);
    try {
      for (;;) {
        const parsed = parseResponse(this.#received, 0, { isHead: false, ended: !this.isOpen });
        if (parsed !== "incomplete") {
          this.#received = this.#received.subarray(parsed.end);
          return parsed.response;
        }
        if (!this.isOpen) return undefined;
        if (isLate) throw new Error(`There is no answer within ${HANG_MS / 1000} s.`);
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
    }
  }
}
