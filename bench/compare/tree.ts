import { type ChildServer, startServiceOf } from "../support/child-server.ts";
import { startCpuMeter } from "../support/cpu-meter.ts";
import { importUsers } from "../support/import-users.ts";
import { RequestSender } from "../support/request-sender.ts";
import type { CompareEngine } from "./engines.ts";
import {
  DELETED_USERS,
  formatRequest,
  type RequestKind,
  type RequestParts,
  SEEDED_USERS,
  WEBHOOKS,
} from "./request-kinds.ts";

const FLAGS = ["--rate-limit=0"];

/** CPU time per request, in microseconds. */
export interface Cost {
  readonly service: number;
  /** Of the service and the database server together. */
  readonly total: number;
}

/** One of the two checkouts, and a database that its own service has filled. */
export class Tree {
  private constructor(
    readonly name: string,
    readonly folder: string,
    private readonly engine: CompareEngine,
  ) {}

  static async prepare(name: string, folder: string, engine: CompareEngine): Promise<Tree> {
    const tree = new Tree(name, folder, engine);
    await using server = await startServiceOf(folder, await engine.create(`${name}_seed`), FLAGS);
    const { errors } = await importUsers(server.url, "application/x-ndjson", 1, SEEDED_USERS);
    if (errors > 0) throw new Error(`The service of ${folder} rejected ${errors} sample users.`);
    using sender = await RequestSender.open(new URL(server.url), 1);
    const send = (count: number, request: (number: number) => RequestParts) => {
      let number = 0;
      return sender.send(count, () => formatRequest(request(number++), new URL(server.url).host));
    };
    await send(DELETED_USERS, (number) => ({ method: "DELETE", path: `/api/users/${1 + number}` }));
    await send(WEBHOOKS, () => ({
      method: "POST",
      path: "/api/webhooks",
      body: JSON.stringify({ url: "https://hooks.example.com/", types: ["key.*"] }),
    }));
    return tree;
  }

  /** Starts a service in a new process, on a new copy of the database. */
  async start(connections: number): Promise<TreeService> {
    const database = await this.engine.copy(`${this.name}_seed`, this.name);
    const server = await startServiceOf(this.folder, database, FLAGS);
    const sender = await RequestSender.open(new URL(server.url), connections);
    return new TreeService(this, server, sender, this.engine);
  }
}

/** A running service of a tree. Disposing of it stops it. */
export class TreeService implements AsyncDisposable {
  readonly #host: string;
  /** How many requests of each kind the service has got. */
  readonly #sent = new Map<RequestKind, number>();

  constructor(
    readonly tree: Tree,
    private readonly server: ChildServer,
    private readonly sender: RequestSender,
    private readonly engine: CompareEngine,
  ) {
    this.#host = new URL(server.url).host;
  }

  /** Sends requests of one kind and measures them. */
  async run(kind: RequestKind, count: number): Promise<Cost> {
    const first = this.#sent.get(kind) ?? 0;
    this.#sent.set(kind, first + count);
    let number = first;
    const meters = [startCpuMeter(this.server.pid), this.engine.startCpuMeter()] as const;
    await this.sender.send(count, () => formatRequest(kind.request(number++), this.#host));
    const [service, server] = [meters[0]() / count, meters[1]() / count];
    return { service, total: service + server };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.sender[Symbol.dispose]();
    await this.server[Symbol.asyncDispose]();
  }
}
