import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { type Call, type Callable, callAt } from "../call.ts";

interface Listener {
  readonly port: number;
}

/** A round-robin TCP load balancer. A connection that a node refuses goes to the next node. */
export class LoadBalancer implements Callable {
  readonly #server: Server;
  readonly #clients = new Set<Socket>();
  #ports: readonly number[];
  #nextNode = 0;

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#server = createServer((client) => {
      this.#clients.add(client);
      client.on("close", () => this.#clients.delete(client));
      client.on("error", () => client.destroy());
      const [first = 0, ...rest] = this.#portsInOrder();
      forward(client, first, rest);
    });
  }

  static async start(nodes: readonly Listener[]): Promise<LoadBalancer> {
    const balancer = new LoadBalancer(nodes.map(({ port }) => port));
    balancer.#server.listen(0, "127.0.0.1");
    await once(balancer.#server, "listening");
    return balancer;
  }

  /** Sends new connections to these nodes. */
  use(nodes: readonly Listener[]): void {
    this.#ports = nodes.map(({ port }) => port);
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" ? (address?.port ?? 0) : 0;
  }

  /** Closes all connections. Responses on their way are lost. Returns the number of connections. */
  cut(): number {
    const { size } = this.#clients;
    for (const client of this.#clients) client.resetAndDestroy();
    return size;
  }

  /** Sends a request over a new connection, so that every node gets its share. */
  readonly call: Call = (path, request = {}) => {
    const headers = { ...request.headers, connection: "close" };
    return callAt(`http://127.0.0.1:${this.port}`, { keepalive: false })(path, { ...request, headers });
  };

  stop(): void {
    this.#server.close();
    this.cut();
  }

  /** All ports, starting with the next node. */
  #portsInOrder(): number[] {
    const next = this.#nextNode++ % this.#ports.length;
    return [...this.#ports.slice(next), ...this.#ports.slice(0, next)];
  }
}

function forward(client: Socket, port: number, [next, ...rest]: readonly number[]): void {
  const node = connect({ host: "127.0.0.1", port });
  const tryNext = () => (next === undefined ? client.destroy() : forward(client, next, rest));
  node.once("error", tryNext);
  node.once("connect", () => {
    node.off("error", tryNext);
    pipe(client, node);
    pipe(node, client);
  });
}

function pipe(from: Socket, to: Socket): void {
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
  from.pipe(to);
}
