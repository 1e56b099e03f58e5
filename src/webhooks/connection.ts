import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { isComplete, parseHead, type ResponseHead } from "./parse-response.ts";
import { SendError } from "./send-error.ts";

/** The largest head of a response, and the largest body that is read before the connection is closed. */
const MAX_RECEIVED_CHARACTERS = 16_384;
const CLOSED = "The connection was closed before the response.";

export interface ConnectOptions {
  readonly tls: boolean;
  /** The IP address to connect to. */
  readonly address: string;
  readonly port: number;
  readonly serverName: string | undefined;
  /** Certificate authority. Only tests set this. */
  readonly ca?: string;
}

/** The receiver closed the connection before it sent anything. */
export class ClosedUnused extends SendError {
  constructor() {
    super(CLOSED);
  }
}

/** Gets the head of the response, or the reason why there is none. */
export type ResponseHandler = (response: ResponseHead | SendError) => void;

/** A connection to a receiver. It sends one request at a time, and skips the bodies of responses. */
export class Connection {
  readonly #socket: Socket;
  #received = "";
  #head: ResponseHead | undefined;
  #onResponse: ResponseHandler | undefined;
  #onFree: () => void = () => undefined;
  #isOpen = true;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("close", () => this.#close(this.#received === "" ? new ClosedUnused() : new SendError(CLOSED)));
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

  /** Calls `onResponse` once. `onFree` is called when the connection can take the next request. */
  post(request: string, onResponse: ResponseHandler, onFree: () => void): void {
    this.#onResponse = onResponse;
    this.#received = "";
    this.#head = undefined;
    this.#onFree = onFree;
    if (this.#isOpen) this.#socket.write(request);
    else this.#close(new ClosedUnused());
  }

  close(reason = new SendError("The delivery was cancelled.")): void {
    this.#close(reason);
  }

  #receive(chunk: Buffer): void {
    if (!this.#onResponse && !this.#head) {
      this.close();
      return;
    }
    this.#received += chunk.toString("latin1");
    if (!this.#head && !this.#readHead()) return;
    if (this.#head && isComplete(this.#head, this.#received) && this.#head.keepsAlive) {
      this.#head = undefined;
      this.#onFree();
    } else if (this.#received.length > MAX_RECEIVED_CHARACTERS || !this.#head?.keepsAlive) this.close();
  }

  /** Returns false if the head is not complete, or invalid. */
  #readHead(): boolean {
    const head = parseHead(this.#received);
    if (head instanceof SendError) this.#close(head);
    else if (!head && this.#received.length > MAX_RECEIVED_CHARACTERS) {
      this.#close(new SendError("The head of the response is too large."));
    } else if (head) {
      this.#head = head;
      this.#respond(head);
    }
    return this.#head !== undefined;
  }

  #respond(response: ResponseHead | SendError): void {
    const onResponse = this.#onResponse;
    this.#onResponse = undefined;
    onResponse?.(response);
  }

  #close(reason: SendError): void {
    this.#isOpen = false;
    this.#socket.destroy();
    this.#head = undefined;
    this.#respond(reason);
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
