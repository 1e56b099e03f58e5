import type { Socket } from "bun";

/** What a connection tells its owner. */
export interface ConnectionEvents {
  /** An answer has come in whole. */
  answered(connection: HttpConnection, status: number): void;
  /** The connection is of no more use; at most once, and not after `close`. */
  broken(connection: HttpConnection, reason: string): void;
}

const HEAD_END = "\r\n\r\n";
const FRAMING = /\r\n(content-length|transfer-encoding): *([^\r]*)/i;

/**
 * HTTP/1.1 on a bare socket, one request at a time. Understands answers framed by their Content-Length and no others:
 * what it costs to send and to read is next to nothing beside what it costs to answer.
 */
export class HttpConnection {
  #socket: Socket | undefined;
  #unsent: Buffer | undefined;
  #head: Buffer | undefined;
  #status = 0;
  #bodyLeft = 0;
  #waiting = false;
  readonly #events: ConnectionEvents;

  private constructor(events: ConnectionEvents) {
    this.#events = events;
  }

  static async open(url: URL, events: ConnectionEvents): Promise<HttpConnection> {
    const connection = new HttpConnection(events);
    connection.#socket = await Bun.connect({
      hostname: url.hostname,
      port: Number(url.port),
      socket: {
        data: (_, chunk) => connection.#receive(chunk),
        drain: () => connection.#flush(),
        close: () => connection.#break("the server closed the connection"),
        error: (_, error) => connection.#break(error.message),
      },
    });
    return connection;
  }

  send(request: string): void {
    this.#waiting = true;
    const written = this.#socket?.write(request) ?? 0;
    if (written < Buffer.byteLength(request))
      this.#unsent = Buffer.from(request).subarray(Math.max(0, written));
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.end();
  }

  #flush(): void {
    if (!this.#unsent) return;
    const rest = this.#unsent.subarray(Math.max(0, this.#socket?.write(this.#unsent) ?? 0));
    this.#unsent = rest.length > 0 ? rest : undefined;
  }

  #receive(chunk: Buffer): void {
    if (this.#bodyLeft > 0) {
      this.#receiveBody(chunk.length);
      return;
    }
    const bytes = this.#head ? Buffer.concat([this.#head, chunk]) : chunk;
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      this.#head = Buffer.from(bytes);
      return;
    }
    this.#head = undefined;
    const head = bytes.toString("latin1", 0, end);
    const [, framing = "", length = ""] = FRAMING.exec(head) ?? [];
    this.#status = Number(head.slice(9, 12));
    const bodiless = this.#status === 204 || this.#status === 304;
    if (!this.#waiting) this.#break("an answer to nothing");
    else if (!bodiless && framing.toLowerCase() !== "content-length")
      this.#break("an answer of unknown length");
    else {
      this.#bodyLeft = bodiless ? 0 : Number(length);
      this.#receiveBody(bytes.length - end - HEAD_END.length);
    }
  }

  #receiveBody(length: number): void {
    this.#bodyLeft -= length;
    if (this.#bodyLeft > 0) return;
    if (this.#bodyLeft < 0) this.#break("an answer longer than its Content-Length");
    else {
      this.#waiting = false;
      this.#events.answered(this, this.#status);
    }
  }

  #break(reason: string): void {
    if (!this.#socket) return;
    this.close();
    this.#events.broken(this, reason);
  }
}
