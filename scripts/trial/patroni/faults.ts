import type { Cluster } from "./cluster.ts";
import {
  cut,
  etcdNames,
  type MachineName,
  repair,
  type ServerName,
  serverNames,
  signalMachine,
} from "./network.ts";

/** Something that happens to the cluster. `play` ends when it is over, and the cluster may still recover. */
export interface Fault {
  readonly name: string;
  readonly play: (cluster: Cluster, primary: ServerName) => Promise<void>;
  /** Whether docs/high-availability.md promises nothing about it. It is played only if FAULTS names it. */
  readonly isUnsafe?: boolean;
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
      signalMachine(primary, "SIGKILL", "postgres");
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
    name: "freeze of the machine of etcd's leader for 60 s",
    play: async ({ etcd }) => freeze([await etcd.findLeader()], FREEZE_MS),
  },
  {
    name: "freeze of all machines with etcd for 45 s",
    play: () => freeze(etcdNames, CUT_MS),
  },
  {
    name: "primary cut off from the other servers and etcd for 45 s, but not from nodes",
    play: (_, primary) => cutFor(primary, [...serverNames.filter((name) => name !== primary), ...etcdNames]),
  },
  {
    name: "primary cut off from etcd for 45 s",
    play: (_, primary) => cutFor(primary, etcdNames),
  },
  {
    name: "primary cut off from the synchronous standby for 45 s",
    play: async (cluster, primary) => cutFor(primary, [(await cluster.findStandbys()).synchronous]),
  },
  {
    name: "freeze of the primary's machine and that of etcd's leader together for 60 s",
    play: async ({ etcd }, primary) => freeze([primary, await etcd.findLeader()], FREEZE_MS),
    isUnsafe: true,
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
  signalMachine(name, "SIGKILL");
  await Bun.sleep(DEAD_MS);
  await cluster.startServer(name);
}

async function freeze(names: readonly MachineName[], ms: number, program?: string): Promise<void> {
  for (const name of names) signalMachine(name, "SIGSTOP", program);
  await Bun.sleep(ms);
  for (const name of names) signalMachine(name, "SIGCONT", program);
}

async function cutFor(name: MachineName, others: readonly MachineName[]): Promise<void> {
  cut(name, others);
  await Bun.sleep(CUT_MS);
  repair(name);
}
