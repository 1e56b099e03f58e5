import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy in front of PostgreSQL that can break connections at any byte. */
export class BreakableProxy {
  /** Gets new connections instead of the server, to which it can forward them. */
  answer: ((client: Socket, forward: () => void) => void) | undefined;
  /** Replaces the next bytes that the server sends, on any connection. */
  nextBytes: Uint8Array | undefined;
  /** Whether the server does not learn that a client has closed its connection, as on a network that loses packets. */
  hidesClosing = false;
  readonly #clients = new Set<Socket>();
  readonly #hidden = new Set<Socket>();
  readonly #server: Server;

  private constructor(readonly target: URL) {
    this.#server = createServer((client) => {
      this.#clients.add(client);
      client.on("close", () => this.#clients.delete(client));
      client.on("error", () => client.destroy());
      if (this.answer) this.answer(client, () => this.#forward(client));
      else this.#forward(client);
    });
  }

  static async start(url: string): Promise<BreakableProxy> {
    const proxy = new BreakableProxy(new URL(url));
    proxy.#server.listen(0, proxy.target.hostname);
    await once(proxy.#server, "listening");
    return proxy;
  }

  /** The URL of the server, through the proxy. */
  get url(): string {
    const address = this.#server.address();
    const url = new URL(this.target);
    url.port = String(typeof address === "object" ? address?.port : "");
    return url.href;
  }

  /** Closes all connections. */
  cut(): void {
    for (const client of this.#clients) client.destroy();
  }

  stop(): void {
    this.#server.close();
    this.cut();
    for (const server of this.#hidden) server.destroy();
  }

  #forward(client: Socket): void {
    const server = connect({ host: this.target.hostname, port: Number(this.target.port) });
    server.on("error", () => client.destroy());
    server.on("close", () => client.destroy());
    client.on("close", () => {
      if (this.hidesClosing) this.#hidden.add(server);
      else server.destroy();
    });
    client.pipe(server, { end: false });
    server.on("data", (bytes) => {
      client.write(this.nextBytes ?? bytes);
      this.nextBytes = undefined;
    });
  }
}

/** A message of PostgreSQL's protocol. */
export function protocolMessage(type: string, body: string | Uint8Array): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + Buffer.byteLength(body));
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
}

/** An error of PostgreSQL that ends the connection. */
export function fatalError(code: string, message = "the server says so"): Uint8Array {
  return protocolMessage("E", `SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
}
