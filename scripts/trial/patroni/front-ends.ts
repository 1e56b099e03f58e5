import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Program } from "../program.ts";
import { examples, readVariables } from "./examples.ts";
import { asOrdinaryAccount } from "./network.ts";
import type { Parts } from "./parts.ts";

/** How nodes reach the primary. */
export interface FrontEnd {
  readonly name: string;
  /** Flags of the nodes. */
  readonly flags: readonly string[];
  /** Starts the programs between the nodes and the servers. Returns undefined if one is not installed. */
  readonly start: (parts: Parts) => Promise<Program[] | undefined>;
  /** Words in the names of the faults to play. Default: all faults. */
  readonly faults?: readonly string[];
  /** Whether commits do not wait for a standby. */
  readonly asynchronous?: boolean;
}

const { DATABASE_URL: multiHostUrl = "" } = readVariables("roster.env");
/** The URL with a program on this machine instead of the servers. */
const localUrl = (port: number) => multiHostUrl.replace("db1,db2,db3", `127.0.0.1:${port}`);
const [HAPROXY_PORT, PGBOUNCER_PORT, PGPOOL_PORT] = [5000, 6432, 9999] as const;
const HAPROXY_CHECKS_MS = 3000;
const few = ["switchover", "kill -9 of everything on the primary"];

export const frontEnds: Readonly<Record<string, FrontEnd>> = {
  hosts: {
    name: "URL with three hosts",
    flags: [`--database=${multiHostUrl}`],
    start: async () => [],
  },
  haproxy: {
    name: "HAProxy",
    flags: [`--database=${localUrl(HAPROXY_PORT)}`],
    start: async (parts) => [await startHaproxy(parts)],
  },
  pgbouncer: {
    name: "PgBouncer in transaction mode, and HAProxy",
    flags: [`--database=${localUrl(PGBOUNCER_PORT)}`, "--database-pooler=transaction"],
    start: async (parts) =>
      parts.pgbouncer === undefined
        ? undefined
        : [await startHaproxy(parts), await startPgbouncer(parts.pgbouncer)],
    faults: few,
  },
  pgpool: {
    name: "Pgpool without load balancing, and HAProxy",
    flags: [`--database=${localUrl(PGPOOL_PORT)}`],
    start: async (parts) =>
      parts.pgpool === undefined ? undefined : [await startHaproxy(parts), await startPgpool(parts.pgpool)],
    faults: few,
  },
  asynchronous: {
    name: "URL with three hosts, synchronous_mode off",
    flags: [`--database=${multiHostUrl}`],
    start: async () => [],
    faults: [
      "switchover",
      "kill -9 of everything on the primary",
      "freeze of the primary",
      "primary cut off from the other",
    ],
    asynchronous: true,
  },
};

async function startHaproxy({ haproxy }: Parts): Promise<Program> {
  const program = new Program();
  await program.start([haproxy, "-db", "-f", join(examples, "haproxy.cfg")], HAPROXY_PORT);
  // Before its first checks, HAProxy takes every server for the primary.
  await Bun.sleep(HAPROXY_CHECKS_MS);
  return program;
}

async function startPgbouncer(pgbouncer: string): Promise<Program> {
  const program = new Program();
  const users = program.write("userlist.txt", '"roster" "roster-secret"\n');
  const text = readFileSync(join(examples, "pgbouncer.ini"), "utf8")
    .replace(/auth_file = .*/, `auth_file = ${users}`)
    .concat("unix_socket_dir =\n");
  const command = asOrdinaryAccount([pgbouncer, program.write("pgbouncer.ini", text)]);
  await program.start(command, PGBOUNCER_PORT);
  return program;
}

async function startPgpool(pgpool: string): Promise<Program> {
  const program = new Program();
  const { folder } = program;
  program.write("pool_passwd", "roster:TEXTroster-secret\n");
  program.write("pcp.conf", "");
  copyFileSync(join(examples, "pool_hba.conf"), join(folder, "pool_hba.conf"));
  // Pgpool 4.4 renamed `socket_dir`.
  const places = [
    "socket_dir",
    "unix_socket_directories",
    "pcp_socket_dir",
    "wd_ipc_socket_dir",
    "logdir",
    "work_dir",
  ];
  const text = readFileSync(join(examples, "pgpool.conf"), "utf8")
    .concat(places.map((name) => `${name} = '${folder}'\n`).join(""))
    .concat(`pid_file_name = '${folder}/pid'\n`);
  const files = ["-f", program.write("pgpool.conf", text), "-a", join(folder, "pool_hba.conf")];
  const command = [pgpool, "-n", ...files, "-F", join(folder, "pcp.conf")];
  await program.start(asOrdinaryAccount(command), PGPOOL_PORT);
  return program;
}
