import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Roster } from "../process/roster.ts";

/** Stands for a load balancer: each connection goes to the next node, past those that refuse it. */
export class Balancer {
  readonly #server: Server;
  #ports: readonly number[];
  #turn = 0;

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#server = createServer((client) => {
      client.on("error", () => client.destroy());
      const [first = 0, ...others] = this.#inTurn();
      pass(client, first, others);
    });
  }

  static async start(nodes: readonly Roster[]): Promise<Balancer> {
    const balancer = new Balancer(nodes.map(({ port }) => port));
    balancer.#server.listen(0, "127.0.0.1");
    await once(balancer.#server, "listening");
    return balancer;
  }

  /** From here on, new connections go to these. */
  use(nodes: readonly Roster[]): void {
    this.#ports = nodes.map(({ port }) => port);
  }

  /** A request over a connection of its own, so that every node gets its share. */
  readonly call = (path: string, init: RequestInit = {}): Promise<Response> => {
    const address = this.#server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const headers = { ...Object.fromEntries(new Headers(init.headers)), connection: "close" };
    return fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers, keepalive: false });
  };

  readonly send = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
    this.call(path, {
      method,
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
    });

  stop(): void {
    this.#server.close();
  }

  /** All nodes, beginning with the one whose turn it is. */
  #inTurn(): number[] {
    const turn = this.#turn++ % this.#ports.length;
    return [...this.#ports.slice(turn), ...this.#ports.slice(0, turn)];
  }
}

function pass(client: Socket, port: number, [next, ...others]: readonly number[]): void {
  const node = connect({ host: "127.0.0.1", port });
  const refused = () => (next === undefined ? client.destroy() : pass(client, next, others));
  node.once("error", refused);
  node.once("connect", () => {
    node.off("error", refused);
    join(client, node);
    join(node, client);
  });
}

function join(from: Socket, to: Socket): void {
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
  from.pipe(to);
}
