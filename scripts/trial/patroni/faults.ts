import type { Cluster } from "./cluster.ts";
import { cut, repair, type ServerName, serverNames, signalServer } from "./network.ts";

/** Something that happens to the cluster. `play` ends when it is over, and the cluster may still recover. */
export interface Fault {
  readonly name: string;
  readonly play: (cluster: Cluster, primary: ServerName) => Promise<void>;
}

const FREEZE_MS = 60_000;
const CUT_MS = 45_000;
/** How long a server stays dead. Longer than the TTL of deploy/patroni/patroni.yml. */
const DEAD_MS = 40_000;

export const faults: readonly Fault[] = [
  {
    name: "switchover",
    play: (cluster) => cluster.switchOver(),
  },
  {
    name: "restart of one server after the other, as for a new minor version",
    play: restartAll,
  },
  {
    name: "kill -9 of PostgreSQL on the primary",
    play: async (_, primary) => {
      signalServer(primary, "SIGKILL", "postgres");
    },
  },
  {
    name: "kill -9 of everything on the primary",
    play: (cluster, primary) => killServer(cluster, primary),
  },
  {
    name: "kill -9 of everything on the synchronous standby",
    play: async (cluster) => killServer(cluster, (await cluster.findStandbys()).synchronous),
  },
  {
    name: "freeze of the primary's machine for 60 s",
    play: async (_, primary) => freeze([primary], FREEZE_MS),
  },
  {
    name: "freeze of PostgreSQL on the primary for 60 s",
    play: async (_, primary) => freeze([primary], FREEZE_MS, "postgres"),
  },
  {
    name: "freeze of Patroni on the primary for 60 s",
    play: async (_, primary) => freeze([primary], FREEZE_MS, "patroni"),
  },
  {
    name: "freeze of etcd on all servers for 45 s",
    play: () => freeze(serverNames, CUT_MS, "etcd"),
  },
  {
    name: "primary cut off from the other servers for 45 s, but not from nodes",
    play: (_, primary) =>
      cutFor(
        primary,
        serverNames.filter((name) => name !== primary),
      ),
  },
  {
    name: "primary cut off from the synchronous standby for 45 s",
    play: async (cluster, primary) => cutFor(primary, [(await cluster.findStandbys()).synchronous]),
  },
];

/** The standbys first. The primary becomes a standby before its turn. */
async function restartAll(cluster: Cluster, primary: ServerName): Promise<void> {
  for (const name of serverNames.filter((each) => each !== primary)) {
    await cluster.restart(name);
    await cluster.untilHealthy();
  }
  await cluster.switchOver();
  await cluster.untilHealthy();
  await cluster.restart(primary);
}

async function killServer(cluster: Cluster, name: ServerName): Promise<void> {
  signalServer(name, "SIGKILL");
  await Bun.sleep(DEAD_MS);
  await cluster.startServer(name);
}

async function freeze(names: readonly ServerName[], ms: number, program?: string): Promise<void> {
  for (const name of names) signalServer(name, "SIGSTOP", program);
  await Bun.sleep(ms);
  for (const name of names) signalServer(name, "SIGCONT", program);
}

async function cutFor(name: ServerName, others: readonly ServerName[]): Promise<void> {
  cut(name, others);
  await Bun.sleep(CUT_MS);
  repair(name);
}
