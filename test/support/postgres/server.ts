import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { killProcessTree, sendSignal, signalProcessTree } from "./processes.ts";
import { copyProgramsIfUnreadable, createServerFolder, giveToServerAccount, logTail } from "./programs.ts";
import { ServerSupervisor } from "./server-supervisor.ts";

const START_TIMEOUT_MS = 60_000;

/** A data folder that test/run.ts creates once, for all servers to copy. Without it, each server runs initdb. */
const initialData = process.env.ROSTER_TEST_POSTGRES_DATA;
const copyInitialData =
  initialData === undefined ? undefined : (folder: string) => cp(initialData, folder, { recursive: true });

export interface PostgresOptions {
  /** Whether commits are flushed to disk. Default: false, which is faster. */
  readonly durable?: boolean;
  /** More settings, as in postgresql.conf. */
  readonly settings?: Record<string, string>;
  /** Default: a free port. */
  readonly port?: number;
  /** Fills the empty data folder. Default: a copy of what initdb creates. */
  readonly fill?: (folder: string) => Promise<void>;
}

/** Starts a PostgreSQL server on 127.0.0.1. It stops when this process ends, at the latest. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const server = new Postgres(createServerFolder(), options.port ?? (await freePort()), options);
  try {
    await server.prepare(options.fill);
    await server.start();
    return server;
  } catch (error) {
    await server.destroy();
    throw error;
  }
}

/** Creates a data folder that servers can copy. */
export async function createInitialData(target: string): Promise<void> {
  const server = new Postgres(createServerFolder(), 0, {});
  try {
    await server.prepare(undefined);
    await cp(server.folder, target, { recursive: true });
  } finally {
    await server.destroy();
  }
}

export class Postgres {
  readonly #serverFolder: string;
  readonly #supervisor: ServerSupervisor;
  readonly #settings: Record<string, string>;

  constructor(
    serverFolder: string,
    readonly port: number,
    { durable = false, settings = {} }: PostgresOptions,
  ) {
    this.#serverFolder = serverFolder;
    this.#supervisor = new ServerSupervisor(serverFolder);
    this.#settings = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      // Keep shared memory in the server's folder, so that it goes away even when the server is killed.
      dynamic_shared_memory_type: "mmap",
      ...(!durable && { fsync: "off", full_page_writes: "off" }),
      ...settings,
    };
  }

  /** The data folder. */
  get folder(): string {
    return join(this.#serverFolder, "data");
  }

  /** The postmaster, which is the parent of all other processes of the server. */
  get pid(): number {
    if (this.#supervisor.pid === undefined) throw new Error("The server is not running.");
    return this.#supervisor.pid;
  }

  url(database = "postgres"): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  /** Creates the data folder. Call it once, before the first start. */
  async prepare(fill: PostgresOptions["fill"] = copyInitialData): Promise<void> {
    copyProgramsIfUnreadable(this.#serverFolder);
    mkdirSync(this.folder, { mode: 0o700 });
    giveToServerAccount(this.folder);
    if (fill === undefined) return await this.#initialise();
    await fill(this.folder);
    giveToServerAccount(this.folder);
  }

  /** Starts the server and waits until it accepts connections. */
  async start(): Promise<void> {
    const settings = Object.entries(this.#settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const args = ["-D", this.folder, "-p", String(this.port), ...settings];
    const pid = await this.#supervisor.run({ program: "postgres", args });
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (!this.#isReady(pid)) {
      if (this.#supervisor.pid !== pid || performance.now() > deadline)
        throw new Error(`PostgreSQL did not start.\n${logTail(this.#serverFolder)}`);
      await Bun.sleep(5);
    }
  }

  /** Shuts the server down. Open connections are closed; the data stay. */
  async stop(): Promise<void> {
    sendSignal(this.pid, "SIGINT");
    await this.#supervisor.ended;
  }

  /** Kills all processes of the server at once, like a power cut that the operating system survives. */
  async kill9(): Promise<void> {
    await killProcessTree(this.pid);
    await this.#supervisor.ended;
  }

  /** Signals all processes of the server. SIGSTOP freezes it with its connections open, until SIGCONT. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    signalProcessTree(this.pid, signal);
  }

  /** Stops the server, whatever its state, and deletes its data. */
  async destroy(): Promise<void> {
    await this.#supervisor.clear();
  }

  async #initialise(): Promise<void> {
    const args = [
      ...["-D", this.folder, "--username=postgres", "--auth=trust", "--no-sync", "--wal-segsize=1"],
      // A language-specific collation, as on many servers: Roster must not depend on the collation.
      ...["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"],
    ];
    await this.#supervisor.run({ program: "initdb", args });
    const code = await this.#supervisor.ended;
    if (code !== "0") throw new Error(`initdb ended with ${code}.\n${logTail(this.#serverFolder)}`);
  }

  /** postmaster.pid holds the server's process id on line 1 and its state on line 8. */
  #isReady(pid: number): boolean {
    const lines = readLines(join(this.folder, "postmaster.pid"));
    return Number(lines[0]) === pid && lines[7]?.trim() === "ready";
  }
}

/** Finds a free port below the ephemeral range, so that no outgoing connection takes it while the server is down. */
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

/** Returns no lines if the file does not exist. A server that starts may remove the file of a killed server at any time. */
function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}
