import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendSignal } from "../../../test/support/postgres/processes.ts";

/** The machines with PostgreSQL and Patroni, by the names that the files of deploy/patroni use. */
export const serverNames = ["db1", "db2", "db3"] as const;
export type ServerName = (typeof serverNames)[number];
/** The machines with etcd. */
export const etcdNames = ["etcd1", "etcd2", "etcd3"] as const;
export type EtcdName = (typeof etcdNames)[number];
export type MachineName = ServerName | EtcdName;
const machineNames: readonly MachineName[] = [...serverNames, ...etcdNames];

const addressOf = (name: MachineName) => `10.77.0.${machineNames.indexOf(name) + 1}`;
/** The address of this process, for the machines. */
const OWN_ADDRESS = "10.77.0.254";

/**
 * Runs a command as root of namespaces of its own: network, processes, mounts and shared memory. When the command ends, all
 * of them disappear with everything that still runs in them. The shell collects the exit codes of orphans.
 */
export function isolated(command: readonly string[]): string[] {
  const namespaces = ["--user", "--map-root-user", "--net", "--mount", "--pid", "--ipc"];
  const unshare = ["unshare", ...namespaces, "--fork", "--kill-child", "--mount-proc"];
  return [...unshare, "sh", "-c", '"$@"; exit $?', "sh", ...command];
}

/** Runs a command as an ordinary account with the rights of this one: PostgreSQL and PgBouncer refuse to run as root. */
export function asOrdinaryAccount(command: readonly string[]): string[] {
  return ["unshare", "--user", "--map-user=1000", "--map-group=1000", ...command];
}

/** Runs a command on a machine. */
export function onMachine(name: MachineName, command: readonly string[]): string[] {
  return ["nsenter", `--net=/run/netns/${name}`, ...asOrdinaryAccount(command)];
}

/** Gives each machine a network of its own, all on one switch. Only in namespaces of `isolated`. */
export function createNetwork(folder: string): void {
  for (const place of ["/run", "/dev/shm"]) run("mount", "-t", "tmpfs", "tmpfs", place);
  mkdirSync("/run/netns");
  const hosts = join(folder, "hosts");
  const names = machineNames.map((name) => `${addressOf(name)} ${name}\n`);
  writeFileSync(hosts, `127.0.0.1 localhost\n${names.join("")}`);
  run("mount", "--bind", hosts, "/etc/hosts");
  run("ip", "link", "set", "lo", "up");
  run("ip", "link", "add", "switch", "type", "bridge");
  run("ip", "addr", "add", `${OWN_ADDRESS}/24`, "dev", "switch");
  run("ip", "link", "set", "switch", "up");
  for (const name of machineNames) {
    run("ip", "netns", "add", name);
    run("ip", "link", "add", `port-${name}`, "type", "veth", "peer", "name", "eth0", "netns", name);
    run("ip", "link", "set", `port-${name}`, "master", "switch", "up");
    const inside = ["ip", "-n", name] as const;
    run(...inside, "addr", "add", `${addressOf(name)}/24`, "dev", "eth0");
    run(...inside, "link", "set", "lo", "up");
    run(...inside, "link", "set", "eth0", "up");
  }
}

/** Loses every packet between a machine and others. Nodes still reach all of them. */
export function cut(name: MachineName, others: readonly MachineName[]): void {
  for (const other of others) {
    iptables(name, "-A", "INPUT", "-s", addressOf(other), "-j", "DROP");
    iptables(name, "-A", "OUTPUT", "-d", addressOf(other), "-j", "DROP");
  }
}

export function repair(name: MachineName): void {
  iptables(name, "-F");
}

/** Signals every process of a machine, or those of one program. */
export function signalMachine(name: MachineName, signal: NodeJS.Signals, program?: string): void {
  const pids = run("ip", "netns", "pids", name).split("\n").filter(Boolean).map(Number);
  const chosen = pids.filter((pid) => program === undefined || programOf(pid) === program);
  for (const pid of chosen) sendSignal(pid, signal);
}

function programOf(pid: number): string {
  return Bun.spawnSync(["cat", `/proc/${pid}/comm`])
    .stdout.toString()
    .trim();
}

function iptables(name: MachineName, ...args: string[]): void {
  run("ip", "netns", "exec", name, "iptables", ...args);
}

function run(...command: string[]): string {
  const { success, stdout, stderr } = Bun.spawnSync(command, {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
  });
  if (!success) throw new Error(`${command.join(" ")}: ${stderr}`);
  return stdout.toString();
}
