import { join } from "node:path";
import { Program } from "../program.ts";
import { examples, readVariables } from "./cluster.ts";
import type { Parts } from "./parts.ts";

/** How nodes reach the primary. */
export interface FrontEnd {
  readonly name: string;
  /** Flags of the nodes. */
  readonly flags: readonly string[];
  /** Starts the programs between the nodes and the servers. */
  start(parts: Parts): Promise<Program[]>;
}

const { DATABASE_URL: multiHostUrl = "" } = readVariables("roster.env");
/** The second URL of deploy/patroni/roster.env. */
const haproxyUrl = multiHostUrl.replace("db1,db2,db3", "127.0.0.1:5000");

export const frontEnds: Readonly<Record<string, FrontEnd>> = {
  hosts: {
    name: "URL with three hosts",
    flags: [`--database=${multiHostUrl}`],
    start: async () => [],
  },
  haproxy: {
    name: "HAProxy",
    flags: [`--database=${haproxyUrl}`],
    start: async (parts) => [await startHaproxy(parts)],
  },
};

async function startHaproxy({ haproxy }: Parts): Promise<Program> {
  const program = new Program();
  await program.start([haproxy, "-db", "-f", join(examples, "haproxy.cfg")], 5000);
  return program;
}
