import type { Socket } from "bun";

export interface ConnectionEvents {
  /** A complete response has arrived. */
  responded(connection: HttpConnection, status: number): void;
  /** The connection is unusable. Called at most once, and not after `close`. */
  failed(connection: HttpConnection, reason: string): void;
}

const HEAD_END = "\r\n\r\n";
/** Ends a chunked body. JSON contains no line break of this kind. */
const CHUNKS_END = Buffer.from("\r\n0\r\n\r\n");
const EMPTY = Buffer.alloc(0);
const FRAMING = /\r\n(content-length|transfer-encoding): *([^\r]*)/i;

/**
 * HTTP/1.1 on a bare socket, one request at a time. Reads responses with a Content-Length, and chunked JSON: next to the
 * server, the client costs almost nothing.
 */
export class HttpConnection {
  #socket: Socket | undefined;
  #unsent: Buffer | undefined;
  #head: Buffer | undefined;
  #status = 0;
  #bodyLeft = 0;
  /** The end of a chunked body so far; undefined if the body has a Content-Length. */
  #chunksTail: Buffer | undefined;
  #awaitsResponse = false;
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
        close: () => connection.#fail("the server closed the connection"),
        error: (_, error) => connection.#fail(error.message),
      },
    });
    return connection;
  }

  send(request: string): void {
    this.#awaitsResponse = true;
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
    if (this.#chunksTail) {
      this.#receiveChunks(chunk);
      return;
    }
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
    if (!this.#awaitsResponse) this.#fail("a response without a request");
    else if (!bodiless && length.toLowerCase() === "chunked") this.#receiveChunks(bytes.subarray(end + 2));
    else if (!bodiless && framing.toLowerCase() !== "content-length")
      this.#fail("a response without Content-Length");
    else {
      this.#bodyLeft = bodiless ? 0 : Number(length);
      this.#receiveBody(bytes.length - end - HEAD_END.length);
    }
  }

  #receiveBody(length: number): void {
    this.#bodyLeft -= length;
    if (this.#bodyLeft > 0) return;
    if (this.#bodyLeft < 0) this.#fail("a response longer than its Content-Length");
    else this.#endResponse();
  }

  #receiveChunks(bytes: Buffer): void {
    const tail = Buffer.concat([this.#chunksTail ?? EMPTY, bytes.subarray(-CHUNKS_END.length)]).subarray(
      -CHUNKS_END.length,
    );
    this.#chunksTail = tail;
    if (!tail.equals(CHUNKS_END)) return;
    this.#chunksTail = undefined;
    this.#endResponse();
  }

  #endResponse(): void {
    this.#awaitsResponse = false;
    this.#events.responded(this, this.#status);
  }

  #fail(reason: string): void {
    if (!this.#socket) return;
    this.close();
    this.#events.failed(this, reason);
  }
}
