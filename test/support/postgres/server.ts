import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Keeper } from "./keep.ts";
import { killFamily, send, signalFamily } from "./processes.ts";
import { bringPrograms, handOver, lastWords, makePlace } from "./programs.ts";

const STARTS_WITHIN = 60_000;

export interface PostgresOptions {
  /** Whether what it acknowledges is on disk; false, and faster, unless said otherwise. */
  readonly durable?: boolean;
  /** What else is set, as in postgresql.conf. */
  readonly settings?: Record<string, string>;
  /** A free one unless said otherwise. */
  readonly port?: number;
  /** Puts data into the empty folder; without it there are none but what every server has. */
  readonly fill?: (folder: string) => Promise<void>;
}

/** A server of its own on 127.0.0.1, gone with this process at the latest. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const server = new Postgres(makePlace(), options.port ?? (await freePort()), options);
  try {
    await server.prepare(options.fill);
    await server.start();
    return server;
  } catch (error) {
    await server.destroy();
    throw error;
  }
}

export class Postgres {
  readonly #place: string;
  readonly #keeper: Keeper;
  readonly #settings: Record<string, string>;

  constructor(
    place: string,
    readonly port: number,
    { durable = false, settings = {} }: PostgresOptions,
  ) {
    this.#place = place;
    this.#keeper = new Keeper(place);
    this.#settings = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      // In its folder, which is removed, and not in memory that outlives a server that is killed.
      dynamic_shared_memory_type: "mmap",
      ...(!durable && { fsync: "off", full_page_writes: "off" }),
      ...settings,
    };
  }

  /** Where its data are. */
  get folder(): string {
    return join(this.#place, "data");
  }

  /** Its first process, which has started all others. */
  get pid(): number {
    if (this.#keeper.pid === undefined) throw new Error("The server does not run.");
    return this.#keeper.pid;
  }

  url(database = "postgres"): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  /** Brings what it needs to its place: once, before the first start. */
  async prepare(fill: PostgresOptions["fill"]): Promise<void> {
    bringPrograms(this.#place);
    mkdirSync(this.folder, { mode: 0o700 });
    handOver(this.folder);
    if (fill === undefined) return await this.#initialise();
    await fill(this.folder);
    handOver(this.folder);
  }

  /** Starts it on the data and the port that it has, and waits until it takes connections. */
  async start(): Promise<void> {
    const settings = Object.entries(this.#settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const args = ["-D", this.folder, "-p", String(this.port), ...settings];
    const pid = await this.#keeper.run({ program: "postgres", args });
    const deadline = performance.now() + STARTS_WITHIN;
    while (!this.#isReady(pid)) {
      if (this.#keeper.pid !== pid || performance.now() > deadline)
        throw new Error(`PostgreSQL does not start.\n${lastWords(this.#place)}`);
      await Bun.sleep(5);
    }
  }

  /** Ends it in order: connections are cut, data stay. */
  async stop(): Promise<void> {
    send(this.pid, "SIGINT");
    await this.#keeper.ended;
  }

  /** Kills it with all its processes, as a loss of power would, except that the operating system lives on. */
  async kill9(): Promise<void> {
    await killFamily(this.pid);
    await this.#keeper.ended;
  }

  /** Sends all its processes the signal: after SIGSTOP it keeps its connections and says nothing, until SIGCONT. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    signalFamily(this.pid, signal);
  }

  /** Ends it, in whatever state it is, and removes its data. */
  async destroy(): Promise<void> {
    await this.#keeper.clear();
  }

  async #initialise(): Promise<void> {
    const args = [
      ...["-D", this.folder, "--username=postgres", "--auth=trust", "--no-sync", "--wal-segsize=1"],
      // As on many servers, text is in the order of a language, which Roster must not depend on.
      ...["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"],
    ];
    await this.#keeper.run({ program: "initdb", args });
    const code = await this.#keeper.ended;
    if (code !== "0") throw new Error(`initdb ended with ${code}.\n${lastWords(this.#place)}`);
  }

  /** The server says so in this file, whose first line tells that it is this one and not one before. */
  #isReady(pid: number): boolean {
    const file = join(this.folder, "postmaster.pid");
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
    return Number(lines[0]) === pid && lines[7]?.trim() === "ready";
  }
}

/** Below the ports that systems give to outgoing connections, lest one of these takes it while the server is down. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const probe = createServer();
    try {
      probe.listen(port, "127.0.0.1");
      await once(probe, "listening");
      return port;
    } catch {
    } finally {
      probe.close();
    }
  }
}
