import { join } from "node:path";
import { Program } from "../program.ts";
import { readVariables, START_MS } from "./examples.ts";
import { type EtcdName, etcdNames, onMachine, signalMachine } from "./network.ts";
import type { Parts } from "./parts.ts";

interface Status {
  readonly header: { readonly member_id: string };
  /** The `member_id` of the leader. */
  readonly leader: string;
}

/** Three machines with etcd. */
export class Etcd {
  readonly #parts: Parts;
  readonly #folder: string;
  readonly #programs = new Map<EtcdName, Program>();

  constructor(parts: Parts, folder: string) {
    this.#parts = parts;
    this.#folder = folder;
  }

  async start(): Promise<void> {
    const { ETCD_INITIAL_CLUSTER = "" } = readVariables("etcd.env");
    await Promise.all(
      etcdNames.map(async (name) => {
        const program = new Program();
        this.#programs.set(name, program);
        await program.start(onMachine(name, [this.#parts.etcd]), 2379, {
          host: name,
          timeoutMs: START_MS,
          env: {
            ...readVariables("etcd.env", { etcd1: name }),
            ETCD_INITIAL_CLUSTER,
            ETCD_DATA_DIR: join(this.#folder, name),
          },
        });
      }),
    );
  }

  async findLeader(): Promise<EtcdName> {
    const statuses = await Promise.all(etcdNames.map(askStatus));
    const found = etcdNames.find((_, index) => statuses[index]?.header.member_id === statuses[index]?.leader);
    if (!found) throw new Error(`etcd has no leader: ${JSON.stringify(statuses)}`);
    return found;
  }

  async end(): Promise<void> {
    for (const name of etcdNames) signalMachine(name, "SIGKILL");
    for (const program of this.#programs.values()) await program.end();
  }
}

async function askStatus(name: EtcdName): Promise<Status> {
  const response = await fetch(`http://${name}:2379/v3/maintenance/status`, { method: "POST", body: "{}" });
  if (!response.ok) throw new Error(`etcd on ${name}: ${response.status} ${await response.text()}`);
  return await response.json();
}
