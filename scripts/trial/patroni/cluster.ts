import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { Program } from "../program.ts";
import { onServer, type ServerName, serverNames, signalServer } from "./network.ts";
import type { Parts } from "./parts.ts";

export const examples = join(import.meta.dir, "../../../deploy/patroni");
const START_MS = 90_000;

/** The variables of a file of deploy/patroni. */
export function readVariables(file: string, server: ServerName = "db1"): Record<string, string> {
  const lines = readFileSync(join(examples, file), "utf8").replaceAll("db1", server).split("\n");
  const pairs = lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/s));
  return Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, value]));
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

/** A server, as etcd knows it. */
interface EtcdMember {
  readonly ID: string;
  readonly name: string;
}

interface EtcdReply {
  readonly members?: readonly EtcdMember[];
  /** The ID of the leader. */
  readonly leader?: string;
}

/** A request to Patroni that changes something. */
interface Command {
  readonly method?: "POST" | "PATCH";
  readonly body: object;
}

/** Three servers with PostgreSQL, Patroni and etcd, configured with the files of deploy/patroni. */
export class Cluster {
  readonly #parts: Parts;
  readonly #folder: string;
  readonly #programs = new Map<ServerName, { readonly etcd: Program; readonly patroni: Program }>();

  constructor(parts: Parts, folder: string) {
    this.#parts = parts;
    this.#folder = folder;
  }

  /** Creates the cluster, and waits until it has a primary and two standbys, one of them synchronous. */
  async start(): Promise<void> {
    for (const name of serverNames) {
      mkdirSync(join(this.#folder, name));
      this.#programs.set(name, { etcd: new Program(), patroni: new Program() });
    }
    await Promise.all(serverNames.map((name) => this.startServer(name)));
    await this.untilHealthy();
  }

  /** Starts etcd and Patroni, as after a restart of the machine. */
  async startServer(name: ServerName): Promise<void> {
    const programs = this.#programs.get(name);
    if (!programs) throw new Error(`There is no server ${name}.`);
    const folder = join(this.#folder, name);
    const server = readVariables("server.env", name);
    const etcd = { ...server, ...readVariables("etcd.env"), ETCD_DATA_DIR: join(folder, "etcd") };
    const file = readFileSync(join(examples, "patroni.yml"), "utf8")
      .replace(/data_dir: .*/, `data_dir: ${join(folder, "data")}`)
      .replace(/bin_dir: .*/, `bin_dir: ${this.#parts.postgresFolder}`)
      // The servers share the folder /tmp.
      .concat(`  parameters:\n    unix_socket_directories: ${folder}\n`);
    const options = { host: name, timeoutMs: START_MS } as const;
    await programs.etcd.start(onServer(name, [this.#parts.etcd]), 2379, { ...options, env: etcd });
    const patroni = [this.#parts.patroni, programs.patroni.write("patroni.yml", file)];
    await programs.patroni.start(onServer(name, patroni), 8008, { ...options, env: server });
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

  /** Makes a server the leader of etcd. */
  async leadEtcd(name: ServerName): Promise<void> {
    const { members = [] } = await tellEtcd(name, "cluster/member/list");
    const { leader } = await tellEtcd(name, "maintenance/status");
    const target = members.find((member) => member.name === name);
    const current = members.find(({ ID }) => ID === leader);
    if (!target || !current) throw new Error(`etcd has no leader: ${JSON.stringify(members)}`);
    if (target !== current)
      await tellEtcd(current.name, "maintenance/transfer-leadership", { targetID: target.ID });
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
    const logs = [...this.#programs].map(([name, { patroni }]) => `${name}: ${patroni.log().slice(-3000)}`);
    return logs.join("\n");
  }

  async end(): Promise<void> {
    for (const name of serverNames) signalServer(name, "SIGKILL");
    for (const { etcd, patroni } of this.#programs.values()) await Promise.all([etcd.end(), patroni.end()]);
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

async function tellEtcd(name: string, path: string, body: object = {}): Promise<EtcdReply> {
  const response = await fetch(`http://${name}:2379/v3/${path}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`etcd on ${name}, ${path}: ${response.status} ${await response.text()}`);
  return await response.json();
}
