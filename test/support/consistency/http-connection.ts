import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { ResponseData } from "./operation.ts";

/**
 * An HTTP/1.1 connection that sends each request once. `fetch` does not: it repeats a request if a kept-alive connection
 * turns out to be closed, and a repeated write would look like an error of the service.
 */
export class HttpConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #wake = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => {
      this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
      this.#wake();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#wake());
  }

  static async open(port: number): Promise<HttpConnection> {
    const socket = connect({ host: "127.0.0.1", port });
    await once(socket, "connect");
    return new HttpConnection(socket);
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  /** Fails if the connection breaks or the response takes too long. The connection is then closed. */
  async send(request: string, timeoutMs: number): Promise<ResponseData & { readonly head: string }> {
    const timer = setTimeout(() => this.#socket.destroy(), timeoutMs);
    try {
      this.#socket.write(request);
      for (;;) {
        const response = this.#takeResponse();
        if (response) return response;
        if (!this.isOpen) throw new Error("The connection was closed without a response.");
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #takeResponse(): (ResponseData & { head: string }) | undefined {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const head = this.#received.toString("latin1", 0, end);
    const status = Number(head.slice(9, 12));
    const length = status === 204 ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
    if (Number.isNaN(length)) throw new Error(`A response without Content-Length: ${head}`);
    const total = end + 4 + length;
    if (this.#received.length < total) return undefined;
    const text = this.#received.toString("utf8", end + 4, total);
    this.#received = this.#received.subarray(total);
    return { status, text, replayed: /\r\nidempotency-replayed: true/i.test(head), head };
  }
}
