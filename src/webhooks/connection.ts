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

/** A connection to a receiver. It sends one request at a time, and skips the bodies of responses. */
export class Connection {
  readonly #socket: Socket;
  #received = "";
  #head: ResponseHead | undefined;
  #pending: PromiseWithResolvers<ResponseHead> | undefined;
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

  /** Resolves with the head of the response. `onFree` is called when the connection can take the next request. */
  post(request: string, signal: AbortSignal, onFree: () => void): Promise<ResponseHead> {
    const pending = Promise.withResolvers<ResponseHead>();
    const abort = () => this.#close(new SendError("The host did not respond in time."));
    signal.addEventListener("abort", abort, { once: true });
    this.#pending = pending;
    this.#received = "";
    this.#head = undefined;
    this.#onFree = onFree;
    if (signal.aborted) abort();
    else if (this.#isOpen) this.#socket.write(request);
    else this.#close(new ClosedUnused());
    return pending.promise.finally(() => signal.removeEventListener("abort", abort));
  }

  close(): void {
    this.#close(new SendError("The delivery was cancelled."));
  }

  #receive(chunk: Buffer): void {
    if (!this.#pending && !this.#head) {
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
    try {
      this.#head = parseHead(this.#received);
    } catch (error) {
      this.#close(error);
      return false;
    }
    if (this.#head) this.#pending?.resolve(this.#head);
    else if (this.#received.length > MAX_RECEIVED_CHARACTERS) {
      this.#close(new SendError("The head of the response is too large."));
    }
    if (this.#head) this.#pending = undefined;
    return this.#head !== undefined;
  }

  #close(reason: unknown): void {
    this.#isOpen = false;
    this.#socket.destroy();
    const pending = this.#pending;
    this.#pending = undefined;
    this.#head = undefined;
    pending?.reject(reason);
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
