import { connect, type Socket } from "node:net";

/** A connection that is written to and read from by hand, byte by byte if need be. */
export class Connection {
  received = "";
  /** Resolves when it is closed, by whomever and however. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (text) => {
      this.received += text;
    });
    socket.on("error", () => {});
    this.closed = new Promise((resolve) => socket.on("close", () => resolve()));
  }

  /** Fails when nobody listens there. */
  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new Connection(socket));
      });
    });
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  /** Resolves when all of it is on its way. */
  writeAll(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** From here on, what comes in stays with the system, and then with whoever sent it. */
  stopReading(): void {
    this.#socket.pause();
  }

  goOnReading(): void {
    this.#socket.resume();
  }

  /** Waits until what came in holds the text. */
  async until(text: string, withinMs = 5000): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (!this.received.includes(text)) {
      if (performance.now() > deadline) throw new Error(`No ${text} came, but ${this.received}`);
      await Bun.sleep(5);
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** A request as it goes over the wire. */
export function requestText(method: string, path: string, body = ""): string {
  return [
    `${method} ${path} HTTP/1.1`,
    "Host: localhost",
    ...(body && ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
    "",
    body,
  ].join("\r\n");
}
