import { connect, type Socket } from "node:net";
import { until } from "../until.ts";

/** A TCP connection under the test's control, byte by byte if needed. */
export class RawConnection {
  received = "";
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (text) => {
      this.received += text;
    });
    const end = () => {
      this.#isClosed = true;
    };
    socket.on("end", end);
    socket.on("error", end);
    this.closed = new Promise((resolve) =>
      socket.on("close", () => {
        end();
        resolve();
      }),
    );
  }

  /** Fails if no server listens on the port. */
  static open(port: number): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new RawConnection(socket));
      });
    });
  }

  /** The port of this end of the connection. */
  get localPort(): number | undefined {
    return this.#socket.localPort;
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  /** Resolves when the operating system has taken all bytes. */
  writeAll(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Stops reading: responses fill the socket buffers, and then the sender has to wait. */
  stopReading(): void {
    this.#socket.pause();
  }

  resumeReading(): void {
    this.#socket.resume();
  }

  /** Waits until the text has been received. Fails at once if the connection is closed without it. */
  async until(text: string): Promise<void> {
    const describe = () => `Expected ${text}, received ${this.received}`;
    await until(() => {
      if (this.received.includes(text)) return true;
      if (this.#isClosed) throw new Error(`The connection was closed. ${describe()}`);
      return false;
    }, describe);
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** The bytes of an HTTP request. */
export function requestText(method: string, path: string, body = ""): string {
  return [
    `${method} ${path} HTTP/1.1`,
    "Host: localhost",
    ...(body && ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
    "",
    body,
  ].join("\r\n");
}
