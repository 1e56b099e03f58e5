import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { SendError } from "./target.ts";

/** The largest head of a response, and the largest body that is read before the connection is closed. */
const MAX_RECEIVED_CHARACTERS = 16_384;
/** How long the beginning of a body may take after the head, if it is kept. */
const KEPT_BODY_MS = 1000;
const CLOSED = "The connection was closed before the response.";
const HEAD_END = "\r\n\r\n";

export interface ConnectOptions {
  readonly tls: boolean;
  /** The IP address to connect to. */
  readonly address: string;
  readonly port: number;
  readonly serverName: string | undefined;
  /** Certificate authority. Only tests set this. */
  readonly ca?: string;
}

/** The beginning of a body. */
export interface ReceivedBody {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/** The parts of a response that a sender needs. */
export interface ResponseHead {
  readonly code: number;
  readonly retryAfter: string | undefined;
  /** Whether the connection can take another request when the response is complete. */
  readonly keepsAlive: boolean;
  readonly body: BodyLength;
  /** Whether the body has an encoding, such as gzip, although the request asked for none. */
  readonly isEncoded: boolean;
  /** Where the body begins in the received text. */
  readonly bodyStart: number;
}

type BodyLength = number | "chunked" | "until-close";

/** The receiver closed the connection before it sent anything. */
export class ClosedUnused extends SendError {
  constructor() {
    super(CLOSED);
  }
}

/** Gets the head of the response, or the reason why there is none; and the beginning of its body, if it is kept. */
export type ResponseHandler = (response: ResponseHead | SendError, body?: ReceivedBody) => void;

/** A connection to a receiver. It sends one request at a time, and skips the bodies of responses, except what it has to keep. */
export class Connection {
  readonly #socket: Socket;
  #received = "";
  #head: ResponseHead | undefined;
  #onResponse: ResponseHandler | undefined;
  /** How many bytes of the body to keep. */
  #keptBytes = 0;
  /** While the head has arrived, and its handler waits for the bytes to keep. */
  #waiting: { readonly head: ResponseHead; readonly timer: ReturnType<typeof setTimeout> } | undefined;
  #isOpen = true;
  /** Whether the receiver has closed the connection in order. */
  #hasEnded = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("close", (hasFailed) => {
      this.#hasEnded = this.#isOpen && !hasFailed;
      this.close(this.#received === "" ? new ClosedUnused() : new SendError(CLOSED));
    });
  }

  static open(options: ConnectOptions, signal: AbortSignal): Promise<Connection> {
    const { tls, address: host, port, serverName, ca } = options;
    const socket = tls
      ? connectTls({
          host,
          port,
          ALPNProtocols: ["http/1.1"],
          ...(serverName !== undefined && { servername: serverName }),
          ...(ca !== undefined && { ca }),
        })
      : connectPlain({ host, port });
    return new Promise((resolve, reject) => {
      const abort = () => {
        socket.destroy();
        reject(new SendError("The host did not accept the connection in time."));
      };
      if (signal.aborted) return abort();
      signal.addEventListener("abort", abort, { once: true });
      socket.once(tls ? "secureConnect" : "connect", () => {
        signal.removeEventListener("abort", abort);
        resolve(new Connection(socket));
      });
      // Stays for errors of the open connection, which end with "close".
      socket.on("error", (error) => {
        signal.removeEventListener("abort", abort);
        reject(new SendError(describeError(error)));
      });
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether the connection can take a request: the response to the last one is complete. */
  get isFree(): boolean {
    return this.#isOpen && !this.#onResponse && !this.#head;
  }

  /** Calls `onResponse` once: when the head has arrived, or, with `keptBytes`, that much of the body, at most a second later. */
  post(request: string, onResponse: ResponseHandler, keptBytes = 0): void {
    this.#onResponse = onResponse;
    this.#keptBytes = keptBytes;
    this.#received = "";
    if (this.#isOpen) this.#socket.write(request);
    else this.close(new ClosedUnused());
  }

  close(reason = new SendError("The delivery was cancelled.")): void {
    const head = this.#waiting?.head;
    this.#destroy();
    this.#respond(head ?? reason);
  }

  #receive(chunk: Buffer): void {
    if (!this.#onResponse && !this.#head) {
      this.close();
      return;
    }
    this.#received += chunk.toString("latin1");
    const isTooLong = this.#received.length > MAX_RECEIVED_CHARACTERS;
    const head = this.#head ?? parseHead(this.#received);
    if (head instanceof SendError) this.close(head);
    else if (head) this.#skipBody(head, isTooLong);
    else if (isTooLong) this.close(new SendError("The head of the response is too large."));
  }

  #skipBody(head: ResponseHead, isTooLong: boolean): void {
    this.#head = isComplete(head, this.#received) ? undefined : head;
    if (this.#head && !isTooLong && this.#needsMore(head)) {
      this.#waiting ??= { head, timer: setTimeout(() => this.#endBody(head, false), KEPT_BODY_MS) };
    } else this.#endBody(head, isTooLong);
  }

  #needsMore(head: ResponseHead): boolean {
    if (!this.#onResponse || this.#keptBytes === 0 || head.isEncoded) return false;
    return readBody(head, this.#received, this.#keptBytes).length < this.#keptBytes;
  }

  #endBody(head: ResponseHead, isTooLong: boolean): void {
    if (!head.keepsAlive || (this.#head && isTooLong)) this.#destroy();
    this.#respond(head);
  }

  #respond(response: ResponseHead | SendError): void {
    clearTimeout(this.#waiting?.timer);
    this.#waiting = undefined;
    const onResponse = this.#onResponse;
    this.#onResponse = undefined;
    if (onResponse && this.#keptBytes > 0 && !(response instanceof SendError) && !response.isEncoded) {
      onResponse(response, this.#keptBody(response));
    } else onResponse?.(response);
  }

  #keptBody(head: ResponseHead): ReceivedBody {
    const bytes = Buffer.from(readBody(head, this.#received, this.#keptBytes + 1), "latin1");
    const isWhole = bytes.length <= this.#keptBytes && hasWholeBody(head, this.#received, this.#hasEnded);
    return { bytes: bytes.subarray(0, this.#keptBytes), isWhole };
  }

  #destroy(): void {
    this.#isOpen = false;
    this.#head = undefined;
    this.#socket.destroy();
  }
}

function describeError(error: Error): string {
  const code = "code" in error ? String(error.code) : "";
  if (code === "ECONNREFUSED") return "The host refused the connection.";
  if (code === "ENETUNREACH" || code === "EHOSTUNREACH") return "The host is not reachable.";
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO|ISSUER/.test(code))
    return "The TLS certificate is not valid for this host.";
  if (/^ERR_(SSL|TLS)|EPROTO/.test(code)) return "The host does not speak TLS.";
  return "The connection failed.";
}

/** Parses what a receiver sent so far, in Latin-1. Undefined if the head is incomplete, an error if it is invalid. */
function parseHead(text: string): ResponseHead | SendError | undefined {
  let start = 0;
  for (;;) {
    const end = text.indexOf(HEAD_END, start);
    if (end === -1) return undefined;
    const [statusLine = "", ...lines] = text.slice(start, end).split("\r\n");
    const [, minor, digits] = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/.exec(statusLine) ?? [];
    if (digits === undefined) return new SendError("The response is not valid HTTP.");
    const code = Number(digits);
    const bodyStart = end + HEAD_END.length;
    // Informational responses come before the response.
    if (code < 200 && code !== 101) {
      start = bodyStart;
      continue;
    }
    const headers = parseHeaders(lines);
    const connection = headers.get("connection")?.toLowerCase();
    return {
      code,
      retryAfter: headers.get("retry-after"),
      keepsAlive: minor === "1" ? connection !== "close" : connection === "keep-alive",
      isEncoded: !/^(identity)?$/i.test(headers.get("content-encoding") ?? ""),
      body: bodyLength(code, headers),
      bodyStart,
    };
  }
}

/** Whether the body is complete. A connection with more than the body in it cannot be used again. */
function isComplete({ body, bodyStart }: ResponseHead, text: string): boolean {
  if (body === "until-close") return false;
  if (body !== "chunked") return text.length === bodyStart + body;
  for (let start = bodyStart; ; ) {
    const lineEnd = text.indexOf("\r\n", start);
    const size = /^[\da-f]{1,6}$/i.exec(text.slice(start, lineEnd === -1 ? start : lineEnd));
    if (!size) return false;
    const length = Number.parseInt(size[0], 16);
    start = lineEnd + 2 + length + 2;
    if (length === 0) return text.length === start && text.endsWith(HEAD_END);
  }
}

/** What has arrived of the body, in Latin-1, up to this many characters. */
function readBody({ body, bodyStart }: ResponseHead, text: string, most: number): string {
  if (body === "until-close") return text.slice(bodyStart, bodyStart + most);
  if (body !== "chunked") return text.slice(bodyStart, bodyStart + Math.min(body, most));
  let read = "";
  for (let start = bodyStart; read.length < most; ) {
    const lineEnd = text.indexOf("\r\n", start);
    const size = /^[\da-f]{1,6}(?=;|$)/i.exec(text.slice(start, lineEnd === -1 ? start : lineEnd));
    const length = Number.parseInt(size?.[0] ?? "0", 16);
    if (length === 0) break;
    read += text.slice(lineEnd + 2, lineEnd + 2 + length);
    start = lineEnd + 2 + length + 2;
  }
  return read.slice(0, most);
}

/** Whether the whole body has arrived. A body without a length ends with the connection. */
function hasWholeBody(head: ResponseHead, text: string, hasEnded: boolean): boolean {
  return head.body === "until-close" ? hasEnded : isComplete(head, text);
}

function parseHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

function bodyLength(code: number, headers: ReadonlyMap<string, string>): BodyLength {
  if (code === 204 || code === 304) return 0;
  if (headers.has("transfer-encoding")) return "chunked";
  const length = headers.get("content-length");
  return length !== undefined && /^\d{1,9}$/.test(length) ? Number(length) : "until-close";
}
