import { join } from "node:path";
import { SQL } from "bun";
import { type Postgres, startPostgres } from "../postgres/server.ts";
import { type Roster, type RosterOptions, startRoster, temporaryFolder } from "../process/roster.ts";
import { takeWriteLock } from "../process/write-lock.ts";
import { findSqliteCorruption } from "./list-checks.ts";
import { LoadBalancer } from "./load-balancer.ts";
import { findPostgresCorruption } from "./postgres-corruption.ts";
import { pick } from "./recording-client.ts";

/** Longer than a node waits if it has the flags of `impatient`: its writes are refused. */
const LONG_MS = 3000;
export const impatient: RosterOptions = { flags: ["--database-wait=1000"] };

/** Breaks a part of a cluster, waits, and repairs it. */
type Fault = () => Promise<unknown>;

/** Nodes on one database, each behind a TCP proxy that can cut its connections. */
export class Cluster {
  readonly nodes: Roster[] = [];
  readonly faults: Record<string, Fault>;
  /** How often each fault was injected. */
  readonly injected: Record<string, number> = {};
  /** Every node so far, also the killed ones. */
  readonly #everyNode: Roster[] = [];
  readonly #proxies: LoadBalancer[] = [];

  private constructor(
    readonly url: string,
    readonly options: RosterOptions,
    readonly findCorruption: (users: number) => string[] | Promise<string[]>,
    databaseFaults: Record<string, Fault>,
    readonly stop: () => Promise<void>,
  ) {
    this.faults = {
      "kill -9 of a node": () => this.#killNodes([this.#pickNode()]),
      "kill -9 of all nodes": () => this.#killNodes([...this.nodes.keys()]),
      "frozen node": () => this.#freeze(this.#pickNode()),
      "cut client connections": async () => pick(this.#proxies)?.cut(),
      ...databaseFaults,
    };
  }

  /** Several processes on one SQLite file. */
  static async onSqlite(nodes: number, options: RosterOptions = {}): Promise<Cluster> {
    const file = join(temporaryFolder(), "roster.db");
    const find = (users: number) => findSqliteCorruption(file, users);
    const faults = { "write lock of another program": () => holdWriteLock(file) };
    return await new Cluster(file, options, find, faults, async () => {}).#start(nodes);
  }

  /** Several nodes on a PostgreSQL server of their own, which they reach through a proxy. */
  static async onPostgres(nodes: number, options: RosterOptions = {}): Promise<Cluster> {
    const server = await startPostgres();
    const proxy = await LoadBalancer.start([server]);
    const url = new URL(server.url());
    url.port = String(proxy.port);
    const stop = async () => {
      proxy.stop();
      await server.destroy();
    };
    const find = (users: number) => findPostgresCorruption(server.url(), users);
    return await new Cluster(url.href, options, find, postgresFaults(server, proxy), stop).#start(nodes);
  }

  /** The ports for clients. */
  readonly ports = (): number[] => this.#proxies.map(({ port }) => port);

  /** Injects random faults, one after another, with pauses. */
  async injectFaults(seconds: number): Promise<void> {
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      await pause(300, 1500);
      const name = pick(Object.keys(this.faults)) ?? "";
      this.injected[name] = (this.injected[name] ?? 0) + 1;
      await this.faults[name]?.();
    }
  }

  async #start(count: number): Promise<this> {
    for (let index = 0; index < count; index++) {
      const node = await this.#startNode();
      this.nodes.push(node);
      this.#proxies.push(await LoadBalancer.start([node]));
    }
    return this;
  }

  async #startNode(): Promise<Roster> {
    const node = await startRoster(this.url, this.options);
    this.#everyNode.push(node);
    return node;
  }

  /** The lines about failed requests in the logs of all nodes. */
  get errorLines(): string[] {
    return this.#everyNode.flatMap(({ stdout }) => stdout.filter((line) => line.includes("request failed")));
  }

  #pickNode(): number {
    return Math.floor(Math.random() * this.nodes.length);
  }

  async #killNodes(indexes: readonly number[]): Promise<void> {
    for (const index of indexes) this.nodes[index]?.kill("SIGKILL");
    await Promise.all(indexes.map((index) => this.nodes[index]?.exited));
    await Promise.all(
      indexes.map(async (index) => {
        const node = await this.#startNode();
        this.nodes[index] = node;
        this.#proxies[index]?.use([node]);
      }),
    );
  }

  async #freeze(index: number): Promise<void> {
    this.nodes[index]?.kill("SIGSTOP");
    await pause(100, 1500);
    this.nodes[index]?.kill("SIGCONT");
  }
}

function postgresFaults(server: Postgres, proxy: LoadBalancer): Record<string, Fault> {
  return {
    "cut database connections": async () => proxy.cut(),
    "terminated database sessions": () => terminateSessions(server.url()),
    "frozen database": async () => {
      server.signal("SIGSTOP");
      await pause(100, LONG_MS);
      server.signal("SIGCONT");
    },
    "locked users": () => lockUsers(server.url()),
    "kill -9 of the database": async () => {
      await server.kill9();
      await server.start();
    },
  };
}

/** Another program that writes to the file for a while. */
async function holdWriteLock(file: string): Promise<void> {
  const other = takeWriteLock(file);
  await pause(100, LONG_MS);
  other.run("ROLLBACK");
  other.close();
}

/** Another program that changes some users for a while. */
async function lockUsers(url: string): Promise<void> {
  const sql = new SQL(url, { max: 1 });
  try {
    await sql`BEGIN`;
    await sql`SELECT id FROM roster.users WHERE id % 3 = 0 FOR UPDATE`;
    await pause(100, LONG_MS);
    await sql`ROLLBACK`;
  } finally {
    await sql.close();
  }
}

async function terminateSessions(url: string): Promise<void> {
  const sql = new SQL(url, { max: 1 });
  try {
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  } finally {
    await sql.close();
  }
}

const pause = (fromMs: number, toMs: number) => Bun.sleep(fromMs + Math.random() * (toMs - fromMs));
