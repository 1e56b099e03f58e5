import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { Program } from "../program.ts";
import { Etcd } from "./etcd.ts";
import { examples, readVariables, START_MS } from "./examples.ts";
import { onMachine, type ServerName, serverNames, signalMachine } from "./network.ts";
import type { Parts } from "./parts.ts";

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

/** A request to Patroni that changes something. */
interface Command {
  readonly method?: "POST" | "PATCH";
  readonly body: object;
}

/** Three servers with PostgreSQL and Patroni, and three machines with etcd, configured with the files of deploy/patroni. */
export class Cluster {
  readonly #parts: Parts;
  readonly #folder: string;
  readonly #programs = new Map<ServerName, Program>();
  readonly etcd: Etcd;

  constructor(parts: Parts, folder: string) {
    this.#parts = parts;
    this.#folder = folder;
    this.etcd = new Etcd(parts, folder);
  }

  /** Creates the cluster, and waits until it has a primary and two standbys, one of them synchronous. */
  async start(): Promise<void> {
    for (const name of serverNames) {
      mkdirSync(join(this.#folder, name));
      this.#programs.set(name, new Program());
    }
    await this.etcd.start();
    await Promise.all(serverNames.map((name) => this.startServer(name)));
    await this.untilHealthy();
  }

  /** Starts Patroni, as after a restart of the machine. */
  async startServer(name: ServerName): Promise<void> {
    const program = this.#programs.get(name);
    if (!program) throw new Error(`There is no server ${name}.`);
    const folder = join(this.#folder, name);
    const file = readFileSync(join(examples, "patroni.yml"), "utf8")
      .replace(/data_dir: .*/, `data_dir: ${join(folder, "data")}`)
      .replace(/bin_dir: .*/, `bin_dir: ${this.#parts.postgresFolder}`)
      // The servers share the folder /tmp.
      .concat(`  parameters:\n    unix_socket_directories: ${folder}\n`);
    const command = onMachine(name, [this.#parts.patroni, program.write("patroni.yml", file)]);
    const env = readVariables("server.env", { db1: name });
    await program.start(command, 8008, { host: name, timeoutMs: START_MS, env });
  }

  /** The server that Patroni has made the primary now. */
  async findPrimary(): Promise<ServerName | undefined> {
    const checks = serverNames.map(async (name) =>
      (await this.#ask(name, "/primary"))?.ok ? name : undefined,
    );
    return (await Promise.all(checks)).find((name) => name !== undefined);
  }

  async requirePrimary(): Promise<ServerName> {
    const primary = await this.findPrimary();
    if (!primary) throw new Error("The cluster has no primary.");
    return primary;
  }

  /** The standby that commits wait for, and the other one. */
  async findStandbys(): Promise<{ readonly synchronous: ServerName; readonly other: ServerName }> {
    const primary = await this.requirePrimary();
    const [one, two] = serverNames.filter((name) => name !== primary);
    if (!one || !two) throw new Error("There are not two standbys.");
    const isSynchronous = (await this.#ask(one, "/synchronous"))?.ok;
    return isSynchronous ? { synchronous: one, other: two } : { synchronous: two, other: one };
  }

  /** Patroni may choose another synchronous standby just before: then it refuses the first attempts. */
  async switchOver(): Promise<void> {
    const leader = await this.requirePrimary();
    const deadline = performance.now() + START_MS;
    for (;;) {
      const { synchronous: candidate } = await this.findStandbys();
      const failure = await this.#command(leader, "/switchover", { body: { leader, candidate } }).catch(
        String,
      );
      if (failure === undefined) return;
      if (performance.now() > deadline) throw new Error(failure);
      await Bun.sleep(500);
    }
  }

  /** Restarts PostgreSQL on a server. */
  restart(name: ServerName): Promise<void> {
    return this.#command(name, "/restart", { body: {} });
  }

  /** Changes the configuration in etcd, as `patronictl edit-config` does. */
  async configure(change: object): Promise<void> {
    await this.#command(await this.requirePrimary(), "/config", { method: "PATCH", body: change });
  }

  /** Waits until all servers run and replicate on one timeline. */
  async untilHealthy({ synchronous = true } = {}): Promise<void> {
    const deadline = performance.now() + START_MS * 2;
    for (let members = ""; ; await Bun.sleep(250)) {
      const primary = await this.findPrimary();
      const response = primary && (await this.#ask(primary, "/cluster"));
      const found: readonly Member[] = response ? (await response.json()).members : [];
      members = JSON.stringify(found);
      const followers = found.filter(({ role, state }) => role !== "leader" && state === "streaming");
      const hasSynchronous = found.some(({ role }) => role === "sync_standby");
      if (followers.length === 2 && hasSynchronous === synchronous) return;
      if (performance.now() > deadline)
        throw new Error(`The cluster does not recover: ${members}\n${this.log()}`);
    }
  }

  /** Runs statements as the superuser of the primary. */
  async tell(database: string, ...statements: readonly string[]): Promise<void> {
    const sql = new SQL(await this.superuserUrl(database), { max: 1 });
    try {
      for (const statement of statements) await sql.unsafe(statement);
    } finally {
      await sql.close();
    }
  }

  async superuserUrl(database: string): Promise<string> {
    const { PATRONI_SUPERUSER_PASSWORD: password } = readVariables("server.env");
    return `postgres://postgres:${password}@${await this.requirePrimary()}:5432/${database}`;
  }

  log(): string {
    const logs = [...this.#programs].map(([name, patroni]) => `${name}: ${patroni.log().slice(-3000)}`);
    return logs.join("\n");
  }

  async end(): Promise<void> {
    for (const name of serverNames) signalMachine(name, "SIGKILL");
    for (const patroni of this.#programs.values()) await patroni.end();
    await this.etcd.end();
  }

  async #command(name: ServerName, path: string, { method = "POST", body }: Command): Promise<void> {
    const { PATRONI_RESTAPI_USERNAME: user, PATRONI_RESTAPI_PASSWORD: password } =
      readVariables("server.env");
    const response = await fetch(`http://${name}:8008${path}`, {
      method,
      headers: { authorization: `Basic ${btoa(`${user}:${password}`)}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${name}${path}: ${response.status} ${await response.text()}`);
  }

  async #ask(name: ServerName, path: string): Promise<Response | undefined> {
    const signal = AbortSignal.timeout(1000);
    return fetch(`http://${name}:8008${path}`, { signal, keepalive: false }).catch(() => undefined);
  }
}
